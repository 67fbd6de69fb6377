// The wait between attempts: exponential, with full jitter, so that many programs do not retry at the same instant.
export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Milliseconds to wait before attempt number `attempt` (1 = the first retry). */
export function backoffMs(attempt: number, options: BackoffOptions, random: () => number = Math.random): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(attempt - 1, 30));
  return ceiling / 2 + (ceiling / 2) * random();
}
