// Numbers planted in JSON under unique names (`p1`, `p2`, …), and the check that they were carried: every planted
// number is found, and under its name there is no other number.
import type { Random } from './access/random.ts';
import { type FoundNumber, numbersOf, randomNumber } from './json-numbers.ts';

/** An expected match: this number at such a path. */
export interface Expected {
  readonly path: RegExp;
  readonly source: string;
}

export class Planted {
  readonly #random: Random;
  readonly #sources: string[] = [];
  readonly #named = new Map<string, string[]>();
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A mark that `write` replaces by the number. */
  number(source = randomNumber(this.#random)): string {
    return `#${this.#sources.push(source) - 1}#`;
  }

  /** Fields with a number each, and lists of them. */
  fields(count: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (let left = count; left > 0; left--) {
      const name = this.name();
      const sources = Array.from({ length: 1 + this.#random.below(3) }, () => randomNumber(this.#random));
      this.expect(name, sources);
      const marks = sources.map((source) => this.number(source));
      fields[name] = marks.length === 1 ? marks[0] : marks;
    }
    return fields;
  }

  name(): string {
    return `p${++this.#names}`;
  }

  expect(name: string, sources: readonly string[]): void {
    this.#named.set(name, [...(this.#named.get(name) ?? []), ...sources]);
  }

  /** JSON text with the numbers in place of their marks, also within strings. */
  write(value: unknown, indent = 0): string {
    const text = JSON.stringify(value, undefined, indent);
    return text.replaceAll(/"#(\d+)#"/g, (_, index) => this.#sources[Number(index)] ?? '');
  }

  /** Forgets names that are gone because a vendor cannot take the fields that contain them. */
  forget(names: Iterable<string>): void {
    for (const name of names) this.#named.delete(name);
  }

  get names(): ReadonlySet<string> {
    return new Set(this.#named.keys());
  }

  /** @returns the number of carried numbers @throws Error for the first missing one */
  check(text: string, found: readonly FoundNumber[] = numbersOf(text)): number {
    const byName = Map.groupBy(found, ({ path }) => /(?:^|\/)(p\d+)(?:\/\d+)?$/.exec(path)?.[1]);
    let count = 0;
    for (const [name, sources] of this.#named) {
      const carried = (byName.get(name) ?? []).map(({ source }) => source);
      if (carried.join(' ') !== sources.join(' '))
        throw new Error(`${name} is ${carried.join(' ') || 'lost'}, and was ${sources.join(' ')}`);
      count += sources.length;
    }
    return count;
  }
}

/** @throws Error if the expected number is missing at its path, or another one is there */
export function checkExpected(found: readonly FoundNumber[], expected: readonly Expected[]): number {
  for (const { path, source } of expected) {
    const there = found.filter((one) => path.test(one.path)).map((one) => one.source);
    if (there.length === 0 || there.some((one) => one !== source))
      throw new Error(`${path} is ${there.join(' ') || 'lost'}, and was ${source}`);
  }
  return expected.length;
}
