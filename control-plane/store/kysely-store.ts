// The store over either database. A Backend contains the differences between SQLite and PostgreSQL.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { backoffMs } from '../../common/backoff.ts';
import { accessRowsReader, type RowsDialect } from './access-rows.ts';
import { type AuditEvent, auditHash } from './audit-chain.ts';
import { epochChange, type LastChange, noteEpoch, readLineage } from './epochs.ts';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import type { Position } from './position.ts';
import type { Schema } from './schema.ts';
import type {
  Change,
  ChangeContext,
  ChangesPage,
  ChangeTransaction,
  InsertRows,
  Invalidation,
  LedgerTransaction,
  Reclaim,
  RowLocks,
  Store,
  Unchanged,
} from './store.ts';

export interface Backend {
  readonly reads: Kysely<Schema>;
  /** For the feed, its heartbeats and other reads of proxies, which never wait for operators' reads. */
  readonly proxyReads: Kysely<Schema>;
  /** Changes wait for each other, so if connections are pooled they have their own and never delay reads. */
  readonly changes: Kysely<Schema>;
  /** For ledger transactions, which wait for each other by organization and budget. */
  readonly ledger: Kysely<Schema>;
  readonly locks: RowLocks;
  readonly insertRows: InsertRows;
  readonly features: DatabaseFeatures;
  readonly rowsDialect: RowsDialect;
  /** The database's clock, in milliseconds. */
  now(): RawBuilder<number>;
  /** The newest position that the given transaction sees. */
  position(db: Kysely<Schema>): Promise<Position>;
  /** The position and the database's clock, in one query. */
  instant(db: Kysely<Schema>): Promise<{ readonly now: number; readonly position: Position }>;
  /** Notifies the other processes when the transaction commits. */
  ring(tx: Transaction<Schema>): Promise<void>;
  /** Whether the database rolled the transaction back because of others, so that it may succeed when run again. */
  mayRunAgain(error: unknown): boolean;
  /** See Store. */
  whyNotWritable(): Promise<string | undefined>;
  onNotification(ring: () => void): void;
  /** Sends a reclaim request to the other processes; it may be lost. */
  reclaim(reclaim: Reclaim): Promise<void>;
  /** Calls the listener for reclaim requests of other processes. */
  onReclaim(listener: (reclaim: Reclaim) => void): void;
  close(): Promise<void>;
}

/** @param onAuditEvent called with each event once its change is committed */
export function createKyselyStore(
  backend: Backend,
  onAuditEvent: (event: AuditEvent) => void = () => undefined,
): Store {
  const listeners = new Set<() => void>();
  const ringHere = () => {
    for (const notify of listeners) notify();
  };
  backend.onNotification(ringHere);
  const reclaimed = new Set<(reclaim: Reclaim) => void>();
  const reclaimHere = (reclaim: Reclaim) => {
    for (const listener of reclaimed) listener(reclaim);
  };
  backend.onReclaim(reclaimHere);
  const forProxies: Store['snapshot'] = (work) => snapshot(backend, backend.proxyReads, work);
  const change: Store['change'] = (context, work) => runChange({ backend, ringHere, onAuditEvent }, context, work);
  return {
    features: backend.features,
    change,
    snapshot: (work) => snapshot(backend, backend.reads, work),
    snapshotForProxies: forProxies,
    accessRows: accessRowsReader(backend.proxyReads, backend.rowsDialect),
    position: () => backend.position(backend.proxyReads),
    changesAfter: (revision, rows) => forProxies((db, position) => readChanges(db, position, revision, rows)),
    positionAgo: (ageMs) => forProxies((db, position) => positionAgo(backend, db, position, ageMs)),
    startNewEpoch: (present) =>
      change({ actor: { kind: 'system', id: 'control-plane' }, from: '', action: 'Feed.StartNewEpoch' }, (tx) =>
        startNewEpoch(backend, tx, present),
      ),
    epochChange: (since, isBelieved) => runLedger(backend, (tx) => epochChange(tx, since, isBelieved)),
    whyNotWritable: () => backend.whyNotWritable(),
    lineage: () => runLedger(backend, readLineage),
    onNotification: (notify) => void listeners.add(notify),
    ledger: (work) => runLedger(backend, work),
    reclaim: (reclaim) => {
      reclaimHere(reclaim);
      return backend.reclaim(reclaim);
    },
    onReclaim: (listener) => void reclaimed.add(listener),
    close: () => backend.close(),
  };
}

function snapshot<T>(
  backend: Pick<Backend, 'position'>,
  reads: Kysely<Schema>,
  work: (db: Kysely<Schema>, position: Position) => Promise<T>,
): Promise<T> {
  return reads
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (db) => work(db, await backend.position(db)));
}

const runsMax = 5;
const againBackoff = { firstMs: 10, maxMs: 200 };

interface ChangeDeps {
  readonly backend: Backend;
  ringHere(): void;
  onAuditEvent(event: AuditEvent): void;
}

async function runChange<T>(
  { backend, ringHere, onAuditEvent }: ChangeDeps,
  context: ChangeContext,
  work: (tx: ChangeTransaction) => Promise<Change<T> | Unchanged<T>>,
): Promise<T> {
  try {
    const { result, event } = await inRuns(backend, () => runChangeOnce(backend, context, work));
    onAuditEvent(event);
    ringHere();
    return result;
  } catch (error) {
    if (error instanceof NothingChanged) return error.result as T;
    throw error;
  }
}

function runLedger<T>(backend: Backend, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  return inRuns(backend, () =>
    backend.ledger
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (db) => {
        const { now, position } = await backend.instant(db);
        const { insertRows, locks } = backend;
        return work({ db, now, epoch: position.epoch, locks, insertRows });
      }),
  );
}

/** Runs a transaction, and runs it again if the database rolled it back because of others. */
async function inRuns<T>(backend: Backend, transaction: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await transaction();
    } catch (error) {
      if (run === runsMax || !backend.mayRunAgain(error)) throw error;
      await sleep(backoffMs(run, againBackoff));
    }
  }
}

/** Thrown within a transaction to roll it back without an error. */
class NothingChanged extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('nothing changed');
    this.result = result;
  }
}

function runChangeOnce<T>(
  backend: Backend,
  context: ChangeContext,
  work: (tx: ChangeTransaction) => Promise<Change<T> | Unchanged<T>>,
): Promise<{ readonly result: T; readonly event: AuditEvent }> {
  // The feed's row is locked first. With read committed, the following statements see everything that was committed
  // before.
  return backend.changes
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (db) => {
      const feed = await db
        .updateTable('feed')
        .set((column) => ({ revision: column('revision', '+', 1) }))
        .returning(['revision', 'audit_hash', 'epoch', 'epoch_revision', backend.now().as('now')])
        .executeTakeFirstOrThrow();
      const { locks, insertRows } = backend;
      const tx = { db, locks, insertRows, revision: feed.revision, now: feed.now };
      const outcome = await work(tx);
      if ('unchanged' in outcome) throw new NothingChanged(outcome.unchanged);
      await recordInvalidations(tx, outcome);
      const epoch = await noteEpochOf(backend, tx, { ...feed, revision: feed.revision - 1 });
      const event = await recordAuditEvent({ ...tx, epoch }, feed.audit_hash, context, outcome);
      await backend.ring(db);
      return { result: outcome.result, event };
    });
}

// The rows of one insert: PostgreSQL accepts 65,535 parameters, SQLite 32,766.
const insertRowsMax = 1000;

async function recordInvalidations(tx: ChangeTransaction, change: Change<unknown>): Promise<void> {
  // If a change names a record twice, the last state counts.
  const byRecord = new Map<string, Invalidation>();
  for (const invalidation of change.invalidations) {
    byRecord.set(`${invalidation.kind} ${invalidation.ref}`, invalidation);
  }
  const rows = Array.from(byRecord.values(), ({ kind, ref, state }) => ({
    revision: tx.revision,
    kind,
    ref,
    // The organization whose bound proxies get the invalidation. A change of the platform's may concern many.
    organization_id: kind === 'organization' ? ref : (change.organizationId ?? null),
    state,
    at: tx.now,
  }));
  for (let from = 0; from < rows.length; from += insertRowsMax) {
    await tx.db
      .insertInto('changes')
      .values(rows.slice(from, from + insertRowsMax))
      .execute();
  }
}

async function recordAuditEvent(
  tx: ChangeTransaction & { readonly epoch: string },
  previousHash: string,
  context: ChangeContext,
  change: Change<unknown>,
): Promise<AuditEvent> {
  const content = {
    revision: tx.revision,
    at: tx.now,
    organization_id: change.organizationId ?? null,
    actor_kind: context.actor.kind,
    actor_id: context.actor.id,
    from_address: context.from,
    action: change.action ?? context.action,
    target_kind: change.target.kind,
    target_id: change.target.id,
    before: change.before === undefined ? null : JSON.stringify(change.before),
    after: change.after === undefined ? null : JSON.stringify(change.after),
  };
  const event = { ...content, previous_hash: previousHash, hash: auditHash(previousHash, content) };
  await tx.db.insertInto('audit_events').values(event).execute();
  await tx.db
    .updateTable('feed')
    .set({ audit_hash: event.hash, epoch: tx.epoch, epoch_revision: tx.revision })
    .execute();
  return event;
}

/**
 * @returns the epoch of this change. If it is the first change of its epoch, the epoch is recorded with the position
 * that it continues.
 */
async function noteEpochOf(
  backend: Pick<Backend, 'position'>,
  { db }: ChangeTransaction,
  lastChange: LastChange,
): Promise<string> {
  const { epoch } = await backend.position(db);
  if (epoch !== lastChange.epoch) await noteEpoch({ db, epoch }, lastChange);
  return epoch;
}

async function readChanges(
  db: Kysely<Schema>,
  position: Position,
  revision: number,
  rows: number,
): Promise<ChangesPage> {
  const { pruned_revision: prunedRevision } = await db
    .selectFrom('feed')
    .select('pruned_revision')
    .executeTakeFirstOrThrow();
  if (revision >= position.revision) return { changes: [], upTo: position.revision, position, prunedRevision };
  const lastOfPage = db
    .selectFrom('changes')
    .select('revision')
    .where('revision', '>', revision)
    .orderBy('revision')
    .limit(1)
    .offset(rows - 1)
    .as('last_of_page');
  const last = await db.selectFrom(lastOfPage).select('revision').executeTakeFirst();
  const upTo = last?.revision ?? position.revision;
  const found = await db
    .selectFrom('changes')
    .select(['revision', 'kind', 'ref', 'state', 'organization_id as organizationId'])
    .where('revision', '>', revision)
    .where('revision', '<=', upTo)
    .orderBy('revision')
    .execute();
  return { changes: found, upTo, position, prunedRevision };
}

async function positionAgo(backend: Backend, db: Kysely<Schema>, position: Position, ageMs: number): Promise<Position> {
  // The audit log has a row for every revision, but no index by time. Invalidations have one, and an earlier position
  // works as well.
  const { revision } = await db
    .selectFrom('feed')
    .select((column) => [
      'pruned_revision',
      column
        .selectFrom('changes')
        .select('revision')
        .where('at', '<=', (time) => time(backend.now(), '-', ageMs))
        .orderBy('at', 'desc')
        .orderBy('revision', 'desc')
        .limit(1)
        .as('then'),
    ])
    .executeTakeFirstOrThrow()
    .then((row) => ({ revision: Math.max(row.pruned_revision, row.then ?? 0) }));
  return { epoch: position.epoch, revision };
}

async function startNewEpoch(
  backend: Pick<Backend, 'position'>,
  tx: ChangeTransaction,
  present: string,
): Promise<Change<void> | Unchanged<void>> {
  // Another replica has already started one.
  if ((await backend.position(tx.db)).epoch !== present) return { unchanged: undefined };
  await tx.db.updateTable('feed').set({ incarnation: randomUUID() }).execute();
  const { epoch } = await backend.position(tx.db);
  // The new epoch continues nothing: commits of the old one after the database went back cannot be distinguished from
  // lost ones.
  await noteEpoch({ ...tx, epoch }, 'lost');
  return {
    result: undefined,
    organizationId: undefined,
    target: { kind: 'feed', id: 'feed' },
    invalidations: [],
  };
}
