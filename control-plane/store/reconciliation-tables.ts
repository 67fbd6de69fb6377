// The tables of bills and their comparisons: a part of schema.ts, and the steps of migrations.ts that create them,
// under its rules. Bills are stored by day, because vendors' documents are about days and an import replaces days.
import { sql } from 'kysely';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { BillDocument, BillReferenceKind, BillRowKind, BillVendor, DriftState } from '../../proto/words/money.ts';
import type { MigratedDatabase } from './table-forms.ts';

export interface ReconciliationTables {
  bill_days: BillDaysTable;
  bill_rows: BillRowsTable;
  bill_mappings: BillMappingsTable;
  reconcile_days: ReconcileDaysTable;
  reconcile_rows: ReconcileRowsTable;
  reconcile_settings: ReconcileSettingsTable;
  usage_adjustments: UsageAdjustmentsTable;
}

type Flag = 0 | 1;

/** A day of an account's document. Key: (organization_id, vendor, day, document, account). */
interface BillDaysTable {
  organization_id: string;
  vendor: BillVendor;
  /** A UTC day, such as "2026-11-20". */
  day: string;
  document: BillDocument;
  account: string;
  import_id: string;
  imported_at: number;
  /** Id of the person. */
  imported_by: string;
  rows: number;
  /** Whether the vendor's figures were final when they were imported. */
  final: Flag;
  /** Nano-dollars; null if the document reports no cost. */
  cost: number | null;
  /** SHA-256 over its rows: the same rows have the same digest under every account. */
  digest: string;
}

/** The rows of a day. Key: that of the day, and the row's index in it. */
interface BillRowsTable {
  organization_id: string;
  vendor: BillVendor;
  day: string;
  document: BillDocument;
  account: string;
  nth: number;
  /** JSON: [{kind, value}], most specific first. */
  refs: string;
  /** The vendor's name of the model. */
  model: string;
  kind: BillRowKind;
  tier: string;
  requests: number | null;
  /** JSON of the contract's UsageTokens in numbers; null if the document reports no tokens. */
  tokens: string | null;
  /** Nano-dollars; may be below zero. */
  cost: number | null;
}

/** The mapping of a vendor's reference. Key: (organization_id, vendor, kind, value). */
interface BillMappingsTable {
  organization_id: string;
  vendor: BillVendor;
  kind: BillReferenceKind;
  value: string;
  /** JSON: a list of ids. */
  provider_key_ids: string;
  /** For a model's name: `<provider>/<model>`. */
  model: string | null;
  ignored: Flag;
  created_at: number;
  revision: number;
}

/** The comparison of a vendor's day. Key: (organization_id, vendor, day). */
interface ReconcileDaysTable {
  organization_id: string;
  vendor: BillVendor;
  day: string;
  /** Grows with every change of the comparison's inputs. A comparison that began before is not written. */
  version: number;
  /** The version of the newest comparison; 0 if there was none. */
  compared_version: number;
  /** When the day is to be compared next; null if nothing is to be done. */
  due_at: number | null;
  compared_at: number | null;
  preliminary: Flag;
  compared: number;
  agreed: number;
  /** Nano-dollars, like the following; null if no document reports a cost. */
  billed: number | null;
  ledger: number;
  adjusted: number;
  ignored: number;
  drift: number;
  unexplained: number;
}

/** A difference beyond the bound. Key: (organization_id, id). */
export interface ReconcileRowsTable {
  organization_id: string;
  /** Made from the attributes of the difference. */
  id: string;
  vendor: BillVendor;
  day: string;
  /** JSON: a list of ids, or of references if none is mapped. */
  provider_key_ids: string;
  refs: string;
  /** `<provider>/<model>`, or the vendor's name. */
  model: string;
  /** The name by which it is compared, without a provider. */
  name: string;
  kind: BillRowKind;
  /** Nano-dollars; null if the difference is that of tokens. */
  billed: number | null;
  ledger: number;
  /** Billed cost (or the value of the billed tokens) less ledger cost. */
  drift: number;
  /** Sum of this row's adjustments. */
  adjusted: number;
  /** JSON of the contract's UsageTokens in numbers. */
  billed_tokens: string | null;
  ledger_tokens: string;
  billed_requests: number | null;
  ledger_requests: number;
  /** JSON: [{code, amount, detail}]. */
  reasons: string;
  unexplained: number;
  state: DriftState;
  first_seen_at: number;
  compared_at: number;
  /** The last reported difference; null if none was reported yet. */
  told_drift: number | null;
}

/** Entries that settle differences: recorded as usage of their own kind, or accepted. */
interface UsageAdjustmentsTable {
  id: string;
  organization_id: string;
  drift_id: string;
  vendor: BillVendor;
  day: string;
  /** The start of the day. */
  at: number;
  /** Empty if the reference was not mapped; then `refs` contains the reference. */
  provider_key_id: string;
  refs: string;
  /** `<provider>/<model>`, as in usage; empty if it is of no model. */
  model: string;
  /** The name by which differences are compared. */
  name: string;
  kind: BillRowKind;
  /** Nano-dollars; may be below zero. */
  amount: number;
  booked: Flag;
  subject_kind: LimitSubjectKind;
  subject_id: string;
  /** Ids of the subject, as in usage. */
  key_id: string;
  ai_system_id: string;
  person_id: string;
  reason: string;
  author_id: string;
  /** JSON: the charged windows, [[budget, window]]. */
  windows: string;
  undoes: string | null;
  undone_by: string | null;
  created_at: number;
  revision: number;
}

/** Key: organization_id. Without a row the defaults apply. */
interface ReconcileSettingsTable {
  organization_id: string;
  /** In hundredths of a percent. */
  bound_percent: number;
  /** Nano-dollars. */
  bound: number;
  revision: number;
}

/** Adds the provider key with which a request was sent. */
export async function addProviderKeyOfUsage(db: MigratedDatabase): Promise<void> {
  await db.schema.alterTable('usage_events').addColumn('provider_key_id', 'text').execute();
}

export async function createReconciliation(db: MigratedDatabase): Promise<void> {
  await createBills(db);
  await createComparisons(db);
  await createAdjustments(db);
}

const dayKey = ['organization_id', 'vendor', 'day'] as const;

async function createBills(db: MigratedDatabase): Promise<void> {
  await ofDay(db, 'bill_days')
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('import_id', 'text', (column) => column.notNull())
    .addColumn('imported_at', 'bigint', (column) => column.notNull())
    .addColumn('imported_by', 'text', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('final', 'integer', (column) => column.notNull())
    .addColumn('cost', 'bigint')
    .addColumn('digest', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('bill_days_pkey', [...dayKey, 'document', 'account'])
    .execute();
  await db.schema.createIndex('bill_days_day').on('bill_days').column('day').execute();
  await ofDay(db, 'bill_rows')
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('nth', 'bigint', (column) => column.notNull())
    .addColumn('refs', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('tier', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint')
    .addColumn('tokens', 'text')
    .addColumn('cost', 'bigint')
    .addPrimaryKeyConstraint('bill_rows_pkey', [...dayKey, 'document', 'account', 'nth'])
    .execute();
  await db.schema
    .createTable('bill_mappings')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('provider_key_ids', 'text', (column) => column.notNull())
    .addColumn('model', 'text')
    .addColumn('ignored', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('bill_mappings_pkey', ['organization_id', 'vendor', 'kind', 'value'])
    .execute();
}

function ofDay(db: MigratedDatabase, name: 'bill_days' | 'bill_rows' | 'reconcile_days') {
  return db.schema
    .createTable(name)
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull());
}

async function createComparisons(db: MigratedDatabase): Promise<void> {
  let days = ofDay(db, 'reconcile_days')
    .addColumn('due_at', 'bigint')
    .addColumn('compared_at', 'bigint')
    .addColumn('billed', 'bigint')
    .addColumn('preliminary', 'integer', (column) => column.notNull());
  for (const name of [
    'version',
    'compared_version',
    'compared',
    'agreed',
    'ledger',
    'adjusted',
    'ignored',
    'drift',
    'unexplained',
  ])
    days = days.addColumn(name, 'bigint', (column) => column.notNull());
  await days.addPrimaryKeyConstraint('reconcile_days_pkey', [...dayKey]).execute();
  // The periodic task looks every few seconds for the few days that are due, among all days ever.
  await db.schema
    .createIndex('reconcile_days_due')
    .on('reconcile_days')
    .column('due_at')
    .where(sql<boolean>`due_at is not null`)
    .execute();
  await createDifferences(db);
}

async function createDifferences(db: MigratedDatabase): Promise<void> {
  let rows = db.schema
    .createTable('reconcile_rows')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull());
  for (const name of [
    'vendor',
    'day',
    'provider_key_ids',
    'refs',
    'model',
    'name',
    'kind',
    'ledger_tokens',
    'reasons',
    'state',
  ])
    rows = rows.addColumn(name, 'text', (column) => column.notNull());
  for (const name of ['ledger', 'drift', 'adjusted', 'ledger_requests', 'unexplained', 'first_seen_at', 'compared_at'])
    rows = rows.addColumn(name, 'bigint', (column) => column.notNull());
  await rows
    .addColumn('billed', 'bigint')
    .addColumn('billed_tokens', 'text')
    .addColumn('billed_requests', 'bigint')
    .addColumn('told_drift', 'bigint')
    .addPrimaryKeyConstraint('reconcile_rows_pkey', ['organization_id', 'id'])
    .execute();
  await db.schema
    .createIndex('reconcile_rows_day')
    .on('reconcile_rows')
    .columns(['organization_id', 'day', 'id'])
    .execute();
  // After each comparison the periodic task looks for differences that were not reported yet.
  await db.schema
    .createIndex('reconcile_rows_untold')
    .on('reconcile_rows')
    .columns(['organization_id', 'vendor', 'day'])
    .where(sql<boolean>`told_drift is null`)
    .execute();
}

async function createAdjustments(db: MigratedDatabase): Promise<void> {
  let table = db.schema
    .createTable('usage_adjustments')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey());
  const texts = ['organization_id', 'drift_id', 'vendor', 'day', 'provider_key_id', 'refs', 'model', 'name', 'kind'];
  const ofSubject = ['subject_kind', 'subject_id', 'key_id', 'ai_system_id', 'person_id'];
  for (const name of [...texts, ...ofSubject, 'reason', 'author_id', 'windows'])
    table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of ['at', 'amount', 'created_at', 'revision'])
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table
    .addColumn('booked', 'integer', (column) => column.notNull())
    .addColumn('undoes', 'text')
    .addColumn('undone_by', 'text')
    .execute();
  await db.schema
    .createIndex('usage_adjustments_day')
    .on('usage_adjustments')
    .columns(['organization_id', 'day', 'at', 'id'])
    .execute();
  await db.schema
    .createTable('reconcile_settings')
    .addColumn('organization_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('bound_percent', 'bigint', (column) => column.notNull())
    .addColumn('bound', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
}
