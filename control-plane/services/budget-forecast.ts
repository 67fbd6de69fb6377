// What budgets will have spent when their windows end, if usage continues as it was: the spent money, and the recorded
// usage of the same hours a day or a week before. Reads sums by hour, once for all budgets whose windows end together; of
// budgets of the whole organization the sums by model alone.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { canonicalSelector, isShadow, limitsModel } from '../../catalog/model-selector.ts';
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { ForecastBasis, LimitSubjectKind } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';
import { foldPositions } from '../usage/fold-position.ts';
import { subjectColumns } from '../usage/sources.ts';
import { isOneOf, selectRows, sumRowsMax } from '../usage/summed-rows.ts';

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

/**
 * By the budget's id. Budgets of routes and of shadow traffic have none, and those of keys and scopes have none if the
 * organization has too many sums to read.
 */
export async function forecastWindows(
  usage: RecordedUsage,
  questions: readonly ForecastQuestion[],
): Promise<ReadonlyMap<string, Forecast>> {
  const forecasts = new Map<string, Forecast>();
  const spans = Map.groupBy(
    questions.filter(({ model }) => model === null || !isOfRoute(model)),
    (question) => `${cycleOf(question.period)} ${question.endsAt} ${tableOf(usage, question)}`,
  );
  let rowsLeft = sumRowsMax;
  for (const together of spans.values()) {
    const [first] = together;
    if (first === undefined) continue;
    const span = spanUntil(first, usage.now);
    const table = tableOf(usage, first);
    const rows = table === 'models' ? 0 : await countRange(usage, span, tables[table].name);
    if (rows > rowsLeft) continue;
    rowsLeft -= rows;
    const bySubject = await readSubjects(usage, span, { table, ids: together.map(({ subjectId }) => subjectId) });
    for (const question of together) {
      const own = (bySubject.get(question.subjectId) ?? []).filter((row) => counts(question, row));
      forecasts.set(question.id, forecast(question, span, own));
    }
  }
  return forecasts;
}

/** Which sums have the usage of a budget's subject. */
type SumsTable = 'models' | 'subjects' | 'provider_keys';

function tableOf({ organizationId }: RecordedUsage, { subjectKind, subjectId }: ForecastQuestion): SumsTable {
  if (subjectKind === 'provider_key') return 'provider_keys';
  return subjectId === organizationId ? 'models' : 'subjects';
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
const tables = {
  subjects: { name: 'usage_hours', columns: subjectColumns },
  provider_keys: { name: 'usage_provider_key_hours', columns: ['provider_key_id'] },
} as const;

type SubjectTable = (typeof tables)[keyof typeof tables];
type SubjectColumns = SubjectTable['columns'];

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

/** The hours of two cycles and of the present. */
function rangeOf({ hour, cycle }: Span): { readonly from: number; readonly to: number } {
  return { from: hour - 2 * cycle, to: hour + hourMs };
}

function inRange({ organizationId }: RecordedUsage, span: Span): RawBuilder<unknown> {
  const { from, to } = rangeOf(span);
  return sql`organization_id = ${organizationId} and hour >= ${from} and hour < ${to}`;
}

async function countRange(usage: RecordedUsage, span: Span, table: SubjectTable['name']): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as bigint) as count from (
      select 1 from ${sql.table(table)} where ${inRange(usage, span)} limit ${sql.lit(sumRowsMax + 1)}) as counted`.execute(
    usage.db,
  );
  return Number(rows[0]?.count ?? 0);
}

interface Subjects {
  readonly table: SumsTable;
  readonly ids: readonly string[];
}

type SumsBySubject = ReadonlyMap<string | undefined, readonly SumsRow[]>;

async function readSubjects(usage: RecordedUsage, span: Span, { table, ids }: Subjects): Promise<SumsBySubject> {
  const { db, organizationId } = usage;
  if (table === 'models') {
    const range = { organizationId, ...rangeOf(span), unit: 'hour', owners: 'models', keys: undefined } as const;
    const question = { ...range, positions: await foldPositions(db, organizationId) };
    const selected = { key: ['hour', 'model_asked'], sums: ['cost'], where: [] } as const;
    const rows = await readSums(db, span, { from: sql`(${selectRows('hours', question, selected)})`, columns: [] });
    return new Map([[organizationId, rows]]);
  }
  const { name, columns } = tables[table];
  const isOne = sql.join(
    columns.map((column) => isOneOf(sql.ref(column), ids)),
    sql` or `,
  );
  const from = sql`(select * from ${sql.table(name)} where ${inRange(usage, span)} and (${isOne}))`;
  return groupBySubject(await readSums(db, span, { from, columns }), columns);
}

interface SumsSource {
  readonly from: RawBuilder<unknown>;
  readonly columns: SubjectColumns | readonly [];
}

async function readSums(
  db: Kysely<Schema>,
  { cycle, hour, partTo }: Span,
  { from: source, columns }: SumsSource,
): Promise<readonly SumsRow[]> {
  const from = hour - cycle;
  const groups = sql.join([...columns, 'model_asked'].map((column) => sql.ref(column)));
  const sum = (condition: RawBuilder<unknown>) =>
    sql`cast(coalesce(sum(case when ${condition} then cost else 0 end), 0) as bigint)`;
  const { rows } = await sql<SumsRow>`
    select ${groups}, model_asked as model,
      ${sum(sql`hour >= ${from} and hour < ${hour}`)} as cycle,
      ${sum(sql`hour = ${from}`)} as first,
      ${sum(sql`hour > ${from} and hour < ${partTo}`)} as part,
      ${sum(sql`hour = ${hour}`)} as present,
      cast(min(hour) as bigint) as since
    from ${source} as hours group by ${groups}`.execute(db);
  return rows;
}

function groupBySubject(rows: readonly SumsRow[], columns: SubjectColumns): SumsBySubject {
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
