// What the change feed has told this proxy, and the one rule for every cached record: it may be used only if it was read
// at or after the horizon and at or after the last change of its subject, in the same epoch or one that it goes on from. Pure; times are
// monotonic.

/** A place on the change feed. Positions of different epochs are compared by FeedState.counted alone. */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}

export class FeedState {
  readonly #changedMax: number;
  /** Every change after it is known, or will be before the next confirmation. */
  #horizon: Position | undefined;
  /** Every change up to it has arrived. */
  #revision = 0;
  /** Subject → revision of its last change since the horizon, in order of revision. */
  readonly #changed = new Map<string, number>();
  #confirmedAt: number | undefined;
  /** Epochs that the horizon's goes on from → the last revision of theirs that is also its own. */
  #lineage: ReadonlyMap<string, number> = new Map();

  constructor(changedMax: number) {
    this.#changedMax = changedMax;
  }

  /** Where a new connection goes on. Undefined: the feed has never begun. */
  get position(): Position | undefined {
    return this.#horizon && { epoch: this.#horizon.epoch, revision: this.#revision };
  }

  /** When the newest answered ask was sent: all that happened before it is known. Undefined: not yet in this epoch. */
  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  /** The rule. Before the feed has begun nothing can contradict a record. */
  permits(ref: string, asOf: Position): boolean {
    const horizon = this.#horizon;
    if (horizon === undefined) return true;
    const revision = this.counted(asOf);
    return (
      revision !== undefined && revision >= horizon.revision && revision >= (this.#changed.get(ref) ?? 0)
    );
  }

  /** The revision of the feed's epoch that a position counts as. Undefined: of another history, or the feed has never begun. */
  counted({ epoch, revision }: Position): number | undefined {
    if (epoch === this.#horizon?.epoch) return revision;
    return revision <= (this.#lineage.get(epoch) ?? -1) ? revision : undefined;
  }

  /** Whether the record is of a moment that the feed has not reported yet. */
  isAhead(asOf: Position): boolean {
    return (this.counted(asOf) ?? 0) > this.#revision;
  }

  /**
   * The feed begins, goes on or starts over. In the same epoch, and in one that goes on from all that was heard, what is known stays true,
   * and only a gap moves the horizon; any other epoch is another history, about which nothing is known yet.
   * @param continues what the horizon's epoch goes on from, the newest first
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

  /** The subject has changed. Called in order of revision; repetitions do no harm. */
  change(ref: string, revision: number): void {
    const horizon = this.#horizon;
    if (horizon === undefined) return;
    this.#revision = Math.max(this.#revision, revision);
    if (revision <= horizon.revision || revision <= (this.#changed.get(ref) ?? 0)) return;
    // Removed first, so that the map stays in order of revision.
    this.#changed.delete(ref);
    this.#changed.set(ref, revision);
    if (this.#changed.size > this.#changedMax) this.#forgetOldest(horizon);
  }

  /**
   * Every change up to the position had arrived when the ask was answered.
   * @returns false if that cannot be: another epoch, or a place before what is already known
   */
  confirm(position: Position, askedAt: number): boolean {
    if (position.epoch !== this.#horizon?.epoch || position.revision < this.#revision) return false;
    this.#revision = position.revision;
    this.#confirmedAt = Math.max(this.#confirmedAt ?? askedAt, askedAt);
    return true;
  }

  // Changes known so far are all below it: the horizon says as much and more.
  #moveTo(horizon: Position): void {
    this.#changed.clear();
    this.#horizon = horizon;
    this.#revision = horizon.revision;
  }

  // The horizon takes the place of the entries: what was read before their revisions is unusable, whatever its subject.
  // A sixteenth at once, since each walk from the start of a map passes over all that was removed there before.
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

/** A revision counts if it is not above any continuation on the way. */
function lineageOf(epoch: string, continues: readonly Position[]): ReadonlyMap<string, number> {
  const lineage = new Map<string, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const each of continues) {
    least = Math.min(least, each.revision);
    if (each.epoch !== epoch && !lineage.has(each.epoch)) lineage.set(each.epoch, least);
  }
  return lineage;
}
