// Sums of usage over whole hours, grouped and narrowed as asked, from the sums by hour alone.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { selectsModel } from '../../catalog/model-selector.ts';
import type { Schema } from '../store/schema.ts';
import { hourSums } from './hours.ts';

/** What a sum can be of, as a value of a row. What is of none is the empty text. */
const dimensions = {
  ai_system: sql<string>`case when ai_system_id <> '' then ai_system_id else project_ai_system_id end`,
  person: sql<string>`case when person_id <> '' then person_id else project_person_id end`,
  key: sql<string>`key_id`,
  model: sql<string>`model_asked`,
  // Up to the first slash: what is left when all before it, which has no slash, is trimmed off.
  provider: sql<string>`substr(model_asked, 1, length(model_asked) - length(ltrim(model_asked, replace(model_asked, '/', ''))))`,
  day: sql<number>`hour - hour % 86400000`,
  hour: sql<number>`hour`,
} as const;

export type UsageDimension = keyof typeof dimensions;

/** Values of the dimensions that are grouped by, in their order. */
export type UsageGroup = readonly (string | number)[];

export interface TotalsQuestion {
  readonly organizationId: string;
  /** Start of the first hour. */
  readonly from: number;
  /** End of the last hour. */
  readonly to: number;
  readonly groupBy: readonly UsageDimension[];
  readonly only: UsageNarrowing;
  /** Names as they were recorded, from modelsUsed; undefined: all. */
  readonly models: readonly string[] | undefined;
  /** The group before the first one wanted. */
  readonly after: UsageGroup | undefined;
  readonly limit: number;
}

/** Of whom usage is. */
export type UsageNarrowing = Partial<
  Readonly<Record<'ai_system' | 'person' | 'key' | 'provider', string | undefined>>
>;

type Sums = Readonly<Record<Exclude<(typeof hourSums)[number], 'cost'>, number>>;

export interface UsageTotalRow extends Sums, Readonly<Partial<Record<UsageDimension, string | number>>> {
  /** Whole nano-dollars: over many windows beyond 2^53. */
  readonly cost: string;
}

/** In the order of the groups. Without groups: one row, also for nothing. */
export async function readTotals(
  db: Kysely<Schema>,
  question: TotalsQuestion,
): Promise<readonly UsageTotalRow[]> {
  const { groupBy, after, limit } = question;
  const conditions = conditionsOf(question);
  if (after !== undefined && groupBy.length > 0) {
    conditions.push(sql`(${sql.join(groupBy.map((name) => dimensions[name]))}) > (${sql.join(after)})`);
  }
  const groups = sql.join(groupBy.map((name) => dimensions[name]));
  const named = groupBy.map((name) => sql`${dimensions[name]} as ${sql.ref(name)}`);
  const { rows } = await sql<UsageTotalRow>`
    select ${sql.join([...named, ...sums])} from usage_hours where ${sql.join(conditions, sql` and `)}
    ${groupBy.length === 0 ? sql`` : sql`group by ${groups} order by ${groups}`} limit ${limit}`.execute(db);
  return rows;
}

const sums = hourSums.map((name) => {
  const type = sql.raw(name === 'cost' ? 'text' : 'bigint');
  return sql`cast(coalesce(sum(${sql.ref(name)}), 0) as ${type}) as ${sql.ref(name)}`;
});

type Range = Pick<TotalsQuestion, 'organizationId' | 'from' | 'to' | 'only'>;

/** The models that were used and that the selector selects, as they were recorded: dates and synonyms among their names. */
export async function modelsUsed(
  db: Kysely<Schema>,
  range: Range,
  selector: string,
): Promise<readonly string[]> {
  const conditions = conditionsOf({ ...range, models: undefined });
  // The databases have no pattern in common that tells upper from lower case, so globs are matched here.
  const { rows } = await sql<{ model: string }>`
    select distinct model_asked as model from usage_hours where ${sql.join(conditions, sql` and `)}`.execute(
    db,
  );
  return rows.map(({ model }) => model).filter((model) => selectsModel(selector, model));
}

function conditionsOf(question: Range & Pick<TotalsQuestion, 'models'>): RawBuilder<unknown>[] {
  const { organizationId, from, to, only, models } = question;
  const range = [sql`organization_id = ${organizationId}`, sql`hour >= ${from}`, sql`hour < ${to}`];
  const narrowed = (['ai_system', 'person', 'key', 'provider'] as const).flatMap((name) => {
    const value = only[name];
    return value === undefined ? [] : [sql`${dimensions[name]} = ${value}`];
  });
  if (models === undefined) return [...range, ...narrowed];
  return [
    ...range,
    ...narrowed,
    models.length === 0 ? sql`1 = 0` : sql`model_asked in (${sql.join(models)})`,
  ];
}
