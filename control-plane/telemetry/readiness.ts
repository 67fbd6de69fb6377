// Whether this replica can serve: not while it drains, nor while the database does not answer. Told to /readyz and to
// grpc.health.v1 alike, so that whoever balances over replicas leaves this one alone.
import type { Clock } from '../../common/clock.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';

export interface Readiness {
  /** Undefined = ready; else the reason why not. */
  notReady(): string | undefined;
  /** From now on not ready. */
  drain(): void;
  close(): void;
}

export interface ReadinessDeps {
  readonly store: Pick<Store, 'position'>;
  readonly clock: Clock;
  readonly timers?: Timers;
  /** Called when it changes. */
  readonly onChange: (ready: boolean) => void;
}

const lookEveryMs = 1000;
/** One slow look is no outage. */
const silenceMaxMs = 5000;

export function watchReadiness({ store, clock, timers = systemTimers, onChange }: ReadinessDeps): Readiness {
  let readAt = clock.monotonic();
  let draining = false;
  let told = true;
  const notReady = () => {
    if (draining) return 'this replica is stopping';
    return clock.monotonic() - readAt > silenceMaxMs ? 'the database cannot be reached' : undefined;
  };
  const tell = () => {
    const ready = notReady() === undefined;
    if (ready !== told) onChange(ready);
    told = ready;
  };
  let looking = false;
  const look = () => {
    tell();
    if (looking) return;
    looking = true;
    const begun = clock.monotonic();
    store.position().then(
      () => {
        readAt = begun;
        looking = false;
        tell();
      },
      // The change feed logs an outage; here the silence counts.
      () => {
        looking = false;
      },
    );
  };
  let cancel = timers.after(lookEveryMs, function again() {
    look();
    cancel = timers.after(lookEveryMs, again);
  });
  return {
    notReady,
    drain: () => {
      draining = true;
      tell();
    },
    close: () => cancel(),
  };
}
