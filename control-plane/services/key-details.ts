// What responses to reads of virtual keys have besides the key: names of its scope and creator, where it was last used,
// and this month's spend. Changes have none of it, so the audit log contains the key alone.
import type { Kysely } from 'kysely';
import { windowOf, windowStart } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import type { VirtualKey } from '../../proto/generated/gateway/v1/VirtualKey.ts';
import type { Schema } from '../store/schema.ts';
import { nextUnit } from '../usage/levels.ts';
import { present, readNames, readUsageNames } from '../usage/names.ts';
import { readTotals } from '../usage/totals.ts';
import { nameOfOrganization } from './limit-names.ts';
import type { ReadCall } from './method.ts';
import type { KeyRow } from './virtual-key-rows.ts';

type KeyDetails = Pick<VirtualKey, 'scopeName' | 'createdByName' | 'lastUsedFrom' | 'spendMonthUsd'>;

/** @param rows keys of one organization, at most a page */
export async function readDetails(
  call: Pick<ReadCall, 'db' | 'now'>,
  rows: readonly KeyRow[],
  { withSpend }: { readonly withSpend: boolean },
): Promise<(row: KeyRow) => KeyDetails> {
  const names = await namesOf(call.db, rows);
  const spend = withSpend ? await readSpend(call, rows) : undefined;
  return (row) => {
    const [scopeName, createdByName] = [names.get(row.scope_id), names.get(row.created_by)];
    return {
      ...(scopeName !== undefined && { scopeName }),
      ...(createdByName !== undefined && { createdByName }),
      ...lastUseOf(row),
      ...(spend !== undefined && { spendMonthUsd: usdOfNano(spend.get(row.id) ?? 0n) }),
    };
  };
}

function lastUseOf({ last_used_request: requestId, last_used_model: model, last_used_proxy: proxy }: KeyRow) {
  if (requestId === null || model === null) return {};
  return { lastUsedFrom: { requestId, model, proxy: proxy ?? '' } };
}

/** Names of scopes and creators by id. */
async function namesOf(db: Kysely<Schema>, rows: readonly KeyRow[]): Promise<ReadonlyMap<string, string>> {
  const organizationId = rows[0]?.organization_id;
  if (organizationId === undefined) return new Map();
  const scopesOf = (kind: KeyRow['scope_kind']) =>
    rows.filter(({ scope_kind }) => scope_kind === kind).map(({ scope_id }) => scope_id);
  const creators = rows.map(({ created_by }) => created_by);
  const { systems, people } = await readUsageNames(db, organizationId, {
    ...{ systems: scopesOf('ai_system'), people: [...scopesOf('person'), ...creators] },
  });
  // Operators of the platform create keys as well.
  const others = present(creators.filter((id) => !people.has(id)));
  const platforms = await readNames(db, 'people', { organizationId: null, ids: others });
  const isWhole = scopesOf('organization').length > 0;
  const own = isWhole ? [[organizationId, await nameOfOrganization(db, organizationId)] as const] : [];
  return new Map([...systems, ...people, ...platforms, ...own]);
}

/** Nano-dollars since the start of the month, by key. */
async function readSpend(
  { db, now }: Pick<ReadCall, 'db' | 'now'>,
  rows: readonly KeyRow[],
): Promise<ReadonlyMap<string, bigint>> {
  const organizationId = rows[0]?.organization_id;
  if (organizationId === undefined) return new Map();
  const from = windowStart(windowOf('month', now)) ?? 0;
  const none = { groupByMetadata: [], metadata: {}, models: undefined, orderBy: undefined, after: undefined };
  const sums = await readTotals(db, {
    ...{ organizationId, from, to: nextUnit('month', from), groupBy: ['key'], ...none },
    // Usage that a proxy reported for a foreign key must not be shown with it.
    ...{ only: { key: rows.map(({ id }) => id) }, limit: rows.length },
  });
  return new Map(sums.map(({ key, cost }) => [String(key), BigInt(cost)]));
}
