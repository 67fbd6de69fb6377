// Loaded before a plane's own code (NODE_OPTIONS=--import=…): measures the longest turn of its event loop, in processor time of its main
// thread, so that a busy machine does not show as a busy loop. A turn may be several pieces of work: it is an upper bound of one. On SIGUSR2
// it writes what it has seen since the last time to standard error.
import { isMainThread } from 'node:worker_threads';

export interface LoopTimes {
  /** The longest turn, processor time. */
  readonly turnMs: number;
  /** The longest time between two looks, by the clock: with what the machine did meanwhile. */
  readonly lateMs: number;
  /** Processor time of the main thread, in all. */
  readonly spentMs: number;
}

const everyMs = 2;

function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function watch(): void {
  let [at, spent] = [performance.now(), cpu()];
  let [turnMs, lateMs, begun] = [0, 0, spent];
  setInterval(() => {
    const [now, used] = [performance.now(), cpu()];
    turnMs = Math.max(turnMs, used - spent);
    lateMs = Math.max(lateMs, now - at - everyMs);
    [at, spent] = [now, used];
  }, everyMs).unref();
  process.on('SIGUSR2', () => {
    const times: LoopTimes = { turnMs, lateMs, spentMs: cpu() - begun };
    process.stderr.write(`${JSON.stringify({ loop: times })}\n`);
    [turnMs, lateMs, begun] = [0, 0, cpu()];
    [at, spent] = [performance.now(), begun];
  });
}

if (isMainThread) watch();
