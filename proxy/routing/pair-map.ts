// A map of two keys with a limit: the entry that was used least recently makes room. A look-up builds no string and
// moves nothing, because it runs on the request path.

export interface Entry<V> {
  readonly first: string;
  readonly second: string;
  readonly value: V;
}

export class PairMap<V> {
  readonly #max: number;
  readonly #rows = new Map<string, Map<string, Entry<V>>>();
  /** The least recently used entry comes first. */
  readonly #order = new Set<Entry<V>>();
  #newest: Entry<V> | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#order.size;
  }

  /** Does not count as a use. */
  get(first: string, second: string): V | undefined {
    return this.#rows.get(first)?.get(second)?.value;
  }

  /** The value, made if it is missing. */
  use(first: string, second: string, make: () => V): V {
    const entry = this.#rows.get(first)?.get(second) ?? this.#add({ first, second, value: make() });
    if (entry === this.#newest) return entry.value;
    this.#newest = entry;
    this.#order.delete(entry);
    this.#order.add(entry);
    if (this.#order.size > this.#max) {
      const [oldest] = this.#order;
      if (oldest !== undefined) this.delete(oldest.first, oldest.second);
    }
    return entry.value;
  }

  #add(entry: Entry<V>): Entry<V> {
    const row = this.#rows.get(entry.first) ?? new Map<string, Entry<V>>();
    this.#rows.set(entry.first, row.set(entry.second, entry));
    return entry;
  }

  delete(first: string, second: string): void {
    const row = this.#rows.get(first);
    const entry = row?.get(second);
    if (row === undefined || entry === undefined) return;
    row.delete(second);
    if (row.size === 0) this.#rows.delete(first);
    this.#order.delete(entry);
  }

  *entries(): Generator<Entry<V>, void> {
    yield* this.#order;
  }

  *values(): Generator<V, void> {
    for (const { value } of this.#order) yield value;
  }
}
