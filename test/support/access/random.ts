// Pseudo-random numbers that repeat with their seed (mulberry32).
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number below n. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.below(items.length)] as T;
  }
}

/** The bytes with a bit flipped, a byte removed or a byte added, at a random position. */
export function scrambled(random: Random, bytes: Uint8Array): Buffer {
  const at = random.below(Math.max(1, bytes.length));
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
  switch (random.below(3)) {
    case 0:
      return Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]), after]);
    case 1:
      return Buffer.concat([before, after]);
    default:
      return Buffer.concat([before, Buffer.from([random.below(256)]), bytes.subarray(at)]);
  }
}
