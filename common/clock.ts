// Clocks of the programs: wall time for displayed and recorded times, monotonic time for every age.
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary point. Never jumps and never decreases. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
