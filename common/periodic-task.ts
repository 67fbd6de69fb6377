// Work that runs at intervals, and at once when a caller wakes it. Two runs never overlap.
// A failure does not stop the task. A series of failures is logged once when it begins and once when it is over.
import type { Logger } from './logger.ts';
import type { Timers } from './timers.ts';

export interface PeriodicTask {
  /** Starts a run now, or right after the current one. */
  wake(): void;
  /** Resolves when the current run is over; no other run starts afterwards. */
  close(): Promise<void>;
}

export interface PeriodicTaskOptions {
  /** Description for the log: "webhook deliveries". */
  readonly what: string;
  readonly everyMs: number;
  readonly log: Logger;
  readonly timers: Timers;
}

/** The first run starts at once. */
export function startPeriodicTask(work: () => Promise<void>, options: PeriodicTaskOptions): PeriodicTask {
  const logged = loggingOutages(work, options);
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
function loggingOutages(work: () => Promise<void>, { what, log }: PeriodicTaskOptions): () => Promise<void> {
  let failing = false;
  return async () => {
    try {
      await work();
      if (failing) log.info({ task: what }, 'works again');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err, task: what }, 'fails; trying again');
      failing = true;
    }
  };
}
