// Time as the programs see it: wall time for what people read and records carry, monotonic time for every age.
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump. */
  now(): number;
  /** Milliseconds since some point. Never jumps, never goes back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
