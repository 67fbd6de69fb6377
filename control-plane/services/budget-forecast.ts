// What budgets will have spent when their windows end, if usage continues as it was: the spent money, and the recorded
// usage of the same hours a day or a week before. Reads sums by hour, once for all budgets whose windows end together.
import { type Kysely, sql } from 'kysely';
import { canonicalSelector, isShadow, limitsModel } from '../../catalog/model-selector.ts';
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { ForecastBasis, LimitSubjectKind } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';
import { subjectColumns } from '../usage/sources.ts';

/** A current window with an end. */
export interface ForecastQuestion {
  readonly id: string;
  readonly subjectKind: LimitSubjectKind;
  readonly subjectId: string;
  /** Null for all models. */
  readonly model: string | null;
  readonly period: BudgetPeriod;
  /** In nano-dollars. */
  readonly spent: number;
  /** In milliseconds since 1970, after the present. */
  readonly endsAt: number;
}

export interface Forecast {
  /** In nano-dollars. */
  readonly spent: number;
  readonly basis: ForecastBasis;
}

/** The recorded usage of an organization, at a time. */
interface RecordedUsage {
  readonly db: Kysely<Schema>;
  readonly organizationId: string;
  readonly now: number;
}

/** Whether the budget's usage is in the sums by hour. */
export function isSummedByHour({
  subjectKind,
  model,
  counting,
}: Pick<ForecastQuestion, 'subjectKind' | 'model'> & { readonly counting: string | null }): boolean {
  return counting === null && subjectKind !== 'platform' && (model === null || !isOfRoute(model));
}

/** By the budget's id. Budgets of routes and of shadow traffic have none. */
export async function forecastWindows(
  usage: RecordedUsage,
  questions: readonly ForecastQuestion[],
): Promise<ReadonlyMap<string, Forecast>> {
  const forecasts = new Map<string, Forecast>();
  const spans = Map.groupBy(
    questions.filter(({ model }) => model === null || !isOfRoute(model)),
    ({ period, endsAt, subjectKind }) => `${cycleOf(period)} ${endsAt} ${subjectKind === 'provider_key'}`,
  );
  for (const together of spans.values()) {
    const [first] = together;
    if (first === undefined) continue;
    const span = spanUntil(first, usage.now);
    const columns = first.subjectKind === 'provider_key' ? keyColumns : subjectColumns;
    const bySubject = groupBySubject(await readSums(usage, span, columns), columns);
    for (const question of together) {
      const rows = (bySubject.get(question.subjectId) ?? []).filter((row) => counts(question, row));
      forecasts.set(question.id, forecast(question, span, rows));
    }
  }
  return forecasts;
}

/** Whether a selector selects requests by their route, or copies of requests. */
export function isOfRoute(selector: string): boolean {
  return isShadow(selector) || selector.startsWith('route/');
}

/** The time after which usage is expected to repeat. */
function cycleOf(period: BudgetPeriod): number {
  return period === 'hour' || period === 'day' ? dayMs : 7 * dayMs;
}

interface Span {
  readonly cycle: number;
  readonly basis: ForecastBasis;
  /** The hour that is not over yet. */
  readonly hour: number;
  readonly now: number;
  /** From now to the end of the windows. */
  readonly rest: number;
  /** How often the whole cycle fits into the rest. */
  readonly times: number;
  /** The end of the hours, a cycle ago, that correspond to what remains beside whole cycles. */
  readonly partTo: number;
}

function spanUntil({ period, endsAt }: ForecastQuestion, now: number): Span {
  const cycle = cycleOf(period);
  const rest = endsAt - now;
  const times = Math.floor(rest / cycle);
  return {
    ...{ cycle, now, rest, times },
    basis: cycle === dayMs ? 'last_day' : 'last_week',
    hour: Math.floor(now / hourMs) * hourMs,
    partTo: now + rest - (times + 1) * cycle,
  };
}

/** What provider keys cost is summed in a table of its own. */
const keyColumns = ['provider_key_id'] as const;

type SubjectColumns = typeof subjectColumns | typeof keyColumns;

/** Nano-dollars of one source of usage. */
interface SumsRow extends Readonly<Partial<Record<SubjectColumns[number], string>>> {
  readonly model: string;
  /** Of the last cycle of whole hours. */
  readonly cycle: number;
  /** Of the first hour of that cycle. */
  readonly first: number;
  /** Of its further hours before `partTo`. */
  readonly part: number;
  /** Of the hour that is not over yet. */
  readonly present: number;
  /** The first hour with usage in the last two cycles. */
  readonly since: number;
}

async function readSums(
  { db, organizationId }: RecordedUsage,
  span: Span,
  subjects: SubjectColumns,
): Promise<readonly SumsRow[]> {
  const { cycle, hour, partTo } = span;
  const from = hour - cycle;
  const table = sql.table(subjects === keyColumns ? 'usage_provider_key_hours' : 'usage_hours');
  const columns = sql.join(subjects.map((column) => sql.ref(column)));
  const sum = (condition: ReturnType<typeof sql>) =>
    sql`cast(coalesce(sum(case when ${condition} then cost else 0 end), 0) as bigint)`;
  const { rows } = await sql<SumsRow>`
    select ${columns}, model_asked as model,
      ${sum(sql`hour >= ${from} and hour < ${hour}`)} as cycle,
      ${sum(sql`hour = ${from}`)} as first,
      ${sum(sql`hour > ${from} and hour < ${partTo}`)} as part,
      ${sum(sql`hour = ${hour}`)} as present,
      cast(min(hour) as bigint) as since
    from ${table}
    where organization_id = ${organizationId} and hour >= ${from - cycle} and hour <= ${hour}
    group by ${columns}, model_asked`.execute(db);
  return rows;
}

function groupBySubject(
  rows: readonly SumsRow[],
  columns: SubjectColumns,
): ReadonlyMap<string | undefined, readonly SumsRow[]> {
  const groups = new Map<string | undefined, SumsRow[]>();
  for (const row of rows) {
    // A subject may be in two columns: a key's and its project's scope may be the same.
    for (const subject of new Set(columns.map((column) => row[column]))) {
      const group = groups.get(subject);
      if (group === undefined) groups.set(subject, [row]);
      else group.push(row);
    }
  }
  return groups;
}

function counts({ model: selector }: ForecastQuestion, { model }: SumsRow): boolean {
  if (isShadow(model)) return false;
  return selector === null || limitsModel(canonicalSelector(selector), model);
}

function forecast({ spent }: ForecastQuestion, span: Span, rows: readonly SumsRow[]): Forecast {
  const total = (column: 'cycle' | 'first' | 'part' | 'present') => rows.reduce((sum, row) => sum + row[column], 0);
  const { hour, now, rest, times } = span;
  const since = Math.min(...rows.map((row) => row.since));
  if (since <= hour - span.cycle || rows.length === 0) {
    // Of the first hour of the cycle only the part counts that is still ahead in the present one.
    const ahead = Math.min(hour + hourMs - now, rest - times * span.cycle) / hourMs;
    const more = times * total('cycle') + total('part') + total('first') * ahead;
    return { spent: whole(spent + more), basis: span.basis };
  }
  const used = total('cycle') + total('present');
  return { spent: whole(spent + (used * rest) / Math.max(hourMs, now - since)), basis: 'mean' };
}

/** Corrections can make usage negative. */
export function whole(nano: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(nano)));
}
