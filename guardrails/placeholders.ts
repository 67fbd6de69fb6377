// The placeholders of one request: "[EMAIL_1]", the same for the same value everywhere in the request. They exist only
// in the memory of the request.
import { placeholder } from './definition.ts';

export class Placeholders {
  readonly #byValue = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #counts: Map<string, number>;

  /** @param counts the numbers in use, by label */
  constructor(counts: ReadonlyMap<string, number> = new Map()) {
    this.#counts = new Map(counts);
  }

  /**
   * @param label the label of the match
   * @param isTaken whether a placeholder already has another meaning
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

  /** The original values by placeholder. */
  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** The numbers in use, by label. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
