// How a provider's response ended, as far as its cost is concerned.

/**
 * `open`: it has not ended yet. `unused`: the provider refused, or was never reached, so it costs nothing. `whole`:
 * everything arrived that the format promises. The cost of all other ends is unknown, unless the usage had arrived
 * before. `left`: the gateway cancelled it because its caller left, at a provider that stops then. `cut`: it ended too
 * early. `reset`: its connection broke. `timed_out`: the gateway waited long enough. `not_read`: it could not be read,
 * or there was no room to read it on. `shutdown`: the gateway stopped.
 */
export type ResponseEnd =
  | 'open'
  | 'unused'
  | 'whole'
  | 'left'
  | 'cut'
  | 'reset'
  | 'timed_out'
  | 'not_read'
  | 'shutdown';

/** Why the gateway gives up a response that it could still read. */
export type GiveUpReason = Extract<ResponseEnd, 'left' | 'timed_out' | 'not_read' | 'shutdown'>;
