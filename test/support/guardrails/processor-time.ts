// Time that a matcher takes of a processor: a busy machine does not change it much.

/** @returns milliseconds of this process, what it collects of garbage included */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
