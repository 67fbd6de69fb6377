// The audit log's hash chain: each event's hash covers the hash of the event before it, and the feed's row holds the end.
// Whoever changes, removes, adds or reorders an event after the fact breaks the chain from there on.
import { hash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Schema } from './schema.ts';

export type AuditEvent = Selectable<Schema['audit_events']>;
export type AuditContent = Omit<AuditEvent, 'hash' | 'previous_hash'>;

/** What the first event is chained to. */
export const chainStart = '0'.repeat(64);

/**
 * SHA-256 in hexadecimal over the previous hash and the event's canonical JSON: the columns in alphabetical order without
 * white space, `before` and `after` as the texts that are stored.
 */
export function auditHash(previousHash: string, event: AuditContent): string {
  const canonical = JSON.stringify({
    action: event.action,
    actor_id: event.actor_id,
    actor_kind: event.actor_kind,
    after: event.after,
    at: event.at,
    before: event.before,
    from_address: event.from_address,
    organization_id: event.organization_id,
    revision: event.revision,
    target_id: event.target_id,
    target_kind: event.target_kind,
  });
  return hash('sha256', previousHash + canonical, 'hex');
}

export type AuditVerdict =
  | { readonly intact: true; readonly events: number }
  /** The first event that does not fit: it, or what stood before it, was tampered with. */
  | { readonly intact: false; readonly revision: number; readonly reason: string };

const pageRows = 1000;

/** Walks the whole chain. Give it the database of one snapshot, so that no change comes in between. */
export async function verifyAuditChain(db: Kysely<Schema>): Promise<AuditVerdict> {
  let previousHash = chainStart;
  let revision = 0;
  let events = 0;
  for await (const event of readAuditEvents(db)) {
    const reason = flawOf(event, previousHash, revision);
    if (reason !== undefined) return { intact: false, revision: event.revision, reason };
    previousHash = event.hash;
    revision = event.revision;
    events++;
  }
  const feed = await db.selectFrom('feed').select(['audit_hash', 'revision']).executeTakeFirstOrThrow();
  if (feed.audit_hash !== previousHash || feed.revision !== revision) {
    return { intact: false, revision: feed.revision, reason: 'the newest events are missing' };
  }
  return { intact: true, events };
}

/** In the order of their revisions. Give it the database of one snapshot. */
export async function* readAuditEvents(db: Kysely<Schema>, after = 0): AsyncIterable<AuditEvent> {
  let last = after;
  for (;;) {
    const page = await readPage(db, last);
    yield* page;
    last = page.at(-1)?.revision ?? last;
    if (page.length < pageRows) return;
  }
}

function readPage(db: Kysely<Schema>, after: number): Promise<AuditEvent[]> {
  return db
    .selectFrom('audit_events')
    .selectAll()
    .where('revision', '>', after)
    .orderBy('revision')
    .limit(pageRows)
    .execute();
}

function flawOf(event: AuditEvent, previousHash: string, previousRevision: number): string | undefined {
  // Every revision has exactly one event.
  if (event.revision !== previousRevision + 1) return 'an event before it is missing';
  if (event.previous_hash !== previousHash) return 'it is not chained to the event before it';
  if (event.hash !== auditHash(previousHash, event)) return 'its content was changed';
  return undefined;
}
