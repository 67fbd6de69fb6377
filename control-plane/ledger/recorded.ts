// Sums the usage that was recorded in a budget's window before the window had a row in the ledger.
import { type Kysely, sql } from 'kysely';
import { isShadow, limitsModel } from '../../catalog/model-selector.ts';
import { windowEnd, windowStart } from '../../common/budget-window.ts';
import { countsTags } from '../store/limit-counting.ts';
import type { Schema } from '../store/schema.ts';
import { subjectColumns } from '../usage/sources.ts';
import { partsOf, plus } from './bounds.ts';
import type { BudgetWindow } from './budget.ts';
import { windowKey } from './matching.ts';

/**
 * Nano-dollars by windowKey. A budget without windows has no sum, because it counts from its creation on; nor has one that
 * counts tags, which the sums do not have.
 */
export async function readRecorded(
  db: Kysely<Schema>,
  windows: readonly BudgetWindow[],
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const part of partsOf(windows)) {
    const bounded = part.flatMap((window) => boundsOf(window) ?? []);
    if (bounded.length > 0) await addRecorded(db, bounded, sums);
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
  if (counting !== undefined && countsTags(counting)) return undefined;
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

async function addRecorded(db: Kysely<Schema>, bounded: readonly Bounded[], sums: Map<string, number>): Promise<void> {
  const list = sql.join(
    bounded.map(
      ({ window: { budget }, subject, from, to }, nth) =>
        sql`(${sql.lit(nth)}, ${budget.organizationId}, ${subject}, ${bigint(from)}, ${bigint(to)})`,
    ),
  );
  const columns = sql.join(subjectColumns.map((column) => sql.ref(`usage_hours.${column}`)));
  const most = Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<Recorded>`
    with requested (nth, organization, subject, since, until) as (values ${list})
    select requested.nth as nth, usage_hours.model_asked as model,
      cast(case when sum(usage_hours.cost) > ${bigint(most)} then ${bigint(most)} else sum(usage_hours.cost) end as bigint) as cost
    from requested join usage_hours on usage_hours.organization_id = requested.organization
      and usage_hours.hour >= requested.since and usage_hours.hour < requested.until and requested.subject in (${columns})
    group by requested.nth, usage_hours.model_asked`.execute(db);
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
