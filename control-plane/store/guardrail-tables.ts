// The tables of guardrails: a part of schema.ts, and the steps of migrations.ts that create them, under its rules.
import type { Guardrail } from '../../guardrails/definition.ts';
import type { MigratedDatabase } from './table-forms.ts';
import { resourceTable, uniqueName } from './table-forms.ts';

export interface GuardrailsTable {
  id: string;
  organization_id: string;
  name: string;
  enabled: 0 | 1;
  position: number;
  stage: Guardrail['stage'];
  action: Guardrail['action'];
  on_failure: Guardrail['onFailure'];
  message: string;
  ai_system_ids: string;
  /** Ids of virtual keys, as JSON. */
  key_ids: string;
  /** The contract's GuardrailCheck as JSON, with all its fields. */
  check_message: string;
  /** UTF-8 size of all its phrases and patterns. */
  text_bytes: number;
  /** Base64 of the sealed secret of a webhook, or of a service's credential as JSON. */
  secret: string | null;
  /** Counts the secrets written; authenticated by the seal. */
  secret_version: number;
  created_at: number;
  revision: number;
}

/** Samples of decisions that were recorded in the audit log. A proxy without a response sends its samples again. */
export interface GuardrailSamplesTable {
  id: string;
  recorded_at: number;
}

export async function createGuardrails(db: MigratedDatabase): Promise<void> {
  await resourceTable(db, 'guardrails')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('stage', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('on_failure', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('ai_system_ids', 'text', (column) => column.notNull())
    .addColumn('check_message', 'text', (column) => column.notNull())
    .addColumn('text_bytes', 'integer', (column) => column.notNull())
    .addColumn('secret', 'text')
    .addColumn('secret_version', 'integer', (column) => column.notNull())
    .execute();
  // An organization has few guardrails, so their order by position needs no index.
  await uniqueName(db, 'guardrails').execute();
  await db.schema
    .createTable('guardrail_samples')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('recorded_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('guardrail_samples_recorded').on('guardrail_samples').column('recorded_at').execute();
}

/** Adds guardrails of chosen keys, and marks guardrails' calls of models among the usage. */
export async function addGuardrailKeys(db: MigratedDatabase): Promise<void> {
  await db.schema
    .alterTable('guardrails')
    .addColumn('key_ids', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await db.schema.alterTable('usage_events').addColumn('guardrail_id', 'text').execute();
}
