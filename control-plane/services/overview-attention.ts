// What needs attention in an organization, each item with the method that shows it. A member gets what concerns their own
// keys and themself.
import { limitOfCounter } from '../../common/counter-names.ts';
import { dayMs } from '../../common/durations.ts';
import { nanoOfUsd, usdOfNano } from '../../common/money.ts';
import type { AttentionItem } from '../../proto/generated/gateway/v1/AttentionItem.ts';
import { type AttentionKind, attentionKinds } from '../../proto/words/overview.ts';
import { timeText } from '../domain/shared-fields.ts';
import { readNames } from '../usage/names.ts';
import { listUnconfirmed, type UsedWindow } from './budgets.ts';
import type { ReadCall } from './method.ts';
import { openAt } from './stop-rows.ts';

const itemsMax = 100;
/** Of each kind. */
const rowsMax = 50;
const nearEnd = 0.8;
const keyEndsMs = 7 * dayMs;
const failuresMs = dayMs;

/** @param budgets the most used ones */
export async function attentionOf(
  call: ReadCall,
  organizationId: string,
  budgets: readonly UsedWindow[],
): Promise<AttentionItem[]> {
  const ofKeys = await endingKeys(call, organizationId);
  const items = [...budgets.flatMap(budgetItem), ...ofKeys];
  if (call.caller.role !== 'member') {
    items.push(...(await refusedProviderKeys(call, organizationId)));
    items.push(...(await failingGuardrails(call, organizationId)));
    items.push(...(await stops(call, organizationId)));
    items.push(...(await unconfirmed(call, organizationId)));
  }
  const ranks = new Map(attentionKinds.words.map((kind, rank) => [kind, rank]));
  return items
    .toSorted((a, b) => (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0))
    .slice(0, itemsMax)
    .map(({ kind, ...item }) => ({ kind: attentionKinds.names[kind], ...item }));
}

interface Item extends Omit<AttentionItem, 'kind'> {
  readonly kind: AttentionKind;
  readonly method: string;
}

function budgetItem({ window, used }: UsedWindow): Item[] {
  const { limitId = '', limitName = '', endsAt, forecastUsd, amountUsd } = window;
  const exceeds = forecastUsd !== undefined && Number(forecastUsd) > Number(amountUsd);
  if (used < nearEnd && !exceeds) return [];
  return [
    {
      kind: used >= 1 ? 'budget_spent' : 'budget_near_end',
      ...{ targetKind: 'limit', targetId: limitId, targetName: limitName, method: 'Budgets.ListWindows' },
      ...(endsAt !== undefined && { endsAt }),
      used,
      ...(forecastUsd !== undefined && { amountUsd: forecastUsd }),
    },
  ];
}

async function endingKeys({ db, caller, now }: ReadCall, organizationId: string): Promise<Item[]> {
  let query = db
    .selectFrom('virtual_keys')
    .select(['id', 'name', 'ends_at'])
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .where('active', '=', 1)
    .where('ends_at', '>', now)
    .where('ends_at', '<=', now + keyEndsMs);
  if (caller.role === 'member')
    query = query.where('scope_kind', '=', 'person').where('scope_id', '=', caller.personId);
  const rows = await query.orderBy('ends_at').orderBy('id').limit(rowsMax).execute();
  return rows.map(({ id, name, ends_at }) => ({
    kind: 'key_ends',
    ...{ targetKind: 'virtual_key', targetId: id, targetName: name, method: 'VirtualKeys.Get' },
    ...(ends_at !== null && { endsAt: timeText(ends_at) }),
  }));
}

async function refusedProviderKeys({ db }: ReadCall, organizationId: string): Promise<Item[]> {
  const rows = await db
    .selectFrom('provider_keys as key')
    .innerJoin('provider_key_states as known', 'known.provider_key_id', 'key.id')
    .select(['key.id', 'key.name', 'key.provider', 'known.at', 'known.detail'])
    .where('key.organization_id', '=', organizationId)
    .where('key.enabled', '=', 1)
    .where('known.state', 'in', ['refused', 'limited'])
    .orderBy('key.id')
    .limit(rowsMax)
    .execute();
  return rows.map(({ id, name, provider, at, detail }) => ({
    kind: 'provider_key_refused',
    ...{ targetKind: 'provider_key', targetId: id, targetName: `${provider}: ${name}`, method: 'ProviderKeys.Get' },
    ...{ since: timeText(at), detail },
  }));
}

const failures = ['guardrail.failed_passed', 'guardrail.failed_blocked', 'guardrail.unavailable'] as const;

/** By the samples of decisions in the audit log, of which each minute has some. */
async function failingGuardrails({ db, now }: ReadCall, organizationId: string): Promise<Item[]> {
  const events = db
    .selectFrom('audit_events')
    .select(['target_id', 'at'])
    .where('organization_id', '=', organizationId)
    .where('action', 'in', failures)
    .orderBy('revision', 'desc')
    .limit(eventsMax);
  const rows = await db
    .selectFrom(events.as('events'))
    .select(({ fn }) => ['target_id', fn.min('at').as('since'), fn.countAll<number>().as('count')])
    .where('at', '>=', now - failuresMs)
    .groupBy('target_id')
    .orderBy('target_id')
    .limit(rowsMax)
    .execute();
  const names = await readNames(db, 'guardrails', { organizationId, ids: rows.map(({ target_id }) => target_id) });
  // A deleted guardrail fails no more.
  return rows.flatMap(({ target_id: id, since, count }) => {
    const name = names.get(id);
    if (name === undefined) return [];
    return [
      {
        kind: 'guardrail_fails',
        ...{ targetKind: 'guardrail', targetId: id, targetName: name, method: 'Guardrails.Get' },
        ...{ since: timeText(Number(since)), detail: `${count} samples of failed checks` },
      } as const,
    ];
  });
}

const eventsMax = 1_000;

/** The platform's stops bind the organization as well. */
async function stops({ db, now }: ReadCall, organizationId: string): Promise<Item[]> {
  const rows = await db
    .selectFrom('stops')
    .select(['id', 'provider', 'model', 'reason', 'created_at', 'ends_at'])
    .where((where) => where.or([where('organization_id', 'is', null), where('organization_id', '=', organizationId)]))
    .where(openAt(now))
    .orderBy('id')
    .limit(rowsMax)
    .execute();
  return rows.map(({ id, provider, model, reason, created_at, ends_at }) => ({
    kind: 'stop',
    ...{ targetKind: 'stop', targetId: id, targetName: model ?? provider ?? 'direct keys', method: 'Stops.Get' },
    ...{ since: timeText(created_at), detail: reason },
    ...(ends_at !== null && { endsAt: timeText(ends_at) }),
  }));
}

/** One item for each budget. */
async function unconfirmed(call: ReadCall, organizationId: string): Promise<Item[]> {
  const { unsettled = [] } = await listUnconfirmed(call, { organizationId, pageSize: rowsMax });
  const byLimit = Map.groupBy(unsettled, ({ limitId = '' }) => limitOfCounter(limitId));
  return [...byLimit].map(([id, rows]) => ({
    kind: 'unconfirmed',
    ...{ targetKind: 'limit', targetId: id, targetName: rows[0]?.limitName ?? '', method: 'Budgets.ListUnsettled' },
    amountUsd: usdOfNano(rows.reduce((sum, { amountUsd = '0' }) => sum + BigInt(nanoOfUsd(amountUsd) ?? 0), 0n)),
  }));
}
