// The table of audit events, and the step of migrations.ts that adds the indexes of its filters.
import type { MigratedDatabase } from './table-forms.ts';

export const actorKinds = ['person', 'bootstrap', 'system', 'virtual_key'] as const;
export type ActorKind = (typeof actorKinds)[number];

export interface AuditEventsTable {
  revision: number;
  at: number;
  organization_id: string | null;
  actor_kind: ActorKind;
  actor_id: string;
  from_address: string;
  action: string;
  target_kind: string;
  target_id: string;
  before: string | null;
  after: string | null;
  previous_hash: string;
  hash: string;
}

/** Each filter reads one index in the order of the list, so that a page costs a page of rows. */
export async function addAuditFilters(db: MigratedDatabase): Promise<void> {
  for (const column of ['actor_id', 'action', 'target_kind'] as const) {
    await db.schema
      .createIndex(`audit_events_${column}`)
      .on('audit_events')
      .columns(['organization_id', column, 'revision'])
      .execute();
  }
  // Finds the revisions between two times.
  await db.schema
    .createIndex('audit_events_at')
    .on('audit_events')
    .columns(['organization_id', 'at', 'revision'])
    .execute();
}
