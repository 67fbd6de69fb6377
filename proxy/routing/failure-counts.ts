// The failures of a target: in a row, and their share over ten seconds.

const inARowMax = 5;
const windowSeconds = 10;
const attemptsMin = 20;
const shareMax = 0.5;

/** Begins with the first failure: successes before it are not in the share. */
export class FailureCounts {
  #inARow = 0;
  readonly #attempts = emptyRing();
  readonly #failures = emptyRing();
  #second: number;

  constructor(now: number) {
    this.#second = secondOf(now);
  }

  succeeded(now: number): void {
    this.#inARow = 0;
    this.#add(this.#attempts, now);
  }

  /** @returns whether there are too many now */
  failed(now: number): boolean {
    this.#inARow++;
    this.#add(this.#attempts, now);
    this.#add(this.#failures, now);
    if (this.#inARow >= inARowMax) return true;
    const attempts = sumOf(this.#attempts);
    return attempts >= attemptsMin && sumOf(this.#failures) >= shareMax * attempts;
  }

  /** After a success: whether nothing of these counts matters any more. */
  isOver(now: number): boolean {
    this.#advance(now);
    return sumOf(this.#failures) === 0;
  }

  #add(counts: number[], now: number): void {
    this.#advance(now);
    const index = this.#second % windowSeconds;
    counts[index] = (counts[index] ?? 0) + 1;
  }

  #advance(now: number): void {
    const second = secondOf(now);
    const over = Math.min(second - this.#second, windowSeconds);
    for (let step = 0; step < over; step++) {
      const index = (second - step) % windowSeconds;
      this.#attempts[index] = 0;
      this.#failures[index] = 0;
    }
    this.#second = second;
  }
}

/** By second; plain numbers, because a typed array of ten takes three times the memory. */
function emptyRing(): number[] {
  return new Array<number>(windowSeconds).fill(0);
}

function secondOf(now: number): number {
  return Math.floor(now / 1000);
}

function sumOf(counts: readonly number[]): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
