// The table of requests, and the steps of migrations.ts that create it. In PostgreSQL each day is a partition, such as
// requests_20261127: usage/partitions.ts.
import { sql } from 'kysely';
import type { RequestResult } from '../../proto/words/requests.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** One request. Key: (organization_id, at, id). Columns are for filters and order; the rest is JSON. */
export interface RequestsTable {
  /** UUIDv7 that its proxy made: a row that is reported again is recorded once. */
  id: string;
  /** When the request arrived, by its proxy's clock, in milliseconds since 1970. */
  at: number;
  organization_id: string;
  key_id: string;
  ai_system_id: string | null;
  person_id: string | null;
  /** Usually the id; another one if the caller chose it. */
  request_id: string;
  result: RequestResult;
  error_code: string;
  provider: string;
  /** `<provider>/<model>` that was requested; empty if it is unknown. */
  model: string;
  route: string;
  /** Id of the limit or guardrail that decided; empty if none did. */
  decided_by: string;
  /** JSON: RequestSource of the contract. */
  source: string;
  /** JSON: RequestFacts of the contract, without what other columns have. */
  facts: string;
  /** See requests/tags-text.ts. */
  tags: string;
}

const textColumns = ['request_id', 'result', 'error_code', 'provider', 'model', 'route', 'decided_by'];

/** @param partitions whether days of the table are partitions */
export async function createRequests(db: MigratedDatabase, partitions: boolean): Promise<void> {
  await db.schema
    .alterTable('organizations')
    .addColumn('request_days', 'integer', (column) => column.notNull().defaultTo(30))
    .execute();
  let table = db.schema
    .createTable('requests')
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('ai_system_id', 'text')
    .addColumn('person_id', 'text');
  for (const name of [...textColumns, 'source', 'facts'])
    table = table.addColumn(name, 'text', (column) => column.notNull()) as typeof table;
  const keyed = table.addPrimaryKeyConstraint('requests_pkey', ['organization_id', 'at', 'id']);
  await (partitions ? keyed.modifyEnd(sql`partition by range (at)`) : keyed).execute();
  await db.schema
    .createIndex('requests_key')
    .on('requests')
    .columns(['organization_id', 'key_id', 'at', 'id'])
    .execute();
  // All others have the id of the row, which has its time: the key of the table finds them.
  await db.schema
    .createIndex('requests_request')
    .on('requests')
    .columns(['organization_id', 'request_id', 'at'])
    .where(sql<boolean>`request_id <> id`)
    .execute();
  // Members see the requests of their own keys.
  await db.schema
    .createIndex('requests_person')
    .on('requests')
    .columns(['organization_id', 'person_id', 'at', 'id'])
    .where(sql<boolean>`person_id is not null`)
    .execute();
}

export async function addRequestTags(db: MigratedDatabase): Promise<void> {
  await db.schema
    .alterTable('requests')
    .addColumn('tags', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
