// Worker threads do what nobody else has to wait for; on a machine that has fewer processors than they want, the event loop goes first.
import { getPriority, setPriority } from 'node:os';

/** A third of the processor for a worker beside an event loop that wants all of it: late, and never starved. */
const lower = 5;
const lowest = 19;

/**
 * Lowers the priority of the thread that calls it. On Linux each thread has its own (setpriority(2): C library/kernel differences); elsewhere
 * it would be the process's, which keeps it.
 */
export function runBehindEventLoop(): void {
  if (process.platform !== 'linux') return;
  const own = 0;
  try {
    setPriority(own, Math.min(lowest, getPriority(own) + lower));
  } catch {
    // A sandbox may forbid it; then all threads are equal, as they were.
  }
}
