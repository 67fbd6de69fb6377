// The usage log of a proxy: the queue in memory, reports to the control plane, and the overflow that this proxy fills
// and every proxy empties.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import type { Packing } from './batch.ts';
import { Drain } from './drain.ts';
import { KeptEvents } from './kept-events.ts';
import type { LedgerClient, UsageEvent } from './ledger-client.ts';
import { Ordinals } from './ordinals.ts';
import { Reporting } from './reporting.ts';
import { ReportingAgain } from './reporting-again.ts';
import { type Escrow, Unacknowledged } from './unacknowledged.ts';
import type { Overflow, UsageGauges, UsageLog, UsageMetrics } from './usage-log.ts';
import { UsageQueue, type Whereabouts } from './usage-queue.ts';

export interface UsageLogDeps {
  readonly client: Pick<LedgerClient, 'report'>;
  /** The journals get each event before it is reported, and later its result. */
  readonly journals?: UsageJournals | undefined;
  readonly ordinals?: Ordinals;
  /** Default: compressed, in other threads. */
  readonly packing?: Packing | undefined;
  /** Absent without Redis or without a cache key: events that cannot be reported stay in memory, up to its bound. */
  readonly overflow: Overflow | undefined;
  readonly memoryBytesMax: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: UsageMetrics;
}

/** Notifications about usage for the journals that are read after a crash. */
export interface UsageJournals {
  /** The event is to be recorded; it is not reported yet. */
  settled(event: UsageEvent): void;
  acknowledged(events: readonly UsageEvent[]): void;
  overflowed(events: readonly UsageEvent[]): void;
  /** Called before anything is reported. */
  flush(): void;
}

export interface LiveUsageLog extends UsageLog, UnconfirmedUsage {
  readonly gauges: UsageGauges;
  /** Usage of another process was acknowledged: it is reported again with the rest if the database loses it. */
  keep(events: readonly UsageEvent[], epoch: string): void;
}

/** The unacknowledged usage that budgets need to know at the end of a session. */
export interface UnconfirmedUsage {
  /** Escrow of a session, by lease, for events that this proxy has still to report. */
  queued(session: string): readonly Escrow[];
  /** Escrow for events that this proxy has put into Redis; it does not know whether others have reported them. */
  elsewhere(session: string): readonly Escrow[];
  /** The session is no longer needed. */
  forget(session: string): void;
  /**
   * Reports again the events that were recently acknowledged in other epochs. Resolves once they are in this one, or
   * the log is closed.
   */
  reportAgain(epoch: string): Promise<void>;
  /** Waits until all events are reported or in Redis. @param until monotonic */
  settled(until: number): Promise<void>;
  /** Whether no event of any proxy waits in Redis. */
  isOverflowEmpty(): Promise<boolean>;
}

/** An estimate: some sixty thousand events. */
export const usageMemoryBytesMax = 64 * 1024 * 1024;

/**
 * Replaces the epoch of events that this proxy put into Redis. The proxy that reported them from there may be gone when
 * the database loses them, so this proxy reports them as well in the next epoch. Each event counts once.
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
    // No process will settle these events: their escrow becomes unconfirmed one day.
    lost: (events) => {
      journals?.acknowledged(events);
      unacknowledged.overflowed(events);
    },
  };
}
