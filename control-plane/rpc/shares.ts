// What the control plane has little of, and each organization's share of it: a row for each resource, and nothing of a kind beside the
// table. Whoever has its share already is refused with too_many_requests (RESOURCE_EXHAUSTED, HTTP 429) and told when to come again.
import type { Clock } from '../../common/clock.ts';
import { HeldShare, RateShare, type ShareOwner } from '../../common/shares.ts';
import { CallError } from './errors.ts';
import { Turns } from './turns.ts';

/** One alone has a fifth; ten that take all they get, one after the other, leave a tenth. */
const alpha = 0.25;

/** Calls that are served so many at a time; the others wait, organizations in turn. */
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

const heldRows = {
  exports: { capacity: 32, alpha, about: 'downloads that are being sent' },
} as const satisfies Record<string, HeldRow>;

/** Of an organization, but for the last one. */
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
  unknown_tokens: {
    perMinute: 60,
    burst: 60,
    ownersMax: 10_000,
    about:
      'tokens that turn out to be unknown, by address of the caller (IPv6: by /64); tokens admitted before pass',
  },
} as const satisfies Record<string, RateRow>;

interface QueueRow {
  readonly atOnce: number;
  /** Calls that may wait, of all organizations together. */
  readonly waiting: number;
  /** As in HeldShare. */
  readonly alpha: number;
  /** Who has waited for longer is refused. */
  readonly waitMs: number;
  readonly about: string;
}

interface HeldRow {
  readonly capacity: number;
  readonly alpha: number;
  readonly about: string;
}

interface RateRow {
  readonly perMinute: number;
  readonly burst: number;
  readonly ownersMax: number;
  readonly about: string;
}

export type ShareRow = QueueRow | HeldRow | RateRow;
export const shareRows = { ...queueRows, ...heldRows, ...rateRows } as const satisfies Record<
  string,
  ShareRow
>;

export type ShareResource = keyof typeof shareRows;
export type QueueResource = keyof typeof queueRows;
type RateResource = keyof typeof rateRows;

/** What metrics read of a resource. */
export interface ShareState {
  /** From 0 to 1 of its capacity; of a rate, which every owner has for itself, by the one that has used most. */
  readonly used: number;
  /** Since the start. */
  readonly refused: number;
}

export interface Shares {
  /** Does the work when it is the owner's turn. @throws CallError too_many_requests, and what the work throws */
  inTurn<T>(resource: QueueResource, owner: ShareOwner, work: () => Promise<T>): Promise<T>;
  /** Holds a place of the owner's for the work, if there is one. @throws CallError too_many_requests, and what the work throws */
  holdExport(owner: ShareOwner): () => void;
  /** Takes one of the owner's rate. @throws CallError too_many_requests */
  take(resource: RateResource, owner: string): void;
  /** Takes nothing, as what it will be is known only afterwards. @throws CallError too_many_requests where nothing is left */
  expect(resource: RateResource, owner: string): void;
  /** What it was. */
  charge(resource: RateResource, owner: string, amount: number): void;
  /** It was none of what is limited. */
  giveBack(resource: RateResource, owner: string): void;
  states(): ReadonlyMap<ShareResource, ShareState>;
}

/** Other rates than the table's: for tests, which are one address with many tokens, or have no time to reach a rate. */
export type OtherRates = { readonly [Name in RateResource]?: Pick<RateRow, 'perMinute' | 'burst'> };

export function createShares(clock: Clock, otherRates: OtherRates = {}): Shares {
  const queues = mapped(queueRows, (row) => new Turns({ ...row, clock }));
  const held = mapped(heldRows, (row) => new HeldShare(row));
  const rates = mapped<RateResource, RateRow, RateShare>(
    rateRows,
    (row, name) => new RateShare({ ...row, ...otherRates[name] }),
  );
  const orRefuse = (resource: RateResource, seconds: number) => {
    if (seconds > 0) throw tooMany(resource, seconds);
  };
  return {
    inTurn: async (resource, owner, work) => {
      const turn = queues[resource].run(owner, work);
      if (turn === undefined) throw tooMany(resource, againSoon);
      const done = await turn;
      if ('late' in done) throw tooMany(resource, againSoon);
      return done.value;
    },
    holdExport: (owner) => {
      if (!held.exports.take(owner)) throw tooMany('exports', againLater);
      let isHeld = true;
      return () => {
        if (isHeld) held.exports.give(owner);
        isHeld = false;
      };
    },
    take: (resource, owner) => orRefuse(resource, rates[resource].take(owner, clock.monotonic())),
    expect: (resource, owner) => orRefuse(resource, rates[resource].wait(owner, clock.monotonic())),
    charge: (resource, owner, amount) => rates[resource].charge(owner, clock.monotonic(), amount),
    giveBack: (resource, owner) => rates[resource].give(owner),
    states: () =>
      new Map<ShareResource, ShareState>([
        ...entries(queues).map(([name, { used, refused }]) => [name, { used, refused }] as const),
        ...entries(held).map(
          ([name, { used, capacity, refused }]) => [name, { used: used / capacity, refused }] as const,
        ),
        ...entries(rates).map(([name, rate]) => [name, usedOf(rate, clock)] as const),
      ]),
  };
}

/** What is owed counts as used up. */
function usedOf(rate: RateShare, clock: Clock): ShareState {
  return { used: Math.min(1, rate.used(clock.monotonic())), refused: rate.refused };
}

/** Seconds: a queue is short. */
const againSoon = 1;
/** A download takes its time. */
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
