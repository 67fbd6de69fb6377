// The bounds of the access protocol in one table; docs/design/access.md explains them. Times are in milliseconds.
export const accessLimits = {
  /** Look-ups in memory, by kind of record. */
  keysMax: 100_000,
  scopesMax: 100_000,
  organizationsMax: 10_000,
  /**
   * Changes that are remembered one by one. Above this number the watermark moves up, and older records are resolved
   * again.
   */
  changedMax: 200_000,
  /** A record confirmed within this time is served at once: four heartbeats. */
  freshForMs: 20_000,
  /** How long a stale record waits for the control plane before it is served. */
  staleWaitMs: 200,
  /** A record that was served stale does not wait again for this long, so that only one of many requests waits. */
  staleGraceMs: 5_000,
  /** A record used within this time is resolved again as soon as the feed names it; other records at their next use. */
  recentlyUsedMs: 60_000,
  /** Spreads the resolves of many proxies that receive one change at the same instant. */
  resolveJitterMs: 50,
  /** Spreads the renewal of old records; at most an eighth of the greatest age of a record. */
  renewJitterMs: 60_000,
  /** Renewals at a time, so that they never keep requests from their resolves. */
  renewalsMax: 8,
  /** Signatures that were verified; each is of one response of the control plane. */
  rootsMax: 10_000,
  /**
   * Replicas sign with one key, or with two while it is rotated. If more keys are named, the least recently used one is
   * removed.
   */
  learntKeysMax: 8,
  resolveDeadlineMs: 2_000,
  resolvesMax: 64,
  /** Of these, how many have a call of their own. Beyond this number keys share calls… */
  resolvesAloneMax: 8,
  /** …each of at most so many keys. */
  resolvesTogetherMax: 64,
  /** Of `resolvesMax`, the slots for hashes that were never in memory or Redis: guesses cannot crowd out known keys. */
  resolvesNeverSeenMax: 32,
  unknownForMs: 5_000,
  unknownMax: 10_000,
  askEveryMs: 5_000,
  reconnectFirstMs: 100,
  reconnectMaxMs: 2_000,
  /** A record confirmed further in the future than this was written with a wrong clock and is ignored. */
  clockSkewMs: 30_000,
} as const satisfies Record<string, number>;

export type AccessLimits = { readonly [Name in keyof typeof accessLimits]: number };
