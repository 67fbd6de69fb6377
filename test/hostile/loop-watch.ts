// Loaded before a plane's own code (NODE_OPTIONS=--import=…). Measures the longest tick of its event loop in processor
// time of the main thread, so that a busy machine does not look like a busy loop. A tick may contain several pieces of
// work, so it is an upper bound for one. On SIGUSR2 it writes the times since the last signal to standard error.
import { isMainThread } from 'node:worker_threads';

export interface LoopTimes {
  /** The longest tick, in processor time. */
  readonly tickMs: number;
  /** The longest time between two checks by the clock, including other work of the machine. */
  readonly lateMs: number;
  /** Total processor time of the main thread. */
  readonly spentMs: number;
}

const everyMs = 2;

function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function watch(): void {
  let [at, spent] = [performance.now(), cpu()];
  let [tickMs, lateMs, begun] = [0, 0, spent];
  setInterval(() => {
    const [now, used] = [performance.now(), cpu()];
    tickMs = Math.max(tickMs, used - spent);
    lateMs = Math.max(lateMs, now - at - everyMs);
    [at, spent] = [now, used];
  }, everyMs).unref();
  process.on('SIGUSR2', () => {
    const times: LoopTimes = { tickMs, lateMs, spentMs: cpu() - begun };
    process.stderr.write(`${JSON.stringify({ loop: times })}\n`);
    [tickMs, lateMs, begun] = [0, 0, cpu()];
    [at, spent] = [performance.now(), begun];
  });
}

if (isMainThread) watch();
