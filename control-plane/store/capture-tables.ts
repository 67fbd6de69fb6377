// The tables of captures, and the step of migrations.ts that creates them: settings of owners, keys of organizations,
// sealed content, and people who may open it.
import type { CaptureSide, CaptureTargetKind } from '../../proto/words/captures.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** When and whose requests are captured. Of a row only end, purge and sums are ever changed. */
export interface CaptureSettingsTable {
  id: string;
  organization_id: string;
  target_kind: CaptureTargetKind;
  target_id: string;
  ends_at: number;
  /** When what it had kept was deleted, so that late reports are dropped; null: it was not. */
  purged_at: number | null;
  sample_per_thousand: number;
  retention_days: number;
  side_bytes_max: number;
  /** Sides that were kept so far, and their sealed bytes. */
  sides: number;
  bytes: number;
  /** The person. */
  created_by: string;
  created_at: number;
  revision: number;
}

/** One generation of an organization's key pair. Key: (organization_id, generation). */
export interface CaptureKeysTable {
  organization_id: string;
  /** Counts from 1; authenticated by the seal. */
  generation: number;
  /** Base64. */
  public_key: string;
  /** Base64 of the sealed private key. */
  secret: string;
  created_at: number;
  /** When proxies were to seal to another generation, or to none; null for the present one. */
  replaced_at: number | null;
}

/** One side of a request. Key: (organization_id, id, side). */
export interface CapturesTable {
  organization_id: string;
  /** Of the request's row: UUIDv7 that its proxy made. */
  id: string;
  side: CaptureSide;
  /** Usually the id; another one if the caller chose it. */
  request_id: string;
  key_id: string;
  setting_id: string;
  /** Of the organization's key to which it is sealed. */
  generation: number;
  /** When the request arrived, by its proxy's clock. */
  at: number;
  expires_at: number;
  /** Base64. */
  sealed: string;
}

/** A person who may open content. Key: (organization_id, person_id). */
export interface CaptureReadersTable {
  organization_id: string;
  person_id: string;
  granted_by: string;
  granted_at: number;
  ends_at: number;
}

/** A part of schema.ts. */
export interface CaptureTables {
  capture_settings: CaptureSettingsTable;
  capture_keys: CaptureKeysTable;
  captures: CapturesTable;
  capture_readers: CaptureReadersTable;
}

export async function createCaptures(db: MigratedDatabase): Promise<void> {
  await createSettings(db);
  await createKeys(db);
  await createContent(db);
  await db.schema
    .createTable('capture_readers')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('granted_by', 'text', (column) => column.notNull())
    .addColumn('granted_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('capture_readers_pkey', ['organization_id', 'person_id'])
    .execute();
  // People are deleted one at a time.
  await db.schema.createIndex('capture_readers_person').on('capture_readers').column('person_id').execute();
}

async function createSettings(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('capture_settings')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('target_kind', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('purged_at', 'bigint')
    .addColumn('sample_per_thousand', 'integer', (column) => column.notNull())
    .addColumn('retention_days', 'integer', (column) => column.notNull())
    .addColumn('side_bytes_max', 'integer', (column) => column.notNull())
    .addColumn('sides', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('capture_settings_organization')
    .on('capture_settings')
    .columns(['organization_id', 'id'])
    .execute();
}

async function createKeys(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('capture_keys')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('replaced_at', 'bigint')
    .addPrimaryKeyConstraint('capture_keys_pkey', ['organization_id', 'generation'])
    .execute();
}

async function createContent(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('captures')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('setting_id', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('captures_pkey', ['organization_id', 'id', 'side'])
    .execute();
  const indexes = {
    captures_request: ['organization_id', 'request_id', 'at'],
    captures_key: ['organization_id', 'key_id'],
    captures_setting: ['setting_id'],
    // Whether a generation is still needed.
    captures_generation: ['organization_id', 'generation'],
    captures_expiry: ['expires_at'],
  } as const;
  for (const [name, columns] of Object.entries(indexes))
    await db.schema
      .createIndex(name)
      .on('captures')
      .columns([...columns])
      .execute();
}
