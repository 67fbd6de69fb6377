// What stands in place of what was found: "[EMAIL_1]", the same for the same value wherever it stands in one request. Kept in the
// memory of the request alone.
import { placeholder } from './definition.ts';

export class Placeholders {
  readonly #byValue = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #counts: Map<string, number>;

  /** @param counts numbers that are taken, by label */
  constructor(counts: ReadonlyMap<string, number> = new Map()) {
    this.#counts = new Map(counts);
  }

  /**
   * @param label as a matcher gives it
   * @param isTaken whether a placeholder means something else already
   */
  of(value: string, label: string, isTaken: (made: string) => boolean = () => false): string {
    const key = `${label} ${value}`;
    const known = this.#byValue.get(key);
    if (known !== undefined && !isTaken(known)) return known;
    let number = (this.#counts.get(label) ?? 0) + 1;
    while (isTaken(placeholder(label, number))) number++;
    this.#counts.set(label, number);
    const made = placeholder(label, number);
    this.#byValue.set(key, made);
    this.#values.set(made, value);
    return made;
  }

  /** What a placeholder stands for. */
  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** Numbers that are taken, by label. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
