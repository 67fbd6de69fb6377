// Every replica looks for silent sessions every few seconds, each at its own times.
import type { Logger } from '../../common/logger.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';
import { expireSessions } from './expire.ts';
import type { LedgerMetrics } from './metrics.ts';

export interface ExpiryDeps {
  readonly store: Pick<Store, 'books'>;
  readonly log: Logger;
  readonly metrics: Pick<LedgerMetrics, 'sessionsExpired'>;
  readonly timers?: Timers;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

const everyMs = 4000;

export function startExpiry(deps: ExpiryDeps): { close(): Promise<void> } {
  const { timers = systemTimers, random = Math.random } = deps;
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let cancel: () => void;
  const again = () => {
    cancel = timers.after(everyMs * (0.75 + random() / 2), () => {
      running = expireOnce(deps).then(() => {
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

async function expireOnce({ store, log, metrics }: ExpiryDeps): Promise<void> {
  try {
    const count = await expireSessions(store);
    metrics.sessionsExpired(count);
    if (count > 0) log.warn({ sessions: count }, 'silent proxies: what they held is unsettled now');
  } catch (err) {
    log.warn({ err }, 'silent sessions could not be closed; trying again');
  }
}
