// Timers as programs take them, so that protocols can be run under a clock of a test.
export interface Timers {
  /** Runs the task once after the delay in milliseconds. The answer cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemTimers: Timers = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
