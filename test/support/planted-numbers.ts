// Numbers planted in JSON under names that stand nowhere else (`p1`, `p2`, …), and whether they have come through: each that is planted
// is found, and no number is found under such a name that is not the one planted there.
import type { Random } from './access/random.ts';
import { type FoundNumber, numbersOf, randomNumber } from './json-numbers.ts';

/** What must be found: this number at such a path. */
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

  /** A mark that `write` makes the number of. */
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

  /** JSON text, with the numbers in place of their marks, within strings too. */
  write(value: unknown, indent = 0): string {
    const text = JSON.stringify(value, undefined, indent);
    return text.replaceAll(/"#(\d+)#"/g, (_, index) => this.#sources[Number(index)] ?? '');
  }

  /** Names that are gone, because a vendor has no place for what stands under them. */
  forget(names: Iterable<string>): void {
    for (const name of names) this.#named.delete(name);
  }

  get names(): ReadonlySet<string> {
    return new Set(this.#named.keys());
  }

  /** @returns how many numbers have come through @throws Error for the first that has not */
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

/** @throws Error where no number at the path is the one expected, or another one stands there */
export function checkExpected(found: readonly FoundNumber[], expected: readonly Expected[]): number {
  for (const { path, source } of expected) {
    const there = found.filter((one) => path.test(one.path)).map((one) => one.source);
    if (there.length === 0 || there.some((one) => one !== source))
      throw new Error(`${path} is ${there.join(' ') || 'lost'}, and was ${source}`);
  }
  return expected.length;
}
