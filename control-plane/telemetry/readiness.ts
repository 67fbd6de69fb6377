// Whether this replica can serve: not before it has started, nor while it drains, nor while the database does not answer.
// Told to /readyz and to grpc.health.v1 alike, so that whoever balances over replicas leaves this one alone. While the database can be
// read but not written, /readyz alone says so: what proxies read goes on.
import type { Clock } from '../../common/clock.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';

export interface Readiness {
  /** Undefined = ready; else the reason why not. */
  notReady(): string | undefined;
  /** Whether the database could be written when last tried. */
  isWritable(): boolean;
  /** All listeners are open. From now on changes are told. */
  started(onChange: (ready: boolean) => void): void;
  /** From now on not ready. */
  drain(): void;
  close(): void;
}

export interface ReadinessDeps {
  readonly store: Pick<Store, 'position' | 'whyNotWritable'>;
  readonly clock: Clock;
  readonly timers?: Timers;
}

const lookEveryMs = 1000;
/** While it can be written; else each time it is looked at. */
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
      // The change feed logs an outage; here the silence counts.
    } finally {
      looking = false;
      update();
    }
  };
  // One try at a time: a disk that hangs has one file waiting.
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
