// Queue of work that is served in short pieces of time. The organization that was served least of late comes first, and
// within it the key that was served least. A caller with little work waits for at most one piece of the others' work,
// and callers with much work get equal parts.
import { lruCache } from './lru-cache.ts';
import type { ShareOwner } from './shares.ts';

/** Half-life of the recorded service time. */
const halfMs = 1_000;
/** How many owners are remembered. The least recently seen ones are forgotten, as if they had never been served. */
const ownersMax = 10_000;

interface Served {
  ms: number;
  at: number;
}

export class LeastServed<Work> {
  readonly #now: () => number;
  /** By organization, then by key, in order of arrival. */
  readonly #waiting = new Map<string, Map<string, Work[]>>();
  readonly #served = lruCache<Served>(ownersMax);
  #length = 0;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  get length(): number {
    return this.#length;
  }

  isWaiting(organization: string): boolean {
    return this.#waiting.has(organization);
  }

  push({ organization, key }: ShareOwner, work: Work): void {
    const keys = this.#waiting.get(organization) ?? new Map<string, Work[]>();
    const line = keys.get(key) ?? [];
    line.push(work);
    keys.set(key, line);
    this.#waiting.set(organization, keys);
    this.#length++;
  }

  shift(): Work | undefined {
    const now = this.#now();
    const organization = this.#least(this.#waiting.keys(), now, (name) => name);
    const keys = organization === undefined ? undefined : this.#waiting.get(organization);
    if (organization === undefined || keys === undefined) return undefined;
    const key = this.#least(keys.keys(), now, (name) => nameOf({ organization, key: name })) ?? '';
    const line = keys.get(key) ?? [];
    const work = line.shift();
    if (line.length === 0) keys.delete(key);
    if (keys.size === 0) this.#waiting.delete(organization);
    this.#length--;
    return work;
  }

  /** Records how long the owner was served. */
  charge(owner: ShareOwner, ms: number): void {
    const now = this.#now();
    for (const name of [owner.organization, nameOf(owner)]) {
      const served = this.#served.get(name);
      if (served === undefined) this.#served.set(name, { ms, at: now });
      else {
        served.ms = rest(served, now) + ms;
        served.at = now;
      }
    }
  }

  #least(names: Iterable<string>, now: number, servedAs: (name: string) => string): string | undefined {
    let [least, leastMs]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const name of names) {
      const served = this.#served.get(servedAs(name));
      const ms = served === undefined ? 0 : rest(served, now);
      if (ms < leastMs) [least, leastMs] = [name, ms];
    }
    return least;
  }
}

function nameOf({ organization, key }: ShareOwner): string {
  return `${organization} ${key}`;
}

function rest({ ms, at }: Served, now: number): number {
  return ms * 0.5 ** ((now - at) / halfMs);
}
