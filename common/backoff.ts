// Waiting between tries: exponential, with full jitter so that many programs do not come back at one instant.
export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Milliseconds to wait before try number `attempt` (1 = the first repetition). */
export function backoffMs(
  attempt: number,
  options: BackoffOptions,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(attempt - 1, 30));
  return ceiling / 2 + (ceiling / 2) * random();
}
