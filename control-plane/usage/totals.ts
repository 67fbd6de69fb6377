// Sums of usage over whole hours, grouped and filtered by the request, from sums only: see summed-rows.ts. Usage with
// metadata is also in sums of its own; the rest of all usage has none.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { UsageDimension, UsageOrder } from '../../proto/words/money.ts';
import { CallError } from '../rpc/errors.ts';
import type { Schema } from '../store/schema.ts';
import type { FoldSource } from '../store/usage-sums-tables.ts';
import { foldPositions } from './fold-position.ts';
import { hourSums } from './hours.ts';
import { countRows, isOneOf, type RowsQuestion, selectRows, sumRowsMax } from './summed-rows.ts';
import type { Metadata } from './tagged-event.ts';

/** Without `shadow/`, because copies of requests are sent to the provider of their model. */
const servedModel = sql<string>`case when substr(model_asked, 1, 7) = 'shadow/' then substr(model_asked, 8) else model_asked end`;

/** The dimensions of a sum, as an expression over a row. A missing id is the empty string. */
const dimensions = {
  ai_system: sql<string>`case when ai_system_id <> '' then ai_system_id else project_ai_system_id end`,
  person: sql<string>`case when person_id <> '' then person_id else project_person_id end`,
  key: sql<string>`key_id`,
  model: sql<string>`model_asked`,
  // The text before the first slash. `ltrim` with all other characters leaves the text from that slash on, whose length
  // is subtracted.
  provider: sql<string>`substr(${servedModel}, 1, length(${servedModel}) - length(ltrim(${servedModel}, replace(${servedModel}, '/', ''))))`,
  day: sql<number>`hour - hour % 86400000`,
  hour: sql<number>`hour`,
} as const satisfies Record<UsageDimension, unknown>;

/** Values of the dimensions that are grouped by, in their order. */
export type UsageGroup = readonly (string | number)[];

export interface TotalsQuestion {
  readonly organizationId: string;
  /** Start of the first hour. */
  readonly from: number;
  /** End of the last hour. */
  readonly to: number;
  readonly groupBy: readonly UsageDimension[];
  /** Names of metadata, after the dimensions. */
  readonly groupByMetadata: readonly string[];
  readonly only: UsageNarrowing;
  /** Recorded names, from modelsUsed; undefined for all. */
  readonly models: readonly string[] | undefined;
  /** Only usage whose key had all of these. */
  readonly metadata: Metadata;
  /** Undefined: by the groups. */
  readonly orderBy: UsageOrder | undefined;
  /** The position before the first requested row. */
  readonly after: TotalsPosition | undefined;
  readonly limit: number;
}

/** A row of the totals by its group, and by the sum that the rows are ordered by, if any. */
export interface TotalsPosition {
  readonly group: UsageGroup;
  /** A whole number as text. */
  readonly sum: string | undefined;
}

const narrowed = ['ai_system', 'person', 'key', 'provider'] as const;

/** Whose usage is summed: any of the values; undefined for all. */
export type UsageNarrowing = Partial<Readonly<Record<(typeof narrowed)[number], readonly string[] | undefined>>>;

type Sums = Readonly<Record<Exclude<(typeof hourSums)[number], 'cost'>, number>>;

export interface UsageTotalRow extends Sums, Readonly<Partial<Record<UsageDimension, string | number>>> {
  /** Whole nano-dollars, as text, because over many windows they may exceed 2^53. */
  readonly cost: string;
  /** Values of the metadata that is grouped by, in its order; empty if the key had none. */
  readonly metadata: readonly string[];
}

/**
 * In the order of the groups. Without groups there is always one row, even without usage.
 * @throws CallError too_wide
 */
export async function readTotals(db: Kysely<Schema>, given: TotalsQuestion): Promise<readonly UsageTotalRow[]> {
  const rowsQuestion = await rowsQuestionOf(db, given);
  const sources = sourcesOf(given);
  await expectFew(db, rowsQuestion, sources);
  const question = { ...given, rowsQuestion };
  const { groupBy, groupByMetadata, limit } = question;
  const isBySet = groupByMetadata.length > 0;
  const ofDimensions = groupBy.map((name) => (isBySet ? sql.ref<string | number>(name) : dimensions[name]));
  const values = groupByMetadata.map((_, nth) => sql.ref(columnOf(nth)));
  const groups = [...ofDimensions, ...values];
  const named = [...groupBy.map((name, nth) => sql`${ofDimensions[nth]} as ${sql.ref(name)}`), ...values];
  const { past, order } = orderOf(question, sql.join(groups));
  const grouped =
    groups.length === 0
      ? sql``
      : sql`group by ${sql.join(groups)} having ${sql.join([isSomething, ...past], sql` and `)} order by ${order}`;
  const { rows } = await sql<UsageTotalRow>`
    select ${sql.join([...named, ...sums])} from ${isBySet ? valuesOf(question) : hoursOf(question)} as hours
    ${grouped} limit ${limit}`.execute(db);
  return isBySet ? rows.map((row) => withMetadata(row, groupByMetadata)) : rows;
}

const orderSums = {
  cost: sql`sum(cost)`,
  requests: sql`sum(requests)`,
  tokens: sql`sum(prompt_tokens + completion_tokens)`,
  failed_requests: sql`sum(failed_requests)`,
} as const satisfies Record<UsageOrder, unknown>;

/** The sum that a row is ordered by, as text. */
export function orderSumOf(row: UsageTotalRow, orderBy: UsageOrder): string {
  switch (orderBy) {
    case 'cost':
      return row.cost;
    case 'requests':
      return String(row.requests);
    case 'tokens':
      return String(row.prompt_tokens + row.completion_tokens);
    case 'failed_requests':
      return String(row.failed_requests);
  }
}

function orderOf({ orderBy, after }: TotalsQuestion, groups: RawBuilder<unknown>) {
  const later = after && sql`(${groups}) > (${sql.join(after.group)})`;
  if (orderBy === undefined) return { past: later === undefined ? [] : [later], order: groups };
  const sum = orderSums[orderBy];
  const order = sql`${sum} desc, ${groups}`;
  if (after === undefined) return { past: [], order };
  const value = sql`cast(${after.sum ?? '0'} as numeric)`;
  return { past: [sql`(${sum} < ${value} or (${sum} = ${value} and ${later}))`], order };
}

/**
 * A group without usage is left out: usage without metadata is a difference, which may be zero. A correction has a cost
 * but no request.
 */
const isSomething = sql`(sum(requests) > 0 or sum(cost) <> 0)`;

function columnOf(nth: number): string {
  return `metadata_${nth}`;
}

/** With what the rows of sums are found by. */
type FoundQuestion = TotalsQuestion & { readonly rowsQuestion: RowsQuestion };

/**
 * The sums by set, with the values of the sets. They are summed by set first, and each value is a look-up by the whole key:
 * PostgreSQL makes a join of thousands of new sets in time that grows with their square, until it has statistics.
 */
function valuesOf(question: FoundQuestion): RawBuilder<unknown> {
  const { groupBy, groupByMetadata, organizationId } = question;
  const own = groupBy.map((name) => sql`${dimensions[name]} as ${sql.ref(name)}`);
  const bySet = [...groupBy.map((name) => dimensions[name]), sql.ref('metadata_set')];
  const values = groupByMetadata.map(
    (name, nth) => sql`coalesce((
      select value from usage_metadata where organization_id = ${organizationId}
      and set_id = summed.metadata_set and name = ${name}), '') as ${sql.ref(columnOf(nth))}`,
  );
  return sql`(
    select summed.*, ${sql.join(values)} from (
      select ${sql.join([...own, sql.ref('metadata_set'), ...wholeSums])} from ${hoursOf(question)} as hours
      group by ${sql.join(bySet)}
    ) as summed)`;
}

function withMetadata(row: UsageTotalRow, names: readonly string[]): UsageTotalRow {
  const values: Readonly<Record<string, unknown>> = { ...row };
  return { ...row, metadata: names.map((_, nth) => String(values[columnOf(nth)] ?? '')) };
}

/** The selected rows of sums, with sets of metadata if the request needs them. */
function hoursOf(question: FoundQuestion): RawBuilder<unknown> {
  const { groupByMetadata, metadata, organizationId, rowsQuestion } = question;
  const where = conditionsOf(question);
  const key = columnsOf(question.groupBy);
  const selected = { key, sums: hourSums, where };
  const wanted = Object.entries(metadata);
  if (wanted.length === 0 && groupByMetadata.length === 0) return sql`(${selectRows('hours', rowsQuestion, selected)})`;
  const ofSet = { ...selected, key: [...key, 'metadata_set'] };
  const ofSets = wanted.map(
    ([name, value]) => sql`metadata_set in (select set_id from usage_metadata
      where organization_id = ${organizationId} and name = ${name} and value = ${value})`,
  );
  if (wanted.length > 0) return sql`(${selectRows('sets', rowsQuestion, { ...ofSet, where: [...where, ...ofSets] })})`;
  const whole = [sql`'' as metadata_set`, ...hourSums.map((name) => sql.ref(name))];
  const less = [sql`'' as metadata_set`, ...hourSums.map((name) => sql`-${sql.ref(name)} as ${sql.ref(name)}`)];
  const keyed = key.map((name) => sql.ref(name));
  return sql`(
    select ${sql.join([...keyed, ...whole])} from (${selectRows('hours', rowsQuestion, selected)}) as whole
    union all ${selectRows('sets', rowsQuestion, ofSet)}
    union all select ${sql.join([...keyed, ...less])} from (${selectRows('sets', rowsQuestion, ofSet)}) as less)`;
}

const wholeSums = hourSums.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`);

const sums = hourSums.map((name) => {
  const type = sql.raw(name === 'cost' ? 'text' : 'bigint');
  return sql`cast(coalesce(sum(${sql.ref(name)}), 0) as ${type}) as ${sql.ref(name)}`;
});

type Range = Pick<TotalsQuestion, 'organizationId' | 'from' | 'to' | 'only'>;

/**
 * The used models, as they were recorded, including dated names and synonyms.
 * @throws CallError too_wide
 */
export async function modelsUsed(db: Kysely<Schema>, range: Range): Promise<readonly string[]> {
  const question = { ...range, groupBy: [], models: undefined };
  const found = await rowsQuestionOf(db, question);
  await expectFew(db, found, ['hours']);
  const sumsOf = ['requests', 'cost'] as const;
  const rowsOf = selectRows('hours', found, { key: ['model_asked'], sums: sumsOf, where: conditionsOf(question) });
  // The two databases share no pattern that is case-sensitive, so the caller matches globs.
  const { rows } = await sql<{ model: string }>`
    select model_asked as model from (${rowsOf}) as hours group by model_asked having ${isSomething}`.execute(db);
  return rows.map(({ model }) => model);
}

async function rowsQuestionOf(
  db: Kysely<Schema>,
  { organizationId, from, to, only, groupBy }: Range & Pick<TotalsQuestion, 'groupBy'>,
): Promise<RowsQuestion> {
  const unit = groupBy.includes('hour') ? 'hour' : groupBy.includes('day') ? 'day' : undefined;
  const isBy = (name: 'key' | 'ai_system' | 'person') => groupBy.includes(name) || only[name] !== undefined;
  return {
    ...{ organizationId, from, to, unit, keys: only.key },
    owners: isBy('key') ? 'keys' : isBy('ai_system') || isBy('person') ? 'scopes' : 'models',
    positions: await foldPositions(db, organizationId),
  };
}

/** The sources that a question reads, one of them twice if what has no metadata is a difference. */
function sourcesOf({ metadata, groupByMetadata }: TotalsQuestion): readonly FoldSource[] {
  if (Object.keys(metadata).length > 0) return ['sets'];
  return groupByMetadata.length > 0 ? ['hours', 'sets', 'sets'] : ['hours'];
}

/** @throws CallError too_wide */
async function expectFew(db: Kysely<Schema>, question: RowsQuestion, sources: readonly FoldSource[]): Promise<void> {
  if ((await countRows(db, question, sources)) <= sumRowsMax) return;
  const what = `this would read more than ${sumRowsMax} rows of sums`;
  throw new CallError('too_wide', `${what}; ${narrower(question)}`);
}

function narrower({ unit, owners, keys }: RowsQuestion): string {
  if (owners === 'models') return 'choose a shorter period';
  if (keys !== undefined) return 'name fewer keys, or choose a shorter period';
  if (unit === undefined)
    return 'let the period begin and end with a month or a day (UTC), choose a shorter one, or name keys';
  return `choose a shorter period, name keys, or leave out the ${unit}`;
}

/** The columns behind dimensions. */
const columnsBehind = {
  ai_system: ['ai_system_id', 'project_ai_system_id'],
  person: ['person_id', 'project_person_id'],
  key: ['key_id'],
  model: ['model_asked'],
  provider: ['model_asked'],
  day: ['hour'],
  hour: ['hour'],
} as const satisfies Record<UsageDimension, readonly string[]>;

function columnsOf(groupBy: readonly UsageDimension[]): readonly string[] {
  return [...new Set(groupBy.flatMap((name): readonly string[] => columnsBehind[name]))];
}

/** Beside the organization, the time and the keys. */
function conditionsOf({ only, models }: Pick<TotalsQuestion, 'only' | 'models'>): RawBuilder<unknown>[] {
  const given = narrowed.flatMap((name) => {
    const values = name === 'key' ? undefined : only[name];
    return values === undefined ? [] : [isOneOf(dimensions[name], values)];
  });
  return [...given, ...(models === undefined ? [] : [isOneOf(sql`model_asked`, models)])];
}
