// Processor time, which other programs on a busy machine hardly change.

/** @returns milliseconds of this thread */
export function processorMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
