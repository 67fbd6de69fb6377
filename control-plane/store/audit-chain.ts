// The hash chain of the audit log: each event's hash includes the previous event's hash, and the feed's row contains
// the last one. Changing, removing, inserting or reordering an event later breaks the chain from there on.
import { hash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { ChainPoint } from '../../common/audit-anchor.ts';
import type { Schema } from './schema.ts';

export type AuditEvent = Selectable<Schema['audit_events']>;
export type AuditContent = Omit<AuditEvent, 'hash' | 'previous_hash'>;

/** The previous hash of the first event. */
export const chainStart = '0'.repeat(64);

/**
 * SHA-256 in hexadecimal over the previous hash and the event's canonical JSON: the columns in alphabetical order
 * without white space, `before` and `after` as the stored texts.
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
  | { readonly intact: true; readonly events: number; readonly head: ChainPoint }
  /** The first inconsistent event. It, or an event before it, was tampered with. */
  | ({ readonly intact: false } & ChainFlaw);

export interface ChainFlaw {
  readonly revision: number;
  readonly reason: string;
}

export const beforeFirst: ChainPoint = { revision: 0, hash: chainStart };

/** Verifies the whole chain. Pass the database of one snapshot, so that no change happens in between. */
export async function verifyAuditChain(db: Kysely<Schema>): Promise<AuditVerdict> {
  let [reached, events] = [beforeFirst, 0];
  for (;;) {
    const slice = await verifySlice(db, reached, pageRows);
    if (slice.flaw !== undefined) return { intact: false, ...slice.flaw };
    reached = slice.reached;
    events += slice.events;
    if (slice.isEnd) return { intact: true, events, head: reached };
  }
}

export interface VerifiedSlice {
  /** The last verified event, or the start if there was none. */
  readonly reached: ChainPoint;
  readonly events: number;
  /** Whether the slice contains the newest event, and the feed's row agrees. */
  readonly isEnd: boolean;
  readonly flaw: ChainFlaw | undefined;
}

/**
 * Verifies up to `rows` events after a point that was verified before.
 * @param db of one snapshot; slices may come from different ones, because a chain only grows
 */
export async function verifySlice(db: Kysely<Schema>, from: ChainPoint, rows: number): Promise<VerifiedSlice> {
  let reached = from;
  const page = await readPage(db, from.revision, rows);
  for (const event of page) {
    const reason = flawOf(event, reached.hash, reached.revision);
    if (reason !== undefined) {
      return {
        reached,
        events: event.revision - from.revision,
        isEnd: true,
        flaw: { revision: event.revision, reason },
      };
    }
    reached = { revision: event.revision, hash: event.hash };
  }
  const events = page.length;
  if (events === rows) return { reached, events, isEnd: false, flaw: undefined };
  const feed = await db.selectFrom('feed').select(['audit_hash', 'revision']).executeTakeFirstOrThrow();
  const isWhole = feed.audit_hash === reached.hash && feed.revision === reached.revision;
  const flaw = isWhole
    ? undefined
    : { revision: Math.max(feed.revision, reached.revision), reason: 'the newest events are missing' };
  return { reached, events, isEnd: true, flaw };
}

/** The stored hashes of these revisions, as far as they exist. @param revisions at most 1000 */
export async function storedPoints(db: Kysely<Schema>, revisions: readonly number[]): Promise<readonly ChainPoint[]> {
  if (revisions.length === 0) return [];
  return await db
    .selectFrom('audit_events')
    .select(['revision', 'hash'])
    .where('revision', 'in', revisions)
    .orderBy('revision')
    .execute();
}

const pageRows = 1000;

/** In the order of their revisions. Pass the database of one snapshot. */
export async function* readAuditEvents(db: Kysely<Schema>, after = 0): AsyncIterable<AuditEvent> {
  let last = after;
  for (;;) {
    const page = await readPage(db, last, pageRows);
    yield* page;
    last = page.at(-1)?.revision ?? last;
    if (page.length < pageRows) return;
  }
}

function readPage(db: Kysely<Schema>, after: number, rows: number): Promise<AuditEvent[]> {
  return db
    .selectFrom('audit_events')
    .selectAll()
    .where('revision', '>', after)
    .orderBy('revision')
    .limit(rows)
    .execute();
}

function flawOf(event: AuditEvent, previousHash: string, previousRevision: number): string | undefined {
  // Every revision has exactly one event.
  if (event.revision !== previousRevision + 1) return 'an event before it is missing';
  if (event.previous_hash !== previousHash) return 'it is not chained to the event before it';
  if (event.hash !== auditHash(previousHash, event)) return 'its content was changed';
  return undefined;
}
