// Events that were acknowledged of late, packed: a database that has lost what it committed last is told again. The oldest go first,
// by their age or where there are too many.
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Clock } from '../../../common/clock.ts';
import type { UsageEvent } from '../budgets/ledger-client.ts';

const keptMs = 300_000;
const keptBytesMax = 64 * 1024 * 1024;
/** By estimate: packing takes some milliseconds, away from the event loop. */
const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

export interface KeptBatch {
  /** Where it was acknowledged last. */
  epoch: string;
  /** Monotonic. */
  readonly at: number;
  readonly bytes: number;
  events(): Promise<readonly UsageEvent[]>;
}

export class KeptEvents {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  #batches: KeptBatch[] = [];
  #bytes = 0;

  constructor(clock: Clock, bytesMax: number = keptBytesMax) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /** Milliseconds since the oldest was acknowledged; 0 without one. */
  get keptMs(): number {
    this.#forget();
    const [oldest] = this.#batches;
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.at;
  }

  async keep(events: readonly UsageEvent[], epoch: string): Promise<void> {
    // A control plane that does not say where it is cannot say that it is elsewhere.
    if (events.length === 0 || epoch === '') return;
    const at = this.#clock.monotonic();
    const packed = await pack(JSON.stringify(events), { level: 1 });
    this.#batches.push({
      ...{ epoch, at, bytes: packed.length },
      events: async () => JSON.parse((await unpack(packed)).toString()),
    });
    this.#bytes += packed.length;
    this.#forget();
  }

  /** What was acknowledged elsewhere. */
  notIn(epoch: string): readonly KeptBatch[] {
    this.#forget();
    return this.#batches.filter((batch) => batch.epoch !== epoch);
  }

  #forget(): void {
    const since = this.#clock.monotonic() - keptMs;
    let gone = 0;
    for (const { at, bytes } of this.#batches) {
      if (at >= since && this.#bytes <= this.#bytesMax) break;
      this.#bytes -= bytes;
      gone += 1;
    }
    if (gone > 0) this.#batches = this.#batches.slice(gone);
  }
}
