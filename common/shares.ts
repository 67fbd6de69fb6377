// Fair shares of what is scarce: places, bytes, sockets, look-ups, workers, time. No organization, and inside of one no key, takes what
// the others need, however many of them are greedy. Three forms: what is held, what waits in a queue, what comes at a rate. Nothing that
// is held is taken away; whoever holds it has a time limit.
import { LRUCache } from 'lru-cache';

/** Whose use of a resource it is. */
export interface ShareOwner {
  /** Strangers by their address are in one organization of their own. */
  readonly organization: string;
  /** The key, or the address of a stranger. */
  readonly key: string;
}

export interface HeldOptions {
  /** Of all together. */
  readonly capacity: number;
  /**
   * An organization may take more while what it has is below alpha times what is free: k greedy ones hold alpha·C / (1 + k·alpha) each, and
   * C / (1 + k·alpha) stays free for the next. 4 lets one that is alone have 80 %; infinity: first come, first served.
   */
  readonly alpha: number;
  /** The same for a key among those of its organization, of what that may take. Default: one that is alone has nearly all of it. */
  readonly keyAlpha?: number;
}

const usualKeyAlpha = 4;

/** @param share the part of all that one may have while it is alone, above 0 to 1 @returns alpha */
export function alphaOf(share: number): number {
  return share >= 1 ? Number.POSITIVE_INFINITY : share / (1 - share);
}

/** What is held for a time: requests, bytes, sockets, look-ups. */
export class HeldShare {
  readonly #options: HeldOptions;
  readonly #organizations = new Map<string, Holding>();
  #used = 0;
  #refused = 0;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  get capacity(): number {
    return this.#options.capacity;
  }

  /** The largest amount that can ever be taken at once, by a key that is alone; see hasRoom. */
  get largest(): number {
    const { alpha, keyAlpha = usualKeyAlpha, capacity } = this.#options;
    const ofAll = capacity / (1 + 1 / keyAlpha);
    const ofOrganization = capacity / (1 + 1 / alpha + 1 / (alpha * keyAlpha));
    return Math.ceil(Math.min(ofAll, ofOrganization));
  }

  /** Since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** @returns whether it was taken; then it is to be given back */
  take(owner: ShareOwner, amount = 1): boolean {
    if (!this.hasRoom(owner, amount)) {
      this.#refused++;
      return false;
    }
    this.#add(owner.organization, owner.key, amount);
    return true;
  }

  /** Whether it could be taken; nothing is counted. */
  hasRoom({ organization, key }: ShareOwner, amount = 1): boolean {
    const { alpha, keyAlpha = usualKeyAlpha, capacity } = this.#options;
    const holding = this.#organizations.get(organization);
    // As the last unit of it is judged when all others are taken.
    const others = amount - 1;
    const free = capacity - this.#used - others;
    const own = (holding?.used ?? 0) + others;
    const ownOfKey = (holding?.keys.get(key) ?? 0) + others;
    const left = Math.min(free, alpha * free - own);
    // What there is room for in all; what the organization may have; and of what that leaves, what its key may have.
    return free >= 1 && left > 0 && ownOfKey < keyAlpha * left;
  }

  give({ organization, key }: ShareOwner, amount = 1): void {
    this.#add(organization, key, -amount);
  }

  #add(organization: string, key: string, amount: number): void {
    const holding = this.#organizations.get(organization) ?? { used: 0, keys: new Map<string, number>() };
    holding.used += amount;
    this.#used += amount;
    const ofKey = (holding.keys.get(key) ?? 0) + amount;
    if (ofKey > 0) holding.keys.set(key, ofKey);
    else holding.keys.delete(key);
    if (holding.used > 0) this.#organizations.set(organization, holding);
    else this.#organizations.delete(organization);
  }
}

interface Holding {
  used: number;
  readonly keys: Map<string, number>;
}

export interface QueueOptions {
  /** Of what waits, in the unit of its cost: bytes, or microseconds as they were measured. An organization has its share of it. */
  readonly waiting: HeldOptions;
  /** What an organization, and in it a key, is served in a turn, in the same unit: about what one piece of work costs. */
  readonly quantum: number;
}

interface Job<Work> {
  readonly owner: ShareOwner;
  readonly work: Work;
  readonly cost: number;
}

/**
 * What waits to be served: organizations in turn, in each its keys in turn, by what their work costs and not by how much of it there
 * is (deficit round robin; Shreedhar and Varghese, 1995). Whoever had nothing waiting comes first, once.
 */
export class FairQueue<Work> {
  readonly #waiting: HeldShare;
  readonly #round: DeficitRound<Work>;
  #length = 0;

  constructor({ waiting, quantum }: QueueOptions) {
    this.#waiting = new HeldShare(waiting);
    const ofKeys = () =>
      new DeficitRound<Work>(
        quantum,
        ({ key }) => key,
        () => new Line<Work>(),
      );
    this.#round = new DeficitRound(quantum, ({ organization }) => organization, ofKeys);
  }

  get length(): number {
    return this.#length;
  }

  /** What waits, and what was turned away. */
  get waiting(): Pick<HeldShare, 'used' | 'capacity' | 'refused'> {
    return this.#waiting;
  }

  /** @returns whether there is room for it */
  push(owner: ShareOwner, work: Work, cost: number): boolean {
    if (!this.#waiting.take(owner, cost)) return false;
    this.#round.push({ owner, work, cost });
    this.#length++;
    return true;
  }

  /**
   * What is served next; undefined where nothing waits that may be served.
   * @param mayServe by the owner; others keep their turn
   */
  shift(mayServe: MayServe = always): Work | undefined {
    const job = this.#round.peek(mayServe);
    if (job === undefined) return undefined;
    this.#round.shift(mayServe);
    this.#waiting.give(job.owner, job.cost);
    this.#length--;
    return job.work;
  }
}

type MayServe = (owner: ShareOwner) => boolean;

const always: MayServe = () => true;

/** Jobs in an order. */
interface Jobs<Work> {
  push(job: Job<Work>): void;
  /** The next one, and the same until it is taken. */
  peek(mayServe: MayServe): Job<Work> | undefined;
  /** Takes what is the next one. */
  shift(mayServe: MayServe): void;
}

class Line<Work> implements Jobs<Work> {
  readonly #jobs: Job<Work>[] = [];

  push(job: Job<Work>): void {
    this.#jobs.push(job);
  }

  peek(mayServe: MayServe): Job<Work> | undefined {
    const [first] = this.#jobs;
    return first !== undefined && mayServe(first.owner) ? first : undefined;
  }

  shift(): void {
    this.#jobs.shift();
  }
}

interface Lane<Work> {
  readonly jobs: Jobs<Work>;
  deficit: number;
}

class DeficitRound<Work> implements Jobs<Work> {
  readonly #quantum: number;
  readonly #nameOf: (owner: ShareOwner) => string;
  readonly #makeJobs: () => Jobs<Work>;
  /** Those that had nothing to do until now: once before all others, so that who asks seldom waits for nobody who asks much. */
  readonly #fresh = new Map<string, Lane<Work>>();
  /**
   * The others, in the order of their turns. One that has nothing more to do stays until its turn comes: to ask for one thing after the
   * other makes nobody fresh each time (as in RFC 8290).
   */
  readonly #lanes = new Map<string, Lane<Work>>();
  #length = 0;

  constructor(quantum: number, nameOf: (owner: ShareOwner) => string, makeJobs: () => Jobs<Work>) {
    this.#quantum = quantum;
    this.#nameOf = nameOf;
    this.#makeJobs = makeJobs;
  }

  push(job: Job<Work>): void {
    this.#length++;
    const name = this.#nameOf(job.owner);
    const known = this.#fresh.get(name) ?? this.#lanes.get(name);
    const lane = known ?? { jobs: this.#makeJobs(), deficit: this.#quantum };
    lane.jobs.push(job);
    if (known === undefined) this.#fresh.set(name, lane);
  }

  peek(mayServe: MayServe): Job<Work> | undefined {
    return this.#next(mayServe)?.job;
  }

  shift(mayServe: MayServe): void {
    const next = this.#next(mayServe);
    if (next === undefined) return;
    const { job, lane } = next;
    lane.jobs.shift(mayServe);
    lane.deficit -= job.cost;
    this.#length--;
    // Nobody is remembered where nobody waits.
    if (this.#length > 0) return;
    this.#fresh.clear();
    this.#lanes.clear();
  }

  #next(mayServe: MayServe): { readonly job: Job<Work>; readonly lane: Lane<Work> } | undefined {
    for (const lanes of [this.#fresh, this.#lanes])
      for (const [name, lane] of lanes) {
        const job = lane.jobs.peek(mayServe);
        if (job !== undefined && lane.deficit >= job.cost) return { job, lane };
        const isEmpty = job === undefined && lane.jobs.peek(always) === undefined;
        // Its work may not be served now; it keeps its place.
        if (job === undefined && !isEmpty) continue;
        lanes.delete(name);
        if (isEmpty && lanes === this.#lanes) continue;
        // Whoever has nothing to do saves nothing up.
        lane.deficit = (isEmpty ? 0 : lane.deficit) + this.#quantum;
        // Behind all others; the walk meets it again there.
        this.#lanes.set(name, lane);
      }
    return undefined;
  }
}

export interface RateOptions {
  readonly perMinute: number;
  /** At once, after a silence. */
  readonly burst: number;
  /** Owners that are remembered; those not seen for longest begin anew. */
  readonly ownersMax: number;
}

/** What comes at a rate: changes, lists, unknown credentials. A token bucket for each organization or address. */
export class RateShare {
  readonly #options: RateOptions;
  readonly #buckets: LRUCache<string, Bucket>;
  #refused = 0;

  constructor(options: RateOptions) {
    this.#options = options;
    this.#buckets = new LRUCache({ max: options.ownersMax });
  }

  /** Since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** @param now monotonic, in milliseconds. @returns 0 where it was taken; else seconds until the next one is */
  take(owner: string, now: number): number {
    const wait = this.wait(owner, now);
    if (wait === 0) this.charge(owner, now);
    return wait;
  }

  /**
   * Takes nothing yet: for what turns out only afterwards to be one of what is counted.
   * @returns 0 where one is there to be taken; else seconds until the next one is
   */
  wait(owner: string, now: number): number {
    const tokens = this.#tokens(this.#buckets.get(owner), now);
    if (tokens >= 1) return 0;
    this.#refused++;
    return Math.ceil(((1 - tokens) * 60) / this.#options.perMinute);
  }

  /** Takes some, whether or not they are there: what was under way when the last one went is owed, so that the rate holds. */
  charge(owner: string, now: number, amount = 1): void {
    const tokens = this.#tokens(this.#buckets.get(owner), now) - amount;
    this.#buckets.set(owner, { tokens, at: now });
  }

  /** What was taken was none of what is limited: a credential that turned out to be known. */
  give(owner: string): void {
    const bucket = this.#buckets.get(owner);
    if (bucket === undefined) return;
    const tokens = Math.min(this.#options.burst, bucket.tokens + 1);
    this.#buckets.set(owner, { ...bucket, tokens });
  }

  /** Of what an owner may have at once, what the one has used that used most: 0 to 1, above it what is owed. */
  used(now: number): number {
    const { burst } = this.#options;
    let least = burst;
    for (const bucket of this.#buckets.values()) least = Math.min(least, this.#tokens(bucket, now));
    return 1 - least / burst;
  }

  #tokens(bucket: Bucket | undefined, now: number): number {
    const { burst, perMinute } = this.#options;
    return bucket === undefined
      ? burst
      : Math.min(burst, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000);
  }
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}
