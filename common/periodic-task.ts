// Work that runs at intervals, and at once when a caller wakes it. Two runs never overlap.
// A failure does not stop the task. A series of failures is logged once when it begins and once when it is over.
import type { Logger } from './logger.ts';
import type { Timers } from './timers.ts';

export interface Rounds {
  /** Starts a run now, or right after the current one. */
  wake(): void;
  /** Resolves when the current run is over; no other run starts afterwards. */
  close(): Promise<void>;
}

export interface RoundsOptions {
  /** Description for the log: "webhook deliveries". */
  readonly what: string;
  readonly everyMs: number;
  readonly log: Logger;
  readonly timers: Timers;
}

/** The first run starts at once. */
export function startRounds(round: () => Promise<void>, options: RoundsOptions): Rounds {
  const logged = loggingOutages(round, options);
  let running: Promise<void> | undefined;
  let wanted = false;
  let closed = false;
  let cancel = () => {};
  const run = async () => {
    do {
      wanted = false;
      await logged();
    } while (wanted && !closed);
    running = undefined;
    if (!closed) cancel = options.timers.after(options.everyMs, wake);
  };
  const wake = () => {
    wanted = true;
    if (closed || running !== undefined) return;
    cancel();
    running = run();
  };
  wake();
  return {
    wake,
    close: async () => {
      closed = true;
      cancel();
      await running;
    },
  };
}

/** Returns a function that never rejects. */
function loggingOutages(round: () => Promise<void>, { what, log }: RoundsOptions): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await round();
      if (failing) log.info({ rounds: what }, 'works again');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err, rounds: what }, 'fails; trying again');
      failing = true;
    }
  };
}
