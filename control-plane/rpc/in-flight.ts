// The calls that are being answered, so that a stop can wait for them.
import { systemTimers, type Timers } from '../../common/timers.ts';

export interface InFlight {
  add(work: Promise<unknown>): void;
  /** Resolves when nothing is being answered, or after the grace. */
  idle(graceMs: number): Promise<void>;
}

export function createInFlight(timers: Timers = systemTimers): InFlight {
  let count = 0;
  let whenIdle: (() => void) | undefined;
  const done = () => {
    count--;
    if (count === 0) whenIdle?.();
  };
  return {
    add: (work) => {
      count++;
      work.then(done, done);
    },
    idle: (graceMs) =>
      new Promise((resolve) => {
        if (count === 0) return resolve();
        const cancel = timers.after(graceMs, resolve);
        whenIdle = () => {
          cancel();
          resolve();
        };
      }),
  };
}
