// The bounds of the access protocol in one table; docs/design/access.md explains them. Times in milliseconds.
export const accessLimits = {
  /** Look-ups in memory, by kind of record. */
  keysMax: 100_000,
  scopesMax: 100_000,
  organizationsMax: 10_000,
  /** Changes that are remembered one by one; above it the horizon moves up and older records are resolved again. */
  changedMax: 200_000,
  /** What was confirmed within this time is served at once: four heartbeats. */
  freshForMs: 20_000,
  /** How long a stale record waits for the control plane before it is served. */
  staleWaitMs: 200,
  /** After it was served stale, a record is not made to wait again for this long: one request of many pays, not each. */
  staleGraceMs: 5_000,
  /** A record used within this time is resolved again as soon as the feed names it; others when they are next asked for. */
  recentlyUsedMs: 60_000,
  /** Spreads the resolves of many proxies that hear of one change at one instant. */
  resolveJitterMs: 50,
  /** Spreads what is resolved anew because of its age; at most an eighth of what a record may be old. */
  renewJitterMs: 60_000,
  /** At a time, so that renewing never keeps requests from their resolves. */
  renewalsMax: 8,
  /** Signatures that were found good; each is one response of the control plane. */
  rootsMax: 10_000,
  /** Replicas sign with one key, two while it is rotated; of more that are named the one used longest ago is forgotten. */
  learntKeysMax: 8,
  resolveDeadlineMs: 2_000,
  resolvesMax: 64,
  /** Of these, for hashes that neither memory nor Redis has ever held: guesses cannot crowd out known keys. */
  resolvesNeverSeenMax: 32,
  unknownForMs: 5_000,
  unknownMax: 10_000,
  askEveryMs: 5_000,
  reconnectFirstMs: 100,
  reconnectMaxMs: 2_000,
  /** A record confirmed further in the future than this was written under a broken clock and is ignored. */
  clockSkewMs: 30_000,
} as const satisfies Record<string, number>;

export type AccessLimits = { readonly [Name in keyof typeof accessLimits]: number };
