// The usage log as a proxy has it: the queue in memory, reports to the control plane, and the overflow that this proxy fills and
// every proxy empties.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import type { LedgerClient, UsageEvent } from '../budgets/ledger-client.ts';
import type { Journals } from '../journal/journals.ts';
import { Drain } from './drain.ts';
import { KeptEvents } from './kept-events.ts';
import { Ordinals } from './ordinals.ts';
import type { Overflow } from './overflow.ts';
import type { Packing } from './packing.ts';
import { Reporting } from './reporting.ts';
import { ReportingAgain } from './reporting-again.ts';
import { type Escrow, Unacknowledged } from './unacknowledged.ts';
import type { UsageLog } from './usage-log.ts';
import type { UsageGauges, UsageMetrics } from './usage-metrics.ts';
import { UsageQueue, type Whereabouts } from './usage-queue.ts';

export interface UsageLogDeps {
  readonly client: Pick<LedgerClient, 'report'>;
  /** Told what is recorded, before it is reported, and what has become of it. */
  readonly journals?: Pick<Journals, 'settled' | 'acknowledged' | 'overflowed' | 'flush'> | undefined;
  readonly ordinals?: Ordinals;
  /** Default: compressed, in other threads. */
  readonly packing?: Packing | undefined;
  /** Without Redis or without a cache key there is none: what cannot be reported stays in memory, up to its bound. */
  readonly overflow: Overflow | undefined;
  readonly memoryBytesMax: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: UsageMetrics;
}

export interface LiveUsageLog extends UsageLog, UnsettledUsage {
  readonly gauges: UsageGauges;
  /** Somebody else's usage was acknowledged: it is reported again with the rest, should the database lose it. */
  keep(events: readonly UsageEvent[], epoch: string): void;
}

/** What budgets have to know of usage, where sessions end. */
export interface UnsettledUsage {
  /** Of a session, by lease: escrow of events that this proxy has still to report. */
  queued(session: string): readonly Escrow[];
  /** Of those that it has put into Redis; whether others have reported them it does not know. */
  elsewhere(session: string): readonly Escrow[];
  /** Nobody will ask for the session any more. */
  forget(session: string): void;
  /** Reports again what was acknowledged of late in other epochs. Resolves once it is in this one, or the log is closed. */
  reportAgain(epoch: string): Promise<void>;
  /** Waits until all is reported or in Redis. @param until monotonic */
  settled(until: number): Promise<void>;
  /** Whether nothing waits in Redis, of any proxy. */
  isOverflowEmpty(): Promise<boolean>;
}

/** By estimate: some sixty thousand events. */
export const usageMemoryBytesMax = 64 * 1024 * 1024;

/**
 * In place of the epoch of what this proxy put into Redis. Whoever reported it from there may be gone when the database loses it, so
 * its own proxy reports it as well in the next epoch: it counts once.
 */
const inOverflow = 'overflow';

export function createUsageLog(deps: UsageLogDeps): LiveUsageLog {
  const { log, overflow } = deps;
  const reporting = new Reporting({
    ...deps,
    onChange: (state, err) => {
      if (state === 'away') log.warn({ err }, 'usage cannot be reported; it is kept until it can');
      else log.info('usage is reported again');
      queue.proceed();
      if (state === 'back') drain?.soon();
    },
  });
  const { journals, ordinals = new Ordinals() } = deps;
  const unacknowledged = new Unacknowledged();
  const kept = new KeptEvents(deps.clock, { packing: deps.packing });
  const keep: LiveUsageLog['keep'] = (events, epoch) =>
    deps.background(
      'keep acknowledged usage',
      kept.keep(events, epoch).then(() => again.acknowledged(epoch)),
    );
  const keepOverflowed = (events: readonly UsageEvent[]) =>
    deps.background('keep usage in Redis', kept.keep(events, inOverflow));
  const whereabouts = whereaboutsOf({ journals, unacknowledged, keep, keepOverflowed });
  const queue = new UsageQueue({ ...deps, reporting, whereabouts });
  const onDrained = (events: readonly UsageEvent[]) => unacknowledged.drained(events);
  const drain = overflow && new Drain({ ...deps, overflow, reporting, onRecorded: keep, onDrained });
  const again = new ReportingAgain({ ...deps, reporting, kept });
  return {
    get hasRoom() {
      return queue.hasRoom;
    },
    gauges: {
      get events() {
        return queue.events;
      },
      get bytes() {
        return queue.bytes;
      },
      get oldestMs() {
        return queue.oldestMs;
      },
      get keptMs() {
        return kept.keptMs;
      },
    },
    record: (event) => {
      const numbered = { ...event, ordinal: ordinals.take(event.session) };
      journals?.settled(numbered);
      unacknowledged.recorded([numbered]);
      queue.record(numbered);
    },
    keep,
    queued: (session) => unacknowledged.queued(session),
    elsewhere: (session) => unacknowledged.elsewhere(session),
    forget: (session) => unacknowledged.forget(session),
    reportAgain: (epoch) => again.report(epoch),
    settled: (until) => queue.settled(until),
    isOverflowEmpty: async () => overflow === undefined || (await overflow.isEmpty()),
    close: (until) => {
      drain?.close();
      again.close();
      return queue.close(until);
    },
  };
}

interface WhereaboutsDeps extends Pick<UsageLogDeps, 'journals'>, Pick<LiveUsageLog, 'keep'> {
  readonly unacknowledged: Unacknowledged;
  keepOverflowed(events: readonly UsageEvent[]): void;
}

function whereaboutsOf({ journals, keep, keepOverflowed, unacknowledged }: WhereaboutsDeps): Whereabouts {
  return {
    reporting: () => journals?.flush(),
    recorded: (events, epoch) => {
      journals?.acknowledged(events);
      unacknowledged.acknowledged(events);
      keep(events, epoch);
    },
    overflowed: (events) => {
      journals?.overflowed(events);
      unacknowledged.overflowed(events);
      keepOverflowed(events);
    },
    // Nobody will settle it: its escrow is to be unsettled one day.
    lost: (events) => {
      journals?.acknowledged(events);
      unacknowledged.overflowed(events);
    },
  };
}
