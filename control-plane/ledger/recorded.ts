// Sums the usage that was recorded in a budget's window before the window had a row in the ledger.
import { type Kysely, sql } from 'kysely';
import { isShadow, limitsModel } from '../../catalog/model-selector.ts';
import { windowEnd, windowStart } from '../../common/budget-window.ts';
import type { Schema } from '../store/schema.ts';
import { subjectColumns } from '../usage/sources.ts';
import { partsOf, plus } from './bounds.ts';
import { type BudgetWindow, countsEarlier } from './budget.ts';
import { windowKey } from './matching.ts';

/**
 * Nano-dollars by windowKey. A budget that counts from its creation on has no sum.
 */
export async function readRecorded(
  db: Kysely<Schema>,
  windows: readonly BudgetWindow[],
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const part of partsOf(windows)) {
    const bounded = part.flatMap((window) => boundsOf(window) ?? []);
    const [ofKeys, others] = [true, false].map((isOfKey) =>
      bounded.filter(({ window }) => (window.budget.subjectKind === 'provider_key') === isOfKey),
    );
    if (others?.length) await addRecorded(db, others, { sums, table: usageHours });
    if (ofKeys?.length) await addRecorded(db, ofKeys, { sums, table: keyHours });
  }
  return sums;
}

interface Bounded {
  readonly window: BudgetWindow;
  /** Of a counter of a virtual key: the key. */
  readonly subject: string;
  readonly from: number;
  readonly to: number;
}

function boundsOf(window: BudgetWindow): Bounded | undefined {
  const { counting, subjectId, value } = window.budget;
  if (!countsEarlier(window.budget)) return undefined;
  const subject = counting?.each === undefined ? subjectId : value;
  if (subject === undefined) return undefined;
  const from = windowStart(window.window);
  if (from === undefined) return undefined;
  const to = windowEnd(window.budget.period, from);
  return to === undefined ? undefined : { window, subject, from, to };
}

interface Recorded {
  readonly nth: number;
  readonly model: string;
  readonly cost: number;
}

interface HoursTable {
  readonly name: 'usage_hours' | 'usage_provider_key_hours';
  /** In one of them is the subject. */
  readonly subjects: readonly string[];
}

const usageHours: HoursTable = { name: 'usage_hours', subjects: subjectColumns };
const keyHours: HoursTable = { name: 'usage_provider_key_hours', subjects: ['provider_key_id'] };

interface Adding {
  readonly table: HoursTable;
  readonly sums: Map<string, number>;
}

async function addRecorded(db: Kysely<Schema>, bounded: readonly Bounded[], { table, sums }: Adding): Promise<void> {
  const list = sql.join(
    bounded.map(
      ({ window: { budget }, subject, from, to }, nth) =>
        sql`(${sql.lit(nth)}, ${budget.organizationId}, ${subject}, ${bigint(from)}, ${bigint(to)})`,
    ),
  );
  const columns = sql.join(table.subjects.map((column) => sql.ref(`hours.${column}`)));
  const most = Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<Recorded>`
    with requested (nth, organization, subject, since, until) as (values ${list})
    select requested.nth as nth, hours.model_asked as model,
      cast(case when sum(hours.cost) > ${bigint(most)} then ${bigint(most)} else sum(hours.cost) end as bigint) as cost
    from requested join ${sql.table(table.name)} as hours on hours.organization_id = requested.organization
      and hours.hour >= requested.since and hours.hour < requested.until and requested.subject in (${columns})
    group by requested.nth, hours.model_asked`.execute(db);
  for (const { nth, model, cost } of rows) {
    const window = bounded[nth]?.window;
    // Copies of requests are charged to budgets that are here already.
    if (window === undefined || isShadow(model)) continue;
    const { id, model: glob } = window.budget;
    if (glob !== null && !limitsModel(glob, model)) continue;
    const key = windowKey(id, window.window);
    sums.set(key, plus(sums.get(key) ?? 0, cost));
  }
}

/**
 * A parameter that both databases read as a whole number; in a list of values PostgreSQL reads a bare parameter as
 * text.
 */
function bigint(value: number) {
  return sql`cast(${value} as bigint)`;
}
