// The only access to the database. A change, its revision, its invalidations and its audit event are one transaction;
// reads that must be consistent share one snapshot. SQLite and PostgreSQL behave the same behind it.
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { RecordKind, RecordState } from '../../proto/words/access.ts';
import type { ReadAccessRows } from './access-rows.ts';
import type { ActorKind } from './audit-table.ts';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import type { Position } from './position.ts';
import type { Schema } from './schema.ts';

export interface Store {
  readonly features: DatabaseFeatures;
  /**
   * Runs a change. The feed's row is locked first, so changes run one after another and commit in the order of their
   * revisions. If the database rolls the transaction back, the work runs again from the start, so it must have no
   * effect outside the transaction.
   * @throws any error of the work (nothing is then written), NameTakenError, or StoreUnavailableError
   */
  change<T>(context: ChangeContext, work: (tx: ChangeTransaction) => Promise<Change<T> | Unchanged<T>>): Promise<T>;
  /**
   * Reads in one snapshot, at a position. The work must not call the store again, because SQLite has one connection.
   * @throws StoreUnavailableError
   */
  snapshot<T>(work: (db: Kysely<Schema>, position: Position) => Promise<T>): Promise<T>;
  /**
   * Like snapshot, on connections that no operator's call uses, for reads that proxies wait for.
   * @throws StoreUnavailableError
   */
  snapshotForProxies: Store['snapshot'];
  /** The rows behind key values, in one statement on the same connections. @throws StoreUnavailableError */
  readonly accessRows: ReadAccessRows;
  /** The newest position, read from the primary now. @throws StoreUnavailableError */
  position(): Promise<Position>;
  /**
   * Invalidations above a revision in order, read in one snapshot: about `rows` of them, always whole revisions.
   * @throws StoreUnavailableError
   */
  changesAfter(revision: number, rows: number): Promise<ChangesPage>;
  /**
   * The feed's position this long ago, by the database's clock. If changes are not kept for so long, it is their
   * beginning.
   * @throws StoreUnavailableError
   */
  positionAgo(ageMs: number): Promise<Position>;
  /**
   * Starts a new epoch if the present one is still the given one, because the database has gone back to an earlier
   * state.
   * @throws StoreUnavailableError
   */
  startNewEpoch(present: string): Promise<void>;
  /**
   * Decides how the present epoch continues the history that a proxy has received of another epoch.
   * @param isBelieved whether the proxy may report a loss of the last commits on behalf of all others
   * @throws StoreUnavailableError
   */
  epochChange(since: Position, isBelieved: boolean): Promise<EpochChange>;
  /** The present epoch, and the epochs that it continues. @throws StoreUnavailableError */
  lineage(): Promise<Lineage>;
  /**
   * A short reason why nothing can be written now; undefined if writing works, or only the database's server knows.
   * Never rejects.
   */
  whyNotWritable(): Promise<string | undefined>;
  /** Calls the listener soon after this or another replica committed a change. It is a hint that may be lost. */
  onNotification(ring: () => void): void;
  /**
   * Runs a ledger transaction: without a revision or an audit event, so it does not wait for other changes. Each
   * statement sees everything that was committed before it. If the database rolls the transaction back, the work runs
   * again from the start, so it must have no effect outside the transaction. Rows are locked in the order of
   * ledger/locks.ts.
   * @throws any error of the work (nothing is then written), or StoreUnavailableError
   */
  ledger<T>(work: (tx: LedgerTransaction) => Promise<T>): Promise<T>;
  /**
   * Sends every replica, including this one, a request to reclaim money of a budget from leases. It is a hint that may
   * be lost.
   */
  reclaim(reclaim: Reclaim): Promise<void>;
  onReclaim(listener: (reclaim: Reclaim) => void): void;
  /** Later calls wait for the first. */
  close(): Promise<void>;
}

/** The actor and action of a change: the parts of the audit event that are known before the work. */
export interface ChangeContext {
  readonly actor: Actor;
  /** Address of the caller. */
  readonly from: string;
  /** For example "VirtualKeys.Rotate". */
  readonly action: string;
}

export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
}

/** A request to reclaim leased money of one window of a budget. */
export interface Reclaim {
  readonly budgetId: string;
  readonly organizationId: string;
  readonly window: string;
}

/** Locks the rows of a query until the transaction ends. SQLite runs one transaction at a time and needs no locks. */
export interface RowLocks {
  /** A shared lock, which excludes `update`. It does not exclude transactions that change the rows without `update`. */
  share<DB, Tables extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, Tables, Row>,
  ): SelectQueryBuilder<DB, Tables, Row>;
  /** An exclusive lock: no other transaction locks or changes the rows. */
  update<DB, Tables extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, Tables, Row>,
  ): SelectQueryBuilder<DB, Tables, Row>;
  /**
   * The ledger locks of organizations: many transactions share one, or one has it exclusively. A transaction that waits
   * for exclusive use goes before later ones that share it. A row lock does not guarantee that: exclusive use would
   * wait for ever while others share the row without a pause.
   */
  organizations(db: Kysely<Schema>, ids: readonly string[], turn: 'shared' | 'alone'): Promise<void>;
}

export interface LedgerTransaction {
  readonly db: Kysely<Schema>;
  /** The database's clock, in milliseconds. */
  readonly now: number;
  /** The epoch that it is part of, as in Position. */
  readonly epoch: string;
  readonly locks: RowLocks;
  readonly insertRows: InsertRows;
}

/** Writes many rows in few statements, in their order. @returns the rows that the statements return */
export type InsertRows = (
  db: Kysely<Schema>,
  insert: RowsInsert,
  rows: readonly StoredRow[],
) => Promise<readonly { readonly id: string }[]>;

/** An insert without its rows. The program writes all of it; no part comes from outside. */
export interface RowsInsert {
  readonly table: keyof Schema;
  readonly columns: Readonly<Record<string, 'text' | 'bigint'>>;
  /** `on conflict …`; it may end in `returning id`. */
  readonly ending: string;
  /** Values that many rows have in common, so that they are sent once: each row begins with a position in these. */
  readonly shared?: SharedValues;
}

export interface SharedValues {
  readonly columns: RowsInsert['columns'];
  readonly rows: readonly StoredRow[];
}

/** Values in the order of the columns. */
export type StoredRow = readonly (string | number | null)[];

export interface ChangeTransaction {
  readonly db: Kysely<Schema>;
  readonly locks: RowLocks;
  /** The revision of this change, which is written to the changed rows. */
  readonly revision: number;
  /** The database's clock, in milliseconds. */
  readonly now: number;
  readonly insertRows: InsertRows;
}

/** The result of the work, and what the same transaction records with it. */
export interface Change<T> {
  readonly result: T;
  readonly organizationId: string | undefined;
  readonly target: { readonly kind: string; readonly id: string };
  /** The name of the audit event, if it is another one than the context's. */
  readonly action?: string;
  /** Without secrets. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  readonly invalidations: readonly Invalidation[];
}

/** The work found nothing to change: the transaction is rolled back, without a revision and an audit event. */
export interface Unchanged<T> {
  readonly unchanged: T;
}

export interface Invalidation {
  readonly kind: RecordKind;
  /** Hash of a key value in hexadecimal, or an id. */
  readonly ref: string;
  readonly state: RecordState;
}

export interface ChangeRow extends Invalidation {
  readonly revision: number;
  readonly organizationId: string | null;
}

export interface ChangesPage {
  readonly changes: readonly ChangeRow[];
  /** The page contains every change above the requested revision, up to here. */
  readonly upTo: number;
  /** The newest position at the time of reading. */
  readonly position: Position;
  /** Changes up to here may have been pruned, so a page after an earlier revision may have a gap. */
  readonly prunedRevision: number;
}

/** Values that must be unique, by the names of their unique indexes. */
export const uniqueIndexes = {
  organizations_name_unique: { resource: 'organization', field: 'name' },
  people_name_unique: { resource: 'person', field: 'name' },
  ai_systems_name_unique: { resource: 'ai_system', field: 'name' },
  virtual_keys_name_unique: { resource: 'virtual_key', field: 'name' },
  virtual_keys_client_request_id_unique: { resource: 'virtual_key', field: 'client_request_id' },
  provider_keys_name_unique: { resource: 'provider_key', field: 'name' },
  providers_name_unique: { resource: 'provider', field: 'name' },
  prices_model_unique: { resource: 'price', field: 'model' },
  webhooks_name_unique: { resource: 'webhook', field: 'name' },
  guardrails_name_unique: { resource: 'guardrail', field: 'name' },
  routes_name_unique: { resource: 'route', field: 'name' },
  issuers_name_unique: { resource: 'issuer', field: 'name' },
} as const;

export type UniqueIndex = keyof typeof uniqueIndexes;
type Unique = (typeof uniqueIndexes)[UniqueIndex];

/** Another resource of the same kind and organization has this name (or client request id). */
export class NameTakenError extends Error {
  readonly resource: Unique['resource'];
  readonly field: Unique['field'];

  constructor(index: UniqueIndex) {
    const { resource, field } = uniqueIndexes[index];
    super(`another ${resource.replace('_', ' ')} has this ${field.replaceAll('_', ' ')}`);
    this.name = 'NameTakenError';
    this.resource = resource;
    this.field = field;
  }
}

/** The database cannot be reached or does not respond in time. Nothing was written, or it is not known whether. */
export class StoreUnavailableError extends Error {
  /** @param message is shown to callers */
  constructor(cause: unknown, message = 'the database cannot be reached') {
    super(message, { cause });
    this.name = 'StoreUnavailableError';
  }
}

export type EpochChange = 'restarted' | 'restored';

/**
 * An epoch and the epochs that it continues: the newest first, each with the last revision that still belongs to the
 * history.
 */
export interface Lineage {
  readonly epoch: string;
  readonly continues: readonly Position[];
}
