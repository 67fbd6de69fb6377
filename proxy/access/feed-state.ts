// The proxy's knowledge of the change feed, and the one rule for every cached record: a record may be used only if it
// was read at or after the watermark and at or after the last change of its subject, in the same epoch or in one that
// this epoch continues. Pure; times are monotonic.

/** A position on the change feed. Only FeedState.counted compares positions of different epochs. */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}

export class FeedState {
  readonly #changedMax: number;
  /** The watermark: every change after it is known, or will arrive before the next confirmation. */
  #horizon: Position | undefined;
  /** Every change up to this revision has arrived. */
  #revision = 0;
  /** Subject → revision of its last change since the watermark, in order of revision. */
  readonly #changed = new Map<string, number>();
  #confirmedAt: number | undefined;
  /** Epochs that the watermark's epoch continues → the last of their revisions that also belongs to its history. */
  #lineage: ReadonlyMap<string, number> = new Map();

  constructor(changedMax: number) {
    this.#changedMax = changedMax;
  }

  /** The position from which a new connection continues. Undefined: the feed has never begun. */
  get position(): Position | undefined {
    return this.#horizon && { epoch: this.#horizon.epoch, revision: this.#revision };
  }

  /**
   * When the newest acknowledged heartbeat was sent: every change before that time is known. Undefined: none yet in
   * this epoch.
   */
  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  /** The rule. Before the feed has begun, nothing can contradict a record. */
  permits(ref: string, asOf: Position): boolean {
    const horizon = this.#horizon;
    if (horizon === undefined) return true;
    const revision = this.counted(asOf);
    return revision !== undefined && revision >= horizon.revision && revision >= (this.#changed.get(ref) ?? 0);
  }

  /**
   * The revision of the feed's epoch that corresponds to a position. Undefined: the position is of another history, or
   * the feed has never begun.
   */
  counted({ epoch, revision }: Position): number | undefined {
    if (epoch === this.#horizon?.epoch) return revision;
    return revision <= (this.#lineage.get(epoch) ?? -1) ? revision : undefined;
  }

  /** Whether the record is newer than everything that the feed has reported. */
  isAhead(asOf: Position): boolean {
    return (this.counted(asOf) ?? 0) > this.#revision;
  }

  /**
   * The feed begins, continues or starts over. In the same epoch, or in one that continues everything received so far,
   * the known changes stay valid and only a gap moves the watermark. Any other epoch is another history, about which
   * nothing is known yet.
   * @param continues the positions that the watermark's epoch continues, the newest first
   */
  begin(horizon: Position, continues: readonly Position[] = []): void {
    const { position } = this;
    this.#lineage = lineageOf(horizon.epoch, continues);
    const isKnown = position?.epoch === horizon.epoch || this.#hasLived(position);
    if (!isKnown) this.#confirmedAt = undefined;
    if (this.#horizon === undefined || !isKnown || horizon.revision > this.#revision) this.#moveTo(horizon);
    else this.#horizon = { epoch: horizon.epoch, revision: this.#horizon.revision };
  }

  #hasLived(position: Position | undefined): boolean {
    return position !== undefined && position.revision <= (this.#lineage.get(position.epoch) ?? -1);
  }

  /** Records that the subject has changed. Calls come in order of revision; repetitions do no harm. */
  change(ref: string, revision: number): void {
    const horizon = this.#horizon;
    if (horizon === undefined) return;
    this.#revision = Math.max(this.#revision, revision);
    if (revision <= horizon.revision || revision <= (this.#changed.get(ref) ?? 0)) return;
    // Deleted first, so that the map stays in order of revision.
    this.#changed.delete(ref);
    this.#changed.set(ref, revision);
    if (this.#changed.size > this.#changedMax) this.#forgetOldest(horizon);
  }

  /**
   * Every change up to the position had arrived when the heartbeat was acknowledged.
   * @returns false if that is impossible: another epoch, or a position before one that is already known
   */
  confirm(position: Position, requestedAt: number): boolean {
    if (position.epoch !== this.#horizon?.epoch || position.revision < this.#revision) return false;
    this.#revision = position.revision;
    this.#confirmedAt = Math.max(this.#confirmedAt ?? requestedAt, requestedAt);
    return true;
  }

  // All changes known so far are below the new watermark, so it replaces them.
  #moveTo(horizon: Position): void {
    this.#changed.clear();
    this.#horizon = horizon;
    this.#revision = horizon.revision;
  }

  // Moves the watermark up in place of the oldest entries: a record read before their revisions becomes unusable,
  // whatever its subject. A sixteenth of the entries is deleted at once, because each walk from the start of a map
  // passes over all entries that were deleted there before.
  #forgetOldest(horizon: Position): void {
    const kept = this.#changedMax - Math.floor(this.#changedMax / 16);
    let { revision } = horizon;
    for (const [ref, changedAt] of this.#changed) {
      if (this.#changed.size <= kept) break;
      this.#changed.delete(ref);
      revision = changedAt;
    }
    this.#horizon = { epoch: horizon.epoch, revision };
  }
}

/** A revision of an earlier epoch counts only if it is not above any continuation between that epoch and this one. */
function lineageOf(epoch: string, continues: readonly Position[]): ReadonlyMap<string, number> {
  const lineage = new Map<string, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const each of continues) {
    least = Math.min(least, each.revision);
    if (each.epoch !== epoch && !lineage.has(each.epoch)) lineage.set(each.epoch, least);
  }
  return lineage;
}
