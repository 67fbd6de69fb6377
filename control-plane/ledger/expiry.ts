// Every replica looks for silent sessions every few seconds, each at its own times.
import type { Logger } from '../../common/logger.ts';
import { type Clock, systemClock } from '../../common/clock.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';
import { expireSessions } from './expire.ts';
import type { LedgerMetrics } from './metrics.ts';
import { silenceMaxMs } from './sessions.ts';

export interface ExpiryDeps {
  readonly store: Pick<Store, 'books'>;
  readonly log: Logger;
  readonly metrics: Pick<LedgerMetrics, 'sessionsExpired'>;
  readonly timers?: Timers;
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

const everyMs = 4000;

export function startExpiry(deps: ExpiryDeps): { close(): Promise<void> } {
  const { timers = systemTimers, clock = systemClock, random = Math.random } = deps;
  const sets = new ClockSets();
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let cancel: () => void;
  const again = () => {
    cancel = timers.after(everyMs * (0.75 + random() / 2), () => {
      running = expireOnce(deps, (now) => sets.isRecent(now, clock.monotonic())).then(() => {
        if (!closed) again();
      });
    });
  };
  again();
  return {
    close: async () => {
      closed = true;
      cancel();
      await running;
    },
  };
}

async function expireOnce(
  { store, log, metrics }: ExpiryDeps,
  isSet: (now: number) => boolean,
): Promise<void> {
  try {
    if (isSet(await store.books(async ({ now }) => now))) return;
    const count = await expireSessions(store);
    metrics.sessionsExpired(count);
    if (count > 0) log.warn({ sessions: count }, 'silent proxies: what they held is unsettled now');
  } catch (err) {
    log.warn({ err }, 'silent sessions could not be closed; trying again');
  }
}

/** More than clocks drift apart, and a look may be late. */
const setMinMs = 10_000;

/** Where the database's clock was set ahead every session looks silent: each has its time to be heard again. */
class ClockSets {
  #last: { readonly now: number; readonly monotonic: number } | undefined;
  #until = Number.NEGATIVE_INFINITY;

  isRecent(now: number, monotonic: number): boolean {
    const last = this.#last;
    this.#last = { now, monotonic };
    if (last !== undefined && now - last.now > monotonic - last.monotonic + setMinMs)
      this.#until = monotonic + silenceMaxMs;
    return monotonic < this.#until;
  }
}
