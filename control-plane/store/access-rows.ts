// The rows behind values of virtual keys, for the records of proxies: read by one statement, which is one snapshot, so
// that a resolve costs one round trip. Lists come as JSON, and are parsed by the shapes below, which also name the columns.
import { CompiledQuery, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { aList, aNumber, aString, at, orNull, type Shape, ShapeError } from '../../common/json-shape.ts';
import { readColumn } from './json-columns.ts';
import type { OrganizationsTable } from './organization-table.ts';
import { platformId } from './platform-id.ts';
import type { Position } from './position.ts';
import type { Schema } from './schema.ts';

type Row<Table extends keyof Schema, Column extends keyof Schema[Table]> = Readonly<
  Pick<Selectable<Schema[Table]>, Column & keyof Selectable<Schema[Table]>>
>;

export interface AccessKeyRow
  extends Row<
    'virtual_keys',
    | 'id'
    | 'organization_id'
    | 'scope_kind'
    | 'scope_id'
    | 'active'
    | 'ends_at'
    | 'allowed_models'
    | 'priority_class'
    | 'weight'
    | 'revision'
  > {
  /** SHA-256 of the value in hexadecimal. */
  readonly hash: string;
  readonly value_ends_at: number | null;
}

export type AccessScopeRow = Row<'ai_systems', 'id' | 'organization_id' | 'active' | 'allowed_models' | 'revision'>;
/** Without what only operators see. */
export type AccessOrganizationRow = Readonly<
  Omit<OrganizationsTable, 'name' | 'suspended_reason' | 'created_at' | 'slug'>
>;
export type AccessLimitRow = Row<
  'limits',
  | 'id'
  | 'organization_id'
  | 'subject_kind'
  | 'subject_id'
  | 'kind'
  | 'amount'
  | 'model'
  | 'period'
  | 'calendar'
  | 'counting'
>;
export type AccessProviderKeyRow = Row<
  'provider_keys',
  'id' | 'organization_id' | 'provider' | 'secret' | 'secret_version' | 'settings' | 'priority' | 'weight'
>;
export type AccessRecordKeyRow = Row<'record_keys', 'organization_id' | 'generation' | 'secret' | 'created_at'>;
export type AccessProviderRow = Row<
  'providers',
  | 'id'
  | 'organization_id'
  | 'name'
  | 'wire_format'
  | 'base_url'
  | 'key_form'
  | 'key_header'
  | 'models'
  | 'passed_fields'
  | 'created_at'
>;
export type AccessPriceRow = Row<'prices', 'id' | 'organization_id' | 'model' | 'prices'>;
export type AccessGuardrailRow = Row<
  'guardrails',
  | 'id'
  | 'organization_id'
  | 'name'
  | 'position'
  | 'stage'
  | 'action'
  | 'on_failure'
  | 'message'
  | 'ai_system_ids'
  | 'key_ids'
  | 'check_message'
  | 'secret'
  | 'secret_version'
  | 'revision'
>;
export type AccessRouteRow = Row<'routes', 'organization_id' | 'name' | 'body'>;
export type AccessStopRow = Row<
  'stops',
  'id' | 'organization_id' | 'provider' | 'model' | 'direct_keys' | 'reason' | 'ends_at'
>;
export type AccessCaptureKeyRow = Row<'capture_keys', 'organization_id' | 'generation' | 'public_key'>;
export type AccessCaptureRow = Row<
  'capture_settings',
  | 'id'
  | 'organization_id'
  | 'target_kind'
  | 'target_id'
  | 'ends_at'
  | 'sample_per_thousand'
  | 'retention_days'
  | 'side_bytes_max'
>;

/** In the order in which records contain them. */
export interface AccessRows {
  readonly position: Position;
  readonly keys: readonly AccessKeyRow[];
  readonly ai_systems: readonly AccessScopeRow[];
  readonly people: readonly (Omit<AccessScopeRow, 'organization_id'> & { readonly organization_id: string | null })[];
  readonly organizations: readonly AccessOrganizationRow[];
  /** Of keys, scopes, organizations, their provider keys and the platform; without soft and deleted ones. */
  readonly limits: readonly AccessLimitRow[];
  /** The enabled ones. */
  readonly provider_keys: readonly AccessProviderKeyRow[];
  readonly record_keys: readonly AccessRecordKeyRow[];
  /** Also the platform's. */
  readonly providers: readonly AccessProviderRow[];
  readonly prices: readonly AccessPriceRow[];
  /** The enabled ones. */
  readonly guardrails: readonly AccessGuardrailRow[];
  /** The active ones. */
  readonly routes: readonly AccessRouteRow[];
  /** Also the platform's; without ended ones. */
  readonly stops: readonly AccessStopRow[];
  /** The present ones. */
  readonly capture_keys: readonly AccessCaptureKeyRow[];
  /** Without ended ones. */
  readonly capture_settings: readonly AccessCaptureRow[];
}

type ListName = Exclude<keyof AccessRows, 'position'>;
type ListRow<Name extends ListName> = AccessRows[Name][number];
type ColumnShapes<Row> = { readonly [Column in keyof Row]-?: Shape<Row[Column]> };

export interface AccessRowsRequest {
  /** SHA-256 of key values in hexadecimal, each once. */
  readonly hashes: readonly string[];
  /** Keys of other organizations are left out. */
  readonly onlyOf: string | undefined;
  /** Milliseconds since 1970: what has ended by then is left out. */
  readonly now: number;
}

/** What the two databases write differently. */
export interface RowsDialect {
  /** A parameter for a list of texts… */
  texts(texts: readonly string[]): unknown;
  /** …and the table `wanted` of it, with the column `hash`. */
  textsTable(parameter: string): RawBuilder<unknown>;
  /** The name of the function that makes a JSON array of its arguments… */
  readonly jsonArray: string;
  /** …and of the one that makes it of rows. */
  readonly jsonRows: string;
  /** What the epoch consists of, as a JSON list of texts, and the rest of the query that reads it, from `feed` and others. */
  readonly epochParts: RawBuilder<string>;
  readonly epochSource: RawBuilder<unknown>;
  /** @throws StoreUnavailableError if the parts are not of the primary */
  epochOf(parts: readonly (string | null)[]): string;
}

/** A whole number that JSON contains without loss. */
const aWhole: Shape<number> = (value) => {
  if (!Number.isSafeInteger(value)) throw new ShapeError('must be a whole number below 2^53');
  return aNumber(value);
};

const aBit: Shape<0 | 1> = (value) => {
  if (value !== 0 && value !== 1) throw new ShapeError('must be 0 or 1');
  return value;
};

/**
 * A word of a column. Another version may have written one that this one does not know: the row's reader then has no name
 * for it, and the record contains none, which proxies refuse.
 */
function aStoredWord<Word extends string>(): Shape<Word> {
  return (value) => aString(value) as Word;
}

const scope: ColumnShapes<AccessScopeRow> = {
  ...{ id: aString, organization_id: aString, active: aBit, allowed_models: aString, revision: aWhole },
};

const shapes: { readonly [Name in ListName]: ColumnShapes<ListRow<Name>> } = {
  keys: {
    ...{ hash: aString, id: aString, organization_id: aString, scope_kind: aStoredWord(), scope_id: aString },
    ...{ active: aBit, ends_at: orNull(aWhole), value_ends_at: orNull(aWhole), allowed_models: aString },
    ...{ priority_class: aStoredWord(), weight: aWhole, revision: aWhole },
  },
  ai_systems: scope,
  people: { ...scope, organization_id: orNull(aString) },
  organizations: {
    ...{ id: aString, suspended: aBit, suspended_ends_at: orNull(aWhole), caller_provider_keys: aBit },
    ...{ hang_up: aStoredWord(), unknown_cost: aStoredWord(), model_aliases: aString },
    ...{ own_tool_egress: aBit, own_tool_execution: aBit, stored_responses: aBit, background_responses: aBit },
    ...{ safety_identifier: aBit, priced_options: aBit, request_days: aWhole, tag_names: aString },
    ...{ weight: aWhole, allowed_models: aString, revision: aWhole },
  },
  limits: {
    ...{ id: aString, organization_id: aString, subject_kind: aStoredWord(), subject_id: aString },
    ...{ kind: aStoredWord(), amount: aWhole, model: orNull(aString), period: orNull(aStoredWord()) },
    ...{ calendar: orNull(aString), counting: orNull(aString) },
  },
  provider_keys: {
    ...{ id: aString, organization_id: aString, provider: aString, secret: aString, secret_version: aWhole },
    ...{ settings: aString, priority: aWhole, weight: aWhole },
  },
  record_keys: { organization_id: aString, generation: aWhole, secret: aString, created_at: aWhole },
  providers: {
    ...{ id: aString, organization_id: orNull(aString), name: aString, wire_format: aStoredWord() },
    ...{ base_url: aString, key_form: aStoredWord(), key_header: orNull(aString), models: aString },
    ...{ passed_fields: aString, created_at: aWhole },
  },
  prices: { id: aString, organization_id: aString, model: aString, prices: aString },
  guardrails: {
    ...{ id: aString, organization_id: aString, name: aString, position: aWhole, stage: aStoredWord() },
    ...{ action: aStoredWord(), on_failure: aStoredWord(), message: aString, ai_system_ids: aString },
    ...{ key_ids: aString, check_message: aString, secret: orNull(aString), secret_version: aWhole },
    revision: aWhole,
  },
  routes: { organization_id: aString, name: aString, body: aString },
  stops: {
    ...{ id: aString, organization_id: orNull(aString), provider: orNull(aString), model: orNull(aString) },
    ...{ direct_keys: aBit, reason: aString, ends_at: orNull(aWhole) },
  },
  capture_keys: { organization_id: aString, generation: aWhole, public_key: aString },
  capture_settings: {
    ...{ id: aString, organization_id: aString, target_kind: aStoredWord(), target_id: aString, ends_at: aWhole },
    ...{ sample_per_thousand: aWhole, retention_days: aWhole, side_bytes_max: aWhole },
  },
};

interface Restriction {
  /** Absent: the table. */
  readonly from?: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  readonly orderBy: string;
}

/** Any value: only the text of the statement is used. */
const parameter = '';

const ofOwners = sql`organization_id in (select id from owners)`;
const scopes = sql`id in (select scope_id from found)`;

/** Which rows of each table, in which order. `owners` and `subjects` are of the statement. */
const restrictions: Readonly<Record<Exclude<ListName, 'keys'>, Restriction>> = {
  ai_systems: { where: scopes, orderBy: 'id' },
  people: { where: scopes, orderBy: 'id' },
  organizations: { where: sql`id in (select id from owners)`, orderBy: 'id' },
  limits: { where: sql`subject_id in (select id from subjects) and soft = 0 and deleted_at is null`, orderBy: 'id' },
  provider_keys: { where: sql`${ofOwners} and enabled = 1`, orderBy: 'priority, id' },
  record_keys: { where: ofOwners, orderBy: 'generation desc, organization_id' },
  providers: { from: alsoOfPlatform('providers'), where: sql`true`, orderBy: 'name' },
  prices: { where: ofOwners, orderBy: 'id' },
  guardrails: { where: sql`${ofOwners} and enabled = 1`, orderBy: 'position, id' },
  routes: { where: sql`${ofOwners} and active = 1`, orderBy: 'id' },
  stops: {
    from: alsoOfPlatform('stops'),
    where: sql`(ends_at is null or ends_at > ${parameter})`,
    orderBy: 'id',
  },
  capture_keys: { where: sql`${ofOwners} and replaced_at is null`, orderBy: 'organization_id' },
  capture_settings: { where: sql`${ofOwners} and ends_at > ${parameter}`, orderBy: 'id' },
};

/** In two parts, because PostgreSQL would read the whole table for `is null or in (…)`. */
function alsoOfPlatform(table: 'providers' | 'stops'): RawBuilder<unknown> {
  const rows = sql`select * from ${sql.table(table)}`;
  return sql`(${rows} where organization_id is null union all ${rows} where ${ofOwners}) as ${sql.ref(table)}`;
}

const listNames = Object.keys(shapes) as readonly ListName[];
/** The beginning of the statement, by which connections know that it comes again and again. */
export const accessRowsStatement = 'with found as materialized ';

export type ReadAccessRows = (request: AccessRowsRequest) => Promise<AccessRows>;

/** @returns reads the rows; it throws StoreUnavailableError and StoredJsonError */
export function accessRowsReader(db: Kysely<Schema>, dialect: RowsDialect): ReadAccessRows {
  // Building and compiling the statement would cost as much as running it, so that is done once for each form.
  const texts = { all: statement(dialect, 'all').compile(db).sql, bound: statement(dialect, 'bound').compile(db).sql };
  return async ({ hashes, onlyOf, now }) => {
    const [text, owner] = onlyOf === undefined ? [texts.all, []] : [texts.bound, [onlyOf]];
    const parameters = [dialect.texts(hashes), now, ...owner, now, now];
    const { rows } = await db.executeQuery<ReadRow>(CompiledQuery.raw(text, parameters));
    const [row] = rows;
    if (row === undefined) throw new Error('the feed has no row');
    return read(row, dialect);
  };
}

function read(row: ReadRow, dialect: RowsDialect): AccessRows {
  return {
    position: {
      epoch: dialect.epochOf(readColumn(row.epoch_parts, epochParts, 'the epoch')),
      revision: row.revision,
    },
    keys: listOf('keys', row),
    ai_systems: listOf('ai_systems', row),
    people: listOf('people', row),
    organizations: listOf('organizations', row),
    limits: listOf('limits', row),
    provider_keys: listOf('provider_keys', row),
    record_keys: listOf('record_keys', row),
    providers: listOf('providers', row),
    prices: listOf('prices', row),
    guardrails: listOf('guardrails', row),
    routes: listOf('routes', row),
    stops: listOf('stops', row),
    capture_keys: listOf('capture_keys', row),
    capture_settings: listOf('capture_settings', row),
  };
}

type ListTexts = Readonly<Record<ListName, string | null>>;

interface ReadRow extends ListTexts {
  readonly revision: number;
  readonly epoch_parts: string;
}

const epochParts = aList(orNull(aString));

/** Its parameters: the hashes, the time, the organization of a bound proxy, and the time twice again. */
function statement(dialect: RowsDialect, form: 'all' | 'bound'): RawBuilder<ReadRow> {
  const bound = form === 'all' ? sql`` : sql`and virtual_keys.organization_id = ${parameter}`;
  const keyColumns = sql.join(Object.keys(shapes.keys).map((name) => ofValue[name] ?? sql.ref(`virtual_keys.${name}`)));
  const lists = listNames.map((name) => {
    if (name === 'keys') return sql`(select ${listed(dialect, name, 'hash')} from found) as keys`;
    const { from = sql.table(name), where, orderBy } = restrictions[name];
    const rows = listed(dialect, name, orderBy);
    return sql`(select ${rows} from ${from} where ${where}) as ${sql.ref(name)}`;
  });
  return sql`${sql.raw(accessRowsStatement)}(
      select ${keyColumns} from ${dialect.textsTable(parameter)}
      join key_values on key_values.hash = wanted.hash
      join virtual_keys on virtual_keys.id = key_values.key_id
      where virtual_keys.revoked_at is null and (key_values.ends_at is null or key_values.ends_at > ${parameter}) ${bound}
    ), owners as (
      select distinct organization_id as id from found
    ), subjects as (
      select id from found union select scope_id from found union select id from owners union select ${sql.lit(platformId)}
      union select provider_keys.id from provider_keys where organization_id in (select id from owners)
    )
    select feed.revision, cast(${dialect.epochParts} as text) as epoch_parts, ${sql.join(lists)}
    from ${dialect.epochSource}`;
}

const ofValue: Readonly<Record<string, RawBuilder<unknown>>> = {
  hash: sql`key_values.hash`,
  value_ends_at: sql`key_values.ends_at as value_ends_at`,
};

/** The rows as text of a JSON list of lists, with the columns in the order of their shapes. */
function listed({ jsonArray, jsonRows }: RowsDialect, name: ListName, orderBy: string): RawBuilder<unknown> {
  const columns = sql.join(Object.keys(shapes[name]).map((column) => sql.ref(column)));
  return sql`cast(${sql.raw(jsonRows)}(${sql.raw(jsonArray)}(${columns}) order by ${sql.raw(orderBy)}) as text)`;
}

/** PostgreSQL makes null of no rows. */
function listOf<Name extends ListName>(name: Name, row: ListTexts): ListRow<Name>[] {
  const text = row[name];
  return text === null ? [] : readColumn(text, readers[name], `the list of ${name}`);
}

const readers: { readonly [Name in ListName]: Shape<ListRow<Name>[]> } = {
  keys: rowsOf(shapes.keys),
  ai_systems: rowsOf(shapes.ai_systems),
  people: rowsOf(shapes.people),
  organizations: rowsOf(shapes.organizations),
  limits: rowsOf(shapes.limits),
  provider_keys: rowsOf(shapes.provider_keys),
  record_keys: rowsOf(shapes.record_keys),
  providers: rowsOf(shapes.providers),
  prices: rowsOf(shapes.prices),
  guardrails: rowsOf(shapes.guardrails),
  routes: rowsOf(shapes.routes),
  stops: rowsOf(shapes.stops),
  capture_keys: rowsOf(shapes.capture_keys),
  capture_settings: rowsOf(shapes.capture_settings),
};

function rowsOf<Row>(columns: ColumnShapes<Row>): Shape<Row[]> {
  const entries = Object.entries(columns) as readonly (readonly [string, Shape<unknown>])[];
  const read = (values: unknown): Row => {
    if (!Array.isArray(values) || values.length !== entries.length)
      throw new ShapeError('must have a value per column');
    const row: Record<string, unknown> = {};
    for (const [index, [name, shape]] of entries.entries()) row[name] = at(name, shape, values[index]);
    return row as Row;
  };
  return (lists) => {
    if (!Array.isArray(lists)) throw new ShapeError('must be a list');
    return lists.map(read);
  };
}
