// The tables of virtual keys and their values, and the step of migrations.ts that adds the last use of a key and the
// index by which its spend is read.
import type { PriorityClass, ScopeKind } from '../../proto/words/access.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** Names are unique among an organization's keys that are not revoked. */
export interface VirtualKeysTable {
  id: string;
  organization_id: string;
  scope_kind: ScopeKind;
  scope_id: string;
  name: string;
  active: 0 | 1;
  ends_at: number | null;
  revoked_at: number | null;
  allowed_models: string;
  metadata: string;
  /** Unique within the organization unless null. */
  client_request_id: string | null;
  /** SHA-256 of the creating request, to distinguish a repetition from a conflict. */
  request_hash: string | null;
  created_at: number;
  created_by: string;
  last_used_at: number | null;
  revision: number;
  /** The hint of a revoked key's newest value, because its values are deleted. */
  last_hint: string;
  priority_class: PriorityClass;
  /** Of its slots among the organization's keys; 100 is usual. */
  weight: number;
  /** Of the use at `last_used_at`; null if an earlier version recorded it. */
  last_used_request: string | null;
  last_used_model: string | null;
  /** Null also for a session that the ledger does not know. */
  last_used_proxy: string | null;
}

/** Values of virtual keys by SHA-256 of the value in hexadecimal. A revoked key has none. */
export interface KeyValuesTable {
  hash: string;
  key_id: string;
  hint: string;
  /** Null for the newest value; for a rotated one, the time from which it is not found any more. */
  ends_at: number | null;
  created_at: number;
}

/** The index finds the hours of some keys of an organization that has many. */
export async function addKeyUse(db: MigratedDatabase): Promise<void> {
  // SQLite adds one column at a time.
  for (const column of ['last_used_request', 'last_used_model', 'last_used_proxy'])
    await db.schema.alterTable('virtual_keys').addColumn(column, 'text').execute();
  await db.schema.createIndex('usage_hours_key').on('usage_hours').columns(['key_id', 'hour']).execute();
}
