// The scarce resources of the control plane and each organization's share of them: one row for each resource, and no
// other resource is shared. A caller that has used its share is refused with too_many_requests (RESOURCE_EXHAUSTED,
// HTTP 429) and the time to retry.
import type { Clock } from '../../common/clock.ts';
import { OccupiedShare, RateShare, type ShareOwner } from '../../common/shares.ts';
import { CallError } from './errors.ts';
import { WorkQueue } from './work-queue.ts';

/** One organization alone gets a fifth. Ten that each take all they can get, one after the other, leave a tenth. */
const alpha = 0.25;

/** Calls that run a few at a time; the others wait, and organizations take turns. */
const queueRows = {
  /** Changes run one after another in the database; the second prepares while the first is written. */
  changes: { atOnce: 2, waiting: 512, alpha, waitMs: 10_000, about: 'changes that wait to be made' },
  reads: { atOnce: 4, waiting: 1024, alpha, waitMs: 10_000, about: 'reads of operators that wait' },
  guardrail_work: {
    atOnce: 1,
    waiting: 128,
    alpha,
    waitMs: 10_000,
    about: 'guardrails that wait to be compiled or tried, in a thread of its own',
  },
} as const satisfies Record<string, QueueRow>;

/** For each organization apart: what one has in flight takes nothing from another. */
const eachRows = {
  sum_reads: { each: 8, about: 'reads of sums of an organization that run or wait' },
} as const satisfies Record<string, EachRow>;

const occupiedRows = {
  exports: { capacity: 32, alpha, about: 'downloads that are being sent' },
} as const satisfies Record<string, OccupiedRow>;

/** By organization, except the last two. */
const rateRows = {
  change_rate: { perMinute: 1200, burst: 600, ownersMax: 10_000, about: 'changes of an organization' },
  read_rate: { perMinute: 6000, burst: 1000, ownersMax: 10_000, about: 'reads of an organization' },
  export_rate: { perMinute: 60, burst: 30, ownersMax: 10_000, about: 'downloads of an organization' },
  guardrail_time: {
    perMinute: 6000,
    burst: 10_000,
    ownersMax: 10_000,
    about: 'time to compile and try guardrails of an organization, in milliseconds',
  },
  request_rows: {
    perMinute: 600_000,
    burst: 200_000,
    ownersMax: 10_000,
    about: 'rows of requests of an organization that proxies report; rows beyond it are dropped',
  },
  captures: {
    perMinute: 6000,
    burst: 3000,
    ownersMax: 10_000,
    about: 'captured sides of requests of an organization that proxies report; sides beyond it are dropped',
  },
  unknown_tokens: {
    perMinute: 60,
    burst: 60,
    ownersMax: 10_000,
    about: 'unknown tokens, by address of the caller (IPv6: by /64); tokens that were admitted before still pass',
  },
  sign_ins: {
    perMinute: 20,
    burst: 20,
    ownersMax: 10_000,
    about: 'failed sign-ins at the console, and failed exchanges of tokens, by address of the caller (IPv6: by /64)',
  },
} as const satisfies Record<string, RateRow>;

interface QueueRow {
  readonly atOnce: number;
  /** How many calls of all organizations may wait. */
  readonly waiting: number;
  /** See HeldShare. */
  readonly alpha: number;
  /** A call that has waited for longer is refused. */
  readonly waitMs: number;
  readonly about: string;
}

interface OccupiedRow {
  readonly capacity: number;
  readonly alpha: number;
  readonly about: string;
}

interface EachRow {
  /** How many of one organization's calls may be in flight. */
  readonly each: number;
  readonly about: string;
}

interface RateRow {
  readonly perMinute: number;
  readonly burst: number;
  readonly ownersMax: number;
  readonly about: string;
}

export type ShareRow = QueueRow | OccupiedRow | EachRow | RateRow;
export const shareRows = { ...queueRows, ...occupiedRows, ...eachRows, ...rateRows } as const satisfies Record<
  string,
  ShareRow
>;

export type ShareResource = keyof typeof shareRows;
export type QueueResource = keyof typeof queueRows;
type RateResource = keyof typeof rateRows;
export type ReportedResource = Extract<RateResource, 'request_rows' | 'captures'>;

/** The state of a resource, for metrics. */
export interface ShareState {
  /**
   * From 0 to 1 of its capacity. Every owner has a rate and reads of sums of its own, so for these it is that of the owner
   * with the highest use.
   */
  readonly used: number;
  /** Since the start. */
  readonly refused: number;
}

export interface Shares {
  /**
   * Does the work when it is the owner's turn.
   * @param signal aborted when nobody waits for the result: work that has not begun is left out
   * @throws CallError too_many_requests, any error of the work, and the signal's reason
   */
  inOrder<T>(resource: QueueResource, owner: ShareOwner, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Counts a read of sums of the organization. @returns ends it @throws CallError too_many_requests */
  beginSumRead(organization: string): () => void;
  /** Reserves a slot for an export of the owner. @returns releases the slot @throws CallError too_many_requests */
  occupyExport(owner: ShareOwner): () => void;
  /** Takes one unit of the owner's rate. @throws CallError too_many_requests */
  take(resource: RateResource, owner: string): void;
  /**
   * Takes nothing, because the amount is known only afterwards.
   * @throws CallError too_many_requests if nothing is left
   */
  expect(resource: RateResource, owner: string): void;
  /** Takes what a proxy reports from the organization's rate. @returns false if nothing is left: it is dropped */
  admit(resource: ReportedResource, organization: string, amount: number): boolean;
  /** Charges the amount after the work. */
  charge(resource: RateResource, owner: string, amount: number): void;
  /** Releases what `take` took, because the call turned out not to count. */
  release(resource: RateResource, owner: string): void;
  states(): ReadonlyMap<ShareResource, ShareState>;
}

/** Rates that replace the table's in tests, which use many tokens from one address, or have no time to reach a rate. */
export type OtherRates = { readonly [Name in RateResource]?: Pick<RateRow, 'perMinute' | 'burst'> };

export function createShares(clock: Clock, otherRates: OtherRates = {}): Shares {
  const queues = mapped(queueRows, (row) => new WorkQueue({ ...row, clock }));
  const occupied = mapped(occupiedRows, (row) => new OccupiedShare(row));
  const sumReads = new EachShare(eachRows.sum_reads.each);
  const rates = mapped<RateResource, RateRow, RateShare>(
    rateRows,
    (row, name) => new RateShare({ ...row, ...otherRates[name] }),
  );
  const orRefuse = (resource: RateResource, seconds: number) => {
    if (seconds > 0) throw tooMany(resource, seconds);
  };
  return {
    inOrder: async (resource, owner, work, signal) => {
      const result = queues[resource].run(owner, work, signal);
      if (result === undefined) throw tooMany(resource, againSoon);
      const done = await result;
      if ('late' in done) throw tooMany(resource, againSoon);
      return done.value;
    },
    beginSumRead: (organization) => {
      if (!sumReads.take(organization)) throw tooMany('sum_reads', againSoon);
      return () => sumReads.give(organization);
    },
    occupyExport: (owner) => {
      if (!occupied.exports.take(owner)) throw tooMany('exports', againLater);
      let isOccupied = true;
      return () => {
        if (isOccupied) occupied.exports.give(owner);
        isOccupied = false;
      };
    },
    take: (resource, owner) => orRefuse(resource, rates[resource].take(owner, clock.monotonic())),
    expect: (resource, owner) => orRefuse(resource, rates[resource].wait(owner, clock.monotonic())),
    admit: (resource, organization, amount) => {
      const now = clock.monotonic();
      if (rates[resource].wait(organization, now) > 0) return false;
      rates[resource].charge(organization, now, amount);
      return true;
    },
    charge: (resource, owner, amount) => rates[resource].charge(owner, clock.monotonic(), amount),
    release: (resource, owner) => rates[resource].give(owner),
    states: () =>
      new Map<ShareResource, ShareState>([
        ...entries(queues).map(([name, { used, refused }]) => [name, { used, refused }] as const),
        ...entries(occupied).map(
          ([name, { used, capacity, refused }]) => [name, { used: used / capacity, refused }] as const,
        ),
        ['sum_reads', { used: sumReads.used, refused: sumReads.refused }] as const,
        ...entries(rates).map(([name, rate]) => [name, usedOf(rate, clock)] as const),
      ]),
  };
}

/** Counts of each owner. */
class EachShare {
  readonly #each: number;
  readonly #counts = new Map<string, number>();
  refused = 0;

  constructor(each: number) {
    this.#each = each;
  }

  /** The part of its share that the owner with the most has in use. */
  get used(): number {
    return Math.max(0, ...this.#counts.values()) / this.#each;
  }

  take(owner: string): boolean {
    const count = this.#counts.get(owner) ?? 0;
    if (count === this.#each) {
      this.refused++;
      return false;
    }
    this.#counts.set(owner, count + 1);
    return true;
  }

  give(owner: string): void {
    const count = (this.#counts.get(owner) ?? 0) - 1;
    if (count > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
  }
}

/** A rate in debt counts as used up. */
function usedOf(rate: RateShare, clock: Clock): ShareState {
  return { used: Math.min(1, rate.used(clock.monotonic())), refused: rate.refused };
}

/** In seconds; a queue is short. */
const againSoon = 1;
/** In seconds; a download takes longer. */
const againLater = 10;

function tooMany(resource: ShareResource, retryAfter: number): CallError {
  const unit = retryAfter === 1 ? 'second' : 'seconds';
  const message = `too many: the share of ${shareRows[resource].about} is used up; try again in ${retryAfter} ${unit}`;
  return new CallError('too_many_requests', message, { retryAfter });
}

function mapped<Name extends string, Row, T>(
  rows: Record<Name, Row>,
  make: (row: Row, name: Name) => T,
): Record<Name, T> {
  return Object.fromEntries(entries(rows).map(([name, row]) => [name, make(row, name)])) as Record<Name, T>;
}

function entries<Name extends string, T>(record: Record<Name, T>): [Name, T][] {
  return Object.entries(record) as [Name, T][];
}
