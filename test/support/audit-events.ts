// Events of an audit log, chained as the database writes them.
import { type AuditEvent, auditHash, chainStart } from '../../control-plane/store/audit-chain.ts';

type AuditEventValue = Pick<AuditEvent, 'action' | 'target_id'> &
  Partial<Omit<AuditEvent, 'after' | 'before'>> & { readonly before?: object; readonly after?: object };

/** @param previous the event before the first one; absent: they begin the log */
export function chained(reported: readonly AuditEventValue[], previous?: AuditEvent): AuditEvent[] {
  const events: AuditEvent[] = [];
  for (const { before, after, ...fields } of reported) {
    const last = events.at(-1) ?? previous;
    const revision = (last?.revision ?? 0) + 1;
    const content = {
      revision,
      at: Date.UTC(2026, 10, 22) + revision * 1000,
      organization_id: 'organization-1',
      actor_kind: 'person' as const,
      actor_id: 'person-1',
      from_address: '192.0.2.1',
      target_kind: 'virtual_key',
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
      ...fields,
    };
    const previousHash = last?.hash ?? chainStart;
    events.push({ ...content, previous_hash: previousHash, hash: auditHash(previousHash, content) });
  }
  return events;
}
