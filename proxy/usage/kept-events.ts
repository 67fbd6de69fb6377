// Recently acknowledged events, packed: they are reported again if the database has lost its last commits. The oldest
// are removed first, by their age or if there are too many.
import type { Clock } from '../../common/clock.ts';
import { batchBytesMax, batchEventsMax, bytesOfAll, type Packing, packing } from './batch.ts';
import type { UsageEvent } from './ledger-client.ts';

/** How long an event is kept after it was acknowledged. */
export const usageKeptMs = 300_000;
const keptBytesMax = 64 * 1024 * 1024;

export interface KeptBatch {
  /** The epoch in which it was acknowledged last. */
  epoch: string;
  /** Monotonic; when the last of its events was acknowledged. */
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
  /** Gets the next events. */
  #open: Batch | undefined;
  #bytes = 0;

  constructor(clock: Clock, options: KeptEventsOptions = {}) {
    this.#clock = clock;
    this.#bytesMax = options.bytesMax ?? keptBytesMax;
    this.#packing = options.packing ?? packing;
  }

  /** Milliseconds since the last event of the oldest batch was acknowledged; 0 without one. */
  get keptMs(): number {
    this.#forget();
    const [oldest] = this.#batches;
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.at;
  }

  /** Keeps the events from now on. Resolves once no batch is left to be packed. */
  async keep(events: readonly UsageEvent[], epoch: string): Promise<void> {
    // A control plane that does not report its epoch cannot report another one either.
    if (events.length === 0 || epoch === '') return;
    const earlier = this.#open;
    const batch = earlier?.epoch === epoch ? earlier : this.#begin(epoch);
    this.#bytes += batch.add(events, this.#clock.monotonic());
    if (batch.isFull) this.#open = undefined;
    for (const one of new Set([earlier, batch])) if (one !== undefined && one !== this.#open) await this.#pack(one);
    this.#forget();
  }

  #begin(epoch: string): Batch {
    const batch = new Batch(epoch, this.#packing);
    this.#batches.push(batch);
    this.#open = batch;
    return batch;
  }

  async #pack(batch: Batch): Promise<void> {
    const saved = await batch.pack();
    if (this.#batches.includes(batch)) this.#bytes -= saved;
  }

  /** The batches that were acknowledged in other epochs. */
  notIn(epoch: string): readonly KeptBatch[] {
    this.#forget();
    const others = this.#batches.filter((batch) => batch.epoch !== epoch);
    // Nothing is added to a batch that is reported again.
    if (this.#open?.epoch !== epoch) this.#open = undefined;
    return others;
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

/** Packing costs much more for each batch than for each event, so small reports are collected first. */
class Batch implements KeptBatch {
  epoch: string;
  at = 0;
  bytes = 0;
  readonly #packing: Packing;
  #content: UsageEvent[] | Uint8Array = [];

  constructor(epoch: string, packing: Packing) {
    this.epoch = epoch;
    this.#packing = packing;
  }

  get isFull(): boolean {
    return this.bytes >= batchBytesMax || this.#content.length >= batchEventsMax;
  }

  /** @param at monotonic, when they were acknowledged. @returns the bytes that they take */
  add(events: readonly UsageEvent[], at: number): number {
    if (this.#content instanceof Uint8Array) throw new Error('the batch is packed');
    const bytes = bytesOfAll(events);
    this.#content.push(...events);
    this.bytes += bytes;
    this.at = at;
    return bytes;
  }

  /** @returns the bytes that are free now */
  async pack(): Promise<number> {
    if (this.#content instanceof Uint8Array) return 0;
    const packed = await this.#packing.pack(this.#content);
    const saved = this.bytes - packed.length;
    this.#content = packed;
    this.bytes = packed.length;
    return saved;
  }

  async events(): Promise<readonly UsageEvent[]> {
    const content = this.#content;
    return content instanceof Uint8Array ? await this.#packing.unpack(content) : content;
  }
}
