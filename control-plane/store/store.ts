// The one way to the database. A change, its revision, its invalidations and its audit event are one transaction; reads
// that must agree with each other share one snapshot. SQLite and PostgreSQL behave the same behind it.
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { RecordKind, RecordState } from '../../proto/words/access.ts';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import type { ActorKind, Schema } from './schema.ts';

/** A place on the change feed. Positions of different epochs are compared by the lineage of the present one alone. */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}

export interface Store {
  readonly features: DatabaseFeatures;
  /**
   * Runs a change. The feed's row is taken first, so changes run one after another and commit in the order of their revisions.
   * The work runs again from the start when the database asks for it, so it must touch nothing but the transaction.
   * @throws whatever the work throws (nothing is then written), NameTakenError, or StoreUnavailableError
   */
  change<T>(
    context: ChangeContext,
    work: (tx: ChangeTransaction) => Promise<Change<T> | Unchanged<T>>,
  ): Promise<T>;
  /**
   * Reads in one snapshot, at a position. The work must not call the store again: SQLite has one connection.
   * @throws StoreUnavailableError
   */
  snapshot<T>(work: (db: Kysely<Schema>, position: Position) => Promise<T>): Promise<T>;
  /** As snapshot, on connections that no operator's call has: for what proxies wait for. @throws StoreUnavailableError */
  snapshotForProxies: Store['snapshot'];
  /** The newest position, read from the primary now. @throws StoreUnavailableError */
  position(): Promise<Position>;
  /**
   * Invalidations above a revision in order, read in one snapshot: about `rows` of them, always whole revisions.
   * @throws StoreUnavailableError
   */
  changesAfter(revision: number, rows: number): Promise<ChangesPage>;
  /**
   * Where the feed stood this long ago, by the database's clock; what is longer ago than changes are kept answers their
   * beginning. @throws StoreUnavailableError
   */
  positionAgo(ageMs: number): Promise<Position>;
  /**
   * Starts a new epoch if the present one is still the given one: the database has gone back to an earlier state.
   * @throws StoreUnavailableError
   */
  startNewEpoch(present: string): Promise<void>;
  /**
   * How what a proxy has seen of another epoch goes on in the present one.
   * @param isBelieved whether it may tell all others that what was committed last is gone
   * @throws StoreUnavailableError
   */
  epochChange(since: Position, isBelieved: boolean): Promise<EpochChange>;
  /** The present epoch, and what it goes on from. @throws StoreUnavailableError */
  lineage(): Promise<Lineage>;
  /** Why nothing can be written right now, in a few words; undefined: it can, or nobody but the database's server knows. Never rejects. */
  whyNotWritable(): Promise<string | undefined>;
  /** Called soon after another replica or this one committed a change; a hint, may be missed. */
  onBell(ring: () => void): void;
  /**
   * Runs a transaction of the books: without a revision or an audit event, and so not behind other changes. Each statement sees
   * what was committed before it. The work runs again from the start when the database asks for it, so it must touch nothing
   * but the transaction. Rows are locked in the order that ledger/locks.ts says.
   * @throws whatever the work throws (nothing is then written), or StoreUnavailableError
   */
  books<T>(work: (tx: BooksTransaction) => Promise<T>): Promise<T>;
  /** Tells every replica, this one too, that somebody needs what others hold of a budget. A hint, may be missed. */
  recall(recall: Recall): Promise<void>;
  onRecall(listener: (recall: Recall) => void): void;
  /** Later calls wait for the first. */
  close(): Promise<void>;
}

/** Who changes what: everything of the audit event that is known before the work. */
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

/** What somebody needs and others hold: of one window of a budget. */
export interface Recall {
  readonly budgetId: string;
  readonly organizationId: string;
  readonly window: string;
}

/** Locks on what a query finds, until the transaction ends. SQLite runs one transaction at a time and needs none. */
export interface RowLocks {
  /** Others may share; nobody has the rows by `update`. Whoever changes them without that is not kept out. */
  share<DB, Tables extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, Tables, Row>,
  ): SelectQueryBuilder<DB, Tables, Row>;
  /** Nobody else locks or changes the rows. */
  update<DB, Tables extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, Tables, Row>,
  ): SelectQueryBuilder<DB, Tables, Row>;
  /**
   * The turn at the books of organizations: many share it, or one has it alone. Whoever waits to have it alone goes before those
   * who come later to share it. A row does not promise that: one that is shared without a pause is never to be had.
   */
  organizations(db: Kysely<Schema>, ids: readonly string[], turn: 'shared' | 'alone'): Promise<void>;
}

export interface BooksTransaction {
  readonly db: Kysely<Schema>;
  /** The database's clock, milliseconds. */
  readonly now: number;
  /** Which history it is part of: as in Position. */
  readonly epoch: string;
  readonly locks: RowLocks;
  readonly insertRows: InsertRows;
}

/** Writes many rows in few statements, in their order. @returns what they return */
export type InsertRows = (
  db: Kysely<Schema>,
  insert: RowsInsert,
  rows: readonly StoredRow[],
) => Promise<readonly { readonly id: string }[]>;

/** All but the rows: written in the program, nothing of it comes from outside. */
export interface RowsInsert {
  readonly table: keyof Schema;
  readonly columns: Readonly<Record<string, 'text' | 'bigint'>>;
  /** `on conflict …`; it may end in `returning id`. */
  readonly ending: string;
}

/** Values in the order of the columns. */
export type StoredRow = readonly (string | number | null)[];

export interface ChangeTransaction {
  readonly db: Kysely<Schema>;
  readonly locks: RowLocks;
  /** The revision this change takes: goes into the changed rows. */
  readonly revision: number;
  /** The database's clock, milliseconds. */
  readonly now: number;
  readonly insertRows: InsertRows;
}

/** What the work hands back: its result, and what the same transaction records beside it. */
export interface Change<T> {
  readonly result: T;
  readonly organizationId: string | undefined;
  readonly target: { readonly kind: string; readonly id: string };
  /** Without secrets. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  readonly invalidations: readonly Invalidation[];
}

/** The work found nothing to change: the transaction is rolled back, no revision is taken, no audit event written. */
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
  /** Every change above the revision asked for, up to here, is in the page. */
  readonly upTo: number;
  /** The newest position at the time of reading. */
  readonly position: Position;
  /** Changes up to here may be gone: a page asked for from below may have a gap. */
  readonly prunedRevision: number;
}

/** What has to be unique, as the names of the unique indexes say it. */
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

/** The database cannot be reached or does not answer in time. Nothing was written, or it is not known whether. */
export class StoreUnavailableError extends Error {
  /** @param message callers see it */
  constructor(cause: unknown, message = 'the database cannot be reached') {
    super(message, { cause });
    this.name = 'StoreUnavailableError';
  }
}

export type EpochChange = 'restarted' | 'restored';

/** An epoch and what it goes on from: the newest first, each with the revision up to which it does. */
export interface Lineage {
  readonly epoch: string;
  readonly continues: readonly Position[];
}
