// How a provider's response ended, as far as its cost goes.

/**
 * `open`: it has not ended yet. `unused`: the provider refused, or was never reached: it costs nothing. `whole`: all came that the
 * format promises. Of all others nobody knows what they cost, unless their usage had come before: `left`: cancelled because nobody
 * takes it any more, at a provider that stops then. `cut`: it ended too early. `reset`: its connection broke. `timed_out`: the
 * gateway waited for it long enough. `not_read`: it could not be read, or there was no room to read it on. `shutdown`: the gateway
 * stopped.
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

/** Why a response is given up that could still be read. */
export type GiveUpReason = Extract<ResponseEnd, 'left' | 'timed_out' | 'not_read' | 'shutdown'>;
