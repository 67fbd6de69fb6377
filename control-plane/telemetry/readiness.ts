// Decides whether this replica is ready: not before it has started, not while it drains, and not while the database is
// unreachable. /readyz and grpc.health.v1 both report it, so that load balancers skip this replica. If the database can
// be read but not written, only /readyz reports it, because proxies can still read.
import type { Clock } from '../../common/clock.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';

export interface Readiness {
  /** The reason why it is not ready; undefined if it is ready. */
  notReady(): string | undefined;
  /** Whether the last attempt to write to the database succeeded. */
  isWritable(): boolean;
  /** Call it when all listeners are open. From then on changes are reported. */
  started(onChange: (ready: boolean) => void): void;
  /** Makes it not ready from now on. */
  drain(): void;
  close(): void;
}

export interface ReadinessDeps {
  readonly store: Pick<Store, 'position' | 'whyNotWritable'>;
  readonly clock: Clock;
  readonly timers?: Timers;
}

const lookEveryMs = 1000;
/** The interval of write attempts that succeed. After a failure every look tries again. */
const tryEveryMs = 5000;
/** One slow look is no outage. */
const silenceMaxMs = 5000;

export function watchReadiness({ store, clock, timers = systemTimers }: ReadinessDeps): Readiness {
  let phase: 'starting' | 'serving' | 'draining' = 'starting';
  let publish: (ready: boolean) => void = () => undefined;
  let reported = true;
  let readAt = clock.monotonic();
  let looking = false;
  let notWritable: string | undefined;
  let trying = false;
  let triedAt = Number.NEGATIVE_INFINITY;

  const notServing = () => {
    if (phase === 'starting') return 'it is starting';
    if (phase === 'draining') return 'it is stopping';
    return clock.monotonic() - readAt > silenceMaxMs ? 'the database cannot be reached' : undefined;
  };
  const update = () => {
    const ready = notServing() === undefined;
    if (ready !== reported) publish(ready);
    reported = ready;
  };
  const look = async () => {
    looking = true;
    const begun = clock.monotonic();
    try {
      await store.position();
      readAt = begun;
    } catch {
      // The change feed logs an outage; here only the time without a response counts.
    } finally {
      looking = false;
      update();
    }
  };
  // One attempt at a time, so that a disk that hangs has only one file waiting.
  const tryToWrite = async () => {
    trying = true;
    triedAt = clock.monotonic();
    notWritable = await store.whyNotWritable();
    trying = false;
  };
  const isTimeToTry = () => notWritable !== undefined || clock.monotonic() - triedAt >= tryEveryMs;
  let cancel = timers.after(lookEveryMs, function again() {
    update();
    if (!looking) void look();
    if (!trying && isTimeToTry()) void tryToWrite();
    cancel = timers.after(lookEveryMs, again);
  });
  return {
    notReady: () => notServing() ?? notWritable,
    isWritable: () => notWritable === undefined,
    started: (onChange) => {
      phase = 'serving';
      publish = onChange;
    },
    drain: () => {
      phase = 'draining';
      update();
    },
    close: () => cancel(),
  };
}
