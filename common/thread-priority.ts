// Lowers the priority of worker threads, because nothing urgent waits for them. On a machine with too few processors,
// the event loop goes first.
import { getPriority, setPriority } from 'node:os';

/** A worker gets a third of the processor beside a busy event loop: it is delayed but never starved. */
const lower = 5;
const lowest = 19;

/**
 * Lowers the priority of the calling thread. On Linux each thread has its own priority (setpriority(2): C
 * library/kernel differences). Elsewhere it would be the process's priority, which stays unchanged.
 */
export function runBehindEventLoop(): void {
  if (process.platform !== 'linux') return;
  const own = 0;
  try {
    setPriority(own, Math.min(lowest, getPriority(own) + lower));
  } catch {
    // A sandbox may forbid it; then all threads keep the same priority.
  }
}
