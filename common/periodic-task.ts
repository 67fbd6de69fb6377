// Work that is done again and again: every so often, and at once when somebody knows of some. Never two rounds at a time.
// A failure ends nothing; a row of them is told once when it begins and once when it is over.
import type { Logger } from './logger.ts';
import type { Timers } from './timers.ts';

export interface Rounds {
  /** A round begins now, or right after the one that is under way. */
  wake(): void;
  /** Resolves when the round under way is over; none begins after it. */
  close(): Promise<void>;
}

export interface RoundsOptions {
  /** For the log: "webhook deliveries". */
  readonly what: string;
  readonly everyMs: number;
  readonly log: Logger;
  readonly timers: Timers;
}

/** The first round begins at once. */
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

/** Never rejects. */
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
