// The change feed of this process: it reads the committed changes of every replica and keeps the newest ones for all
// watchers together. A watcher that falls behind them is reset, so a slow watcher costs no memory of its own.
import { type Clock, systemClock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import { countedIn } from '../store/epochs.ts';
import type { Position } from '../store/position.ts';
import type { ChangeRow, ChangesPage, Lineage, Store } from '../store/store.ts';

export interface Feed {
  /** The log contains every change up to here. */
  readonly position: Position;
  /** The epochs that the position's epoch continues. */
  readonly lineage: Lineage;
  /** When the newest completed read began, by the monotonic clock. */
  readonly readAt: number;
  /** Changes up to here may have been pruned from the database. */
  readonly prunedRevision: number;
  /**
   * Reads the database after this call.
   * @returns the feed's position, which includes every change that was committed before the call
   * @throws StoreUnavailableError
   */
  read(): Promise<Position>;
  /** The changes above a revision; undefined if the log begins later. */
  after(revision: number): readonly ChangeRow[] | undefined;
  /** Calls the listener when the position has moved. @returns removes the listener */
  onNews(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface FeedDeps {
  readonly store: Pick<Store, 'changesAfter' | 'lineage' | 'position' | 'startNewEpoch' | 'onNotification'>;
  readonly log: Logger;
  /** How many changes are kept for watchers; the default is about 2 MB. */
  readonly rowsMax?: number;
  /** A notification may be lost, so the feed also polls. */
  readonly pollMs?: number;
  readonly timers?: Timers;
  readonly clock?: Clock;
}

const defaultRowsMax = 10_000;
const defaultPollMs = 1000;

/** @throws StoreUnavailableError */
export async function startFeed(deps: FeedDeps): Promise<Feed> {
  const clock = deps.clock ?? systemClock;
  let readAt = clock.monotonic();
  const lineage = await deps.store.lineage();
  const log = new ChangeLog(await deps.store.position(), lineage, deps.rowsMax ?? defaultRowsMax);
  const listeners = new Set<() => void>();
  const readOnce = async (): Promise<Position> => {
    const begun = clock.monotonic();
    const moved = await readInto(log, deps);
    readAt = begun;
    if (moved) for (const listener of listeners) listener();
    return log.position;
  };
  const read = oneAtATime(readOnce);
  const look = logOutages(read, deps.log);
  const stopPolling = poll(look, deps.pollMs ?? defaultPollMs, deps.timers ?? systemTimers);
  let closed = false;
  deps.store.onNotification(() => {
    if (!closed) look();
  });
  return {
    get position() {
      return log.position;
    },
    get lineage() {
      return log.lineage;
    },
    get readAt() {
      return readAt;
    },
    get prunedRevision() {
      return log.prunedRevision;
    },
    read,
    after: (revision) => log.after(revision),
    onNews: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      closed = true;
      stopPolling();
      await read.settled();
    },
  };
}

/** @returns whether the position has moved */
async function readInto(log: ChangeLog, { store, log: logger }: FeedDeps): Promise<boolean> {
  const before = log.position;
  let page = await store.changesAfter(before.revision, log.rowsMax);
  if (page.position.epoch === before.epoch && page.position.revision < before.revision) {
    logger.warn({ before, now: page.position }, 'the database has gone back; a new epoch begins');
    await store.startNewEpoch(before.epoch);
    page = await store.changesAfter(before.revision, log.rowsMax);
  }
  if (page.position.epoch !== log.lineage.epoch) log.lineage = await store.lineage();
  if (page.position.epoch !== before.epoch) {
    const positions = { before, now: page.position };
    if (countedIn(log.lineage, before) === undefined)
      logger.warn(positions, 'the database has another history; all proxies begin anew');
    else logger.info(positions, 'a new epoch of the database continues the one before');
  }
  log.add(page);
  return log.position.epoch !== before.epoch || log.position.revision !== before.revision;
}

/** The newest changes of one epoch: whole revisions, at most `rowsMax` rows. */
class ChangeLog {
  readonly rowsMax: number;
  position: Position;
  prunedRevision = 0;
  /** May differ from the position's epoch for an instant at most. Then no earlier position is valid. */
  lineage: Lineage;
  #rows: ChangeRow[] = [];
  /** The log contains all changes above this revision. */
  #from: number;

  constructor(position: Position, lineage: Lineage, rowsMax: number) {
    this.position = position;
    this.lineage = lineage;
    this.rowsMax = rowsMax;
    this.#from = position.revision;
  }

  after(revision: number): readonly ChangeRow[] | undefined {
    return revision < this.#from ? undefined : this.#rows.slice(indexAfter(this.#rows, revision));
  }

  add(page: ChangesPage): void {
    const continues =
      page.position.epoch === this.position.epoch &&
      page.upTo === page.position.revision &&
      page.prunedRevision <= this.position.revision;
    if (continues) this.#append(page.changes);
    else this.#restart(page.position.revision);
    this.position = page.position;
    this.prunedRevision = page.prunedRevision;
  }

  #append(changes: readonly ChangeRow[]): void {
    this.#rows = this.#rows.concat(changes);
    const last = this.#rows[this.#rows.length - this.rowsMax - 1];
    if (last === undefined) return;
    this.#from = last.revision;
    this.#rows = this.#rows.slice(indexAfter(this.#rows, last.revision));
  }

  #restart(revision: number): void {
    this.#rows = [];
    this.#from = revision;
  }
}

/**
 * @returns the index of the first row above a revision. It searches from the end, because watchers mostly want the last
 * few rows.
 */
export function indexAfter(rows: readonly ChangeRow[], revision: number): number {
  return rows.findLastIndex((row) => row.revision <= revision) + 1;
}

interface SharedRead {
  (): Promise<Position>;
  /** Resolves when no read is running. */
  settled(): Promise<void>;
}

/** Callers that arrive during a read share the next one, because that read begins after all their calls. */
function oneAtATime(readOnce: () => Promise<Position>): SharedRead {
  let current: Promise<Position> | undefined;
  let next: Promise<Position> | undefined;
  const start = () => {
    const reading = readOnce().finally(() => {
      if (current === reading) current = undefined;
    });
    current = reading;
    return reading;
  };
  const read = () => {
    if (next !== undefined) return next;
    if (current === undefined) return start();
    next = current.then(ignore, ignore).then(() => {
      next = undefined;
      return start();
    });
    return next;
  };
  const settled = async () => {
    while (current !== undefined || next !== undefined) await (next ?? current)?.then(ignore, ignore);
  };
  return Object.assign(read, { settled });
}

const ignore = () => undefined;

function poll(look: () => void, everyMs: number, timers: Timers): () => void {
  let cancel = timers.after(everyMs, function again() {
    look();
    cancel = timers.after(everyMs, again);
  });
  return () => cancel();
}

/** Reads, and logs an outage once when it begins and once when it ends. */
function logOutages(read: () => Promise<Position>, log: Logger): () => void {
  let failing = false;
  return () => {
    read().then(
      () => {
        if (failing) log.info('the change feed reads the database again');
        failing = false;
      },
      (err: unknown) => {
        if (!failing) log.warn({ err }, 'the change feed cannot read the database; watchers get no responses');
        failing = true;
      },
    );
  };
}
