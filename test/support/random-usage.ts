// Random usage of an organization whose sums are folded, random questions about it, and what their results must equal.
import { deepStrictEqual, strictEqual } from 'node:assert';
import { sql } from 'kysely';
import { dayMs, hourMs, minuteMs } from '../../common/durations.ts';
import { reportTogether } from '../../control-plane/ledger/report.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { hourOf } from '../../control-plane/usage/hours.ts';
import { startOfUnit } from '../../control-plane/usage/levels.ts';
import { createUsageDays } from '../../control-plane/usage/partitions.ts';
import type { TaggedEventRow } from '../../control-plane/usage/tagged-event.ts';
import { readTotals, type TotalsQuestion, type UsageTotalRow } from '../../control-plane/usage/totals.ts';
import type { Random } from './access/random.ts';
import { change, insertOrganization, insertVirtualKey } from './stored-records.ts';
import { organizationId, usageEvent } from './usage-events.ts';

export const thisHour = hourOf(Date.now());
const clock = { monotonic: () => 0 };

/** As reports of proxies, in one transaction. */
export async function record(store: Store, events: readonly TaggedEventRow[]): Promise<void> {
  await createUsageDays({ store, clock }).ensureDays(events.map(({ day }) => day));
  await store.ledger((tx) =>
    reportTogether(tx, [{ events: events.map((row) => ({ row, charges: [], ordinal: undefined })) }]),
  );
}

const all = { groupBy: [], groupByMetadata: [], only: {}, models: undefined, metadata: {} } as const;
const unpaged = { orderBy: undefined, after: undefined, limit: 1000 } as const;

/** Of all usage by default. */
export function question(fields: Partial<TotalsQuestion> = {}): TotalsQuestion {
  const range = { organizationId, from: thisHour - 100 * dayMs, to: thisHour + hourMs };
  return { ...range, ...all, ...unpaged, ...fields };
}

/** The same totals, when nothing is folded. */
async function unfoldedTotals(store: Store, wanted: TotalsQuestion): Promise<readonly UsageTotalRow[]> {
  const folds = await store.snapshot((db) => db.selectFrom('usage_folds').selectAll().execute());
  await store.ledger(({ db }) => db.deleteFrom('usage_folds').execute());
  try {
    return await store.snapshot((db) => readTotals(db, wanted));
  } finally {
    if (folds.length > 0) await store.ledger(({ db }) => db.insertInto('usage_folds').values(folds).execute());
  }
}

export async function expectSameTotals(store: Store, wanted: TotalsQuestion): Promise<void> {
  const found = await store.snapshot((db) => readTotals(db, wanted));
  deepStrictEqual(found, await unfoldedTotals(store, wanted));
}

/** The totals of both organizations are the sums of their requests. @param more of the costs, beside the requests */
export async function expectTotalsOfRequests(
  store: Store,
  { from, to, more = 0n }: { readonly from: number; readonly to: number; readonly more?: bigint },
): Promise<void> {
  const { totals, requests } = await store.snapshot(async (db) => {
    const ofBoth = [];
    for (const id of [organizationId, otherId])
      ofBoth.push(...(await readTotals(db, question({ organizationId: id, from, to }))));
    const { rows } = await sql<{ count: number; cost: string }>`
      select cast(count(*) as bigint) as count, cast(coalesce(sum(cost), 0) as text) as cost
      from usage_events where at >= ${from} and at < ${to}`.execute(db);
    return { totals: ofBoth, requests: rows[0] };
  });
  strictEqual(
    totals.reduce((sum, { cost }) => sum + BigInt(cost), 0n),
    BigInt(requests?.cost ?? '0') + more,
  );
  strictEqual(
    totals.reduce((sum, one) => sum + one.requests, 0),
    requests?.count,
  );
}

const otherId = 'organization-2';

/** Two organizations, and keys with and without metadata. */
export async function prepare(store: Store): Promise<void> {
  await change(store, async (tx) => {
    await insertOrganization(tx);
    await insertOrganization(tx, { id: otherId });
    for (const id of ['Key-3', 'key-1', 'key_2'])
      await insertVirtualKey(tx, { id, metadata: id === 'key-1' ? '{"team":"a"}' : '{}' });
    return undefined;
  });
}

const thisMonth = startOfUnit('month', thisHour);
const lastMonth = startOfUnit('month', thisMonth - 1);
/** Few, because PostgreSQL makes a partition for each. */
const edges = [thisMonth - dayMs, Math.min(thisMonth, thisHour - dayMs), lastMonth - dayMs];

/** Of any hour of the last ones, and of days around the ends of months. */
export function randomEvent(random: Random): TaggedEventRow {
  const late = random.pick(edges) + random.below(24) * hourMs;
  return usageEvent({
    at: random.pick([thisHour, thisHour - random.below(30) * hourMs, late]) + random.below(minuteMs),
    organization_id: random.chance(0.1) ? otherId : organizationId,
    // Databases sort these in different orders.
    key_id: random.pick(['key-1', 'key_2', 'Key-3', 'kéy']),
    ai_system_id: random.pick([null, 'system-1']),
    person_id: random.pick([null, 'person-1', 'person-2']),
    project_person_id: random.pick([null, 'person-2']),
    model_asked: `${random.pick(['gpt-provider', 'claude'])}/${random.pick(['a', 'b', 'ä'])}`,
    cost: random.below(1_000_000_000_000),
    status: random.pick([200, 500]),
    shadow: random.chance(0.1) ? 1 : 0,
    ...(random.chance(0.2) && { tags: { feature: random.pick(['x', 'y']) } }),
  });
}

export function randomQuestion(random: Random): TotalsQuestion {
  const from = thisHour - random.below(75 * 24) * hourMs;
  const to = random.pick([thisHour + hourMs, from + (1 + random.below(50 * 24)) * hourMs]);
  const metadata = random.pick([{}, {}, { groupByMetadata: ['team', 'feature'] }, { metadata: { feature: 'x' } }]);
  return question({
    ...{ from: random.pick([from, startOfUnit('day', from), startOfUnit('month', from)]), to },
    groupBy: random.pick([
      [],
      ['key'],
      ['ai_system'],
      ['day'],
      ['hour'],
      ['model'],
      ['provider', 'day'],
      ['person', 'model'],
    ]),
    only: random.pick([{}, {}, { key: ['key_2', 'kéy'] }, { person: ['person-2'] }, { provider: ['claude'] }]),
    ...metadata,
  });
}
