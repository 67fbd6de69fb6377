// Recently acknowledged events, packed: they are reported again if the database has lost its last commits. The oldest
// are removed first, by their age or if there are too many.
import type { Clock } from '../../common/clock.ts';
import { bytesOfAll, type Packing, packing } from './batch.ts';
import type { UsageEvent } from './ledger-client.ts';

/** How long an event is kept after it was acknowledged. */
export const usageKeptMs = 300_000;
const keptBytesMax = 64 * 1024 * 1024;

export interface KeptBatch {
  /** The epoch in which it was acknowledged last. */
  epoch: string;
  /** Monotonic. */
  readonly at: number;
  /** Estimated until it is packed. */
  readonly bytes: number;
  events(): Promise<readonly UsageEvent[]>;
}

export interface KeptEventsOptions {
  readonly bytesMax?: number;
  readonly packing?: Packing | undefined;
}

export class KeptEvents {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  readonly #packing: Packing;
  #batches: Batch[] = [];
  #bytes = 0;

  constructor(clock: Clock, options: KeptEventsOptions = {}) {
    this.#clock = clock;
    this.#bytesMax = options.bytesMax ?? keptBytesMax;
    this.#packing = options.packing ?? packing;
  }

  /** Milliseconds since the oldest kept event was acknowledged; 0 without one. */
  get keptMs(): number {
    this.#forget();
    const [oldest] = this.#batches;
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.at;
  }

  /** Keeps the events from now on. Resolves once they are packed. */
  async keep(events: readonly UsageEvent[], epoch: string): Promise<void> {
    // A control plane that does not report its epoch cannot report another one either.
    if (events.length === 0 || epoch === '') return;
    const batch = new Batch(events, { epoch, at: this.#clock.monotonic(), packing: this.#packing });
    this.#batches.push(batch);
    this.#bytes += batch.bytes;
    const before = batch.bytes;
    await batch.pack();
    if (this.#batches.includes(batch)) this.#bytes += batch.bytes - before;
    this.#forget();
  }

  /** The batches that were acknowledged in other epochs. */
  notIn(epoch: string): readonly KeptBatch[] {
    this.#forget();
    return this.#batches.filter((batch) => batch.epoch !== epoch);
  }

  #forget(): void {
    const since = this.#clock.monotonic() - usageKeptMs;
    let gone = 0;
    for (const { at, bytes } of this.#batches) {
      if (at >= since && this.#bytes <= this.#bytesMax) break;
      this.#bytes -= bytes;
      gone += 1;
    }
    if (gone > 0) this.#batches = this.#batches.slice(gone);
  }
}

class Batch implements KeptBatch {
  epoch: string;
  readonly at: number;
  bytes: number;
  readonly #packing: Packing;
  #content: readonly UsageEvent[] | Uint8Array;

  constructor(
    events: readonly UsageEvent[],
    { at, epoch, packing }: { readonly at: number; readonly epoch: string; readonly packing: Packing },
  ) {
    this.epoch = epoch;
    this.at = at;
    this.bytes = bytesOfAll(events);
    this.#packing = packing;
    this.#content = events;
  }

  async pack(): Promise<void> {
    if (this.#content instanceof Uint8Array) return;
    this.#content = await this.#packing.pack(this.#content);
    this.bytes = this.#content.length;
  }

  async events(): Promise<readonly UsageEvent[]> {
    const content = this.#content;
    return content instanceof Uint8Array ? await this.#packing.unpack(content) : content;
  }
}
