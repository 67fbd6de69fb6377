// An interface for timers, so that tests can run protocols with their own clock.
export interface Timers {
  /** Runs the task once after the delay in milliseconds. The returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemTimers: Timers = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
