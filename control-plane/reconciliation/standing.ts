// The state of bills and ledger over all organizations, for metrics. It is read from the results of comparisons.
import { type Kysely, sql } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { dayMs } from '../../common/durations.ts';
import type { DriftState } from '../../proto/words/money.ts';
import type { Schema } from '../store/schema.ts';
import { finalAt } from './documents.ts';

export const openStates = ['preliminary', 'unexplained', 'explained'] as const satisfies readonly DriftState[];
export type OpenState = (typeof openStates)[number];

export interface Standing {
  /** Differences that are neither settled nor gone, by state. */
  readonly drift: Readonly<Record<OpenState, { readonly rows: number; readonly nano: number }>>;
  /** Days that are final at the vendor but have no final import, of documents that were imported lately. */
  readonly missingDays: number;
  readonly daysPending: number;
}

/** A document without an import for this long is no longer expected. */
const givenUpDays = 35;

export async function readStanding(db: Kysely<Schema>, now: number): Promise<Standing> {
  const sums = await db
    .selectFrom('reconcile_rows')
    .select(['state'])
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    // Over all organizations: imports of a few of them must not make a sum that the database cannot store.
    .select(sql<number>`sum(cast(abs(drift - adjusted) as double precision))`.as('nano'))
    .where('state', '<>', 'settled')
    .groupBy('state')
    .execute();
  const of = (state: OpenState) => {
    const found = sums.find((row) => row.state === state);
    return { rows: Number(found?.rows ?? 0), nano: Number(found?.nano ?? 0) };
  };
  const { count } = await db
    .selectFrom('reconcile_days')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('compared_version', '<>', 'version')
    .executeTakeFirstOrThrow();
  return {
    drift: { preliminary: of('preliminary'), unexplained: of('unexplained'), explained: of('explained') },
    missingDays: await countMissing(db, now),
    daysPending: Number(count),
  };
}

async function countMissing(db: Kysely<Schema>, now: number): Promise<number> {
  const imported = await db
    .selectFrom('bill_days')
    .select(['document'])
    .select(({ fn }) => fn.min('day').as('first'))
    .select(({ fn }) => fn.sum<number>('final').as('final'))
    .where('day', '>=', dayOf(now - givenUpDays * dayMs))
    .groupBy(['organization_id', 'vendor', 'document', 'account'])
    .execute();
  return imported.reduce((missing, { document, first, final }) => {
    const since = finalAt(document, first);
    const wanted = now < since ? 0 : Math.floor((now - since) / dayMs) + 1;
    return missing + Math.max(0, wanted - Number(final));
  }, 0);
}
