// What a server's clock shows now, guessed from the times that it told. It told each after it was asked, so the guess is ahead by no
// more than a question took to be answered in the quickest case. When an answer was read says little: it may have waited here for
// as long as the event loop stood still.

/** More than clocks drift apart. */
const driftMsPerMs = 0.001;
/** A guess that is older may be too far ahead. */
const forgottenAfterMs = 60_000;

export class ServerClock {
  /** The server's time less the monotonic clock, at most. */
  #offset = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param asked monotonic, before the question was sent. @param read monotonic, when its answer was read */
  told(time: number, { asked, read }: { readonly asked: number; readonly read: number }): void {
    const most = this.#offset + Math.max(0, read - this.#toldAt) * driftMsPerMs;
    // Later than was thought possible: it is the first time, or the server's clock was set ahead.
    const wasSetAhead = this.#toldAt === Number.NEGATIVE_INFINITY || time - read > most;
    this.#offset = wasSetAhead ? time - asked : Math.min(most, time - asked);
    this.#toldAt = read;
  }

  /** Whole milliseconds; 0 while it is not known. @param at monotonic */
  timeAt(at: number): number {
    const known = at - this.#toldAt <= forgottenAfterMs;
    return known ? Math.max(0, Math.floor(at + this.#offset)) : 0;
  }
}
