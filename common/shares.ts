// Fair shares of scarce resources: slots, bytes, sockets, look-ups, workers, time. No organization, and within it no
// key, takes the part that others need, even if many of them are greedy. There are three forms: held amounts, queues
// and rates. A held amount is never taken away; its holder has a time limit.
import { type LRUCache, lruCache } from './lru-cache.ts';

/** The owner whose use of a resource is counted. */
export interface ShareOwner {
  /** Strangers, who are known by address, share one organization. */
  readonly organization: string;
  /** The key, or the address of a stranger. */
  readonly key: string;
}

export interface ShareOptions {
  /** The amount for all owners together. */
  readonly capacity: number;
  /**
   * An organization may take more while its amount is below alpha times the free amount: k greedy organizations have
   * alpha·C / (1 + k·alpha) each, and C / (1 + k·alpha) stays free for the next. 4 gives 80 % to an organization that
   * is alone; infinity means first come, first served.
   */
  readonly alpha: number;
  /**
   * The same for a key among the keys of its organization, within the organization's share. By default a key that is
   * alone gets nearly all of it.
   */
  readonly keyAlpha?: number;
}

const usualKeyAlpha = 4;

/** How an owner stands among others. Weights multiply alpha, so nobody's weight closes a resource to others. */
export interface ShareStanding {
  /** Above 0; 1 is usual. */
  readonly organizationWeight: number;
  /** Above 0; 1 is usual. */
  readonly keyWeight: number;
  /**
   * Work that can wait: it may use no more than three quarters of what its organization may have at the moment, so it is
   * refused first. Other organizations' work never makes way for it, nor it for theirs.
   */
  readonly isBatch: boolean;
}

const usualStanding: ShareStanding = { organizationWeight: 1, keyWeight: 1, isBatch: false };
const batchPart = 0.75;

/** @param share the part of the capacity that one owner may have while it is alone, above 0 up to 1 @returns alpha */
export function alphaOf(share: number): number {
  return share >= 1 ? Number.POSITIVE_INFINITY : share / (1 - share);
}

/** Amounts that are held for a time: requests, bytes, sockets, look-ups. */
export class OccupiedShare {
  readonly #options: ShareOptions;
  readonly #organizations = new Map<string, Holding>();
  #used = 0;
  #refused = 0;

  constructor(options: ShareOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  get capacity(): number {
    return this.#options.capacity;
  }

  /** The largest amount that can be taken at once, by a key that is alone; see hasRoom. */
  get largest(): number {
    const { alpha, keyAlpha = usualKeyAlpha, capacity } = this.#options;
    const ofAll = capacity / (1 + 1 / keyAlpha);
    const ofOrganization = capacity / (1 + 1 / alpha + 1 / (alpha * keyAlpha));
    return Math.ceil(Math.min(ofAll, ofOrganization));
  }

  /** Refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** @returns whether the amount was taken; if so, the caller must release it with `give` */
  take(owner: ShareOwner, amount = 1, standing = usualStanding): boolean {
    if (!this.hasRoom(owner, amount, standing)) {
      this.#refused++;
      return false;
    }
    this.#add(owner.organization, owner.key, amount);
    return true;
  }

  /** Whether the amount could be taken; changes and counts nothing. */
  hasRoom({ organization, key }: ShareOwner, amount = 1, standing = usualStanding): boolean {
    const { alpha, keyAlpha = usualKeyAlpha, capacity } = this.#options;
    const { organizationWeight, keyWeight, isBatch } = standing;
    const holding = this.#organizations.get(organization);
    // Checks the last unit of the amount as if all other units were already taken.
    const others = amount - 1;
    const free = capacity - this.#used - others;
    const own = (holding?.used ?? 0) + others;
    const ownOfKey = (holding?.keys.get(key) ?? 0) + others;
    const leftToAll = Math.min(free, alpha * organizationWeight * free - own);
    const left = isBatch ? batchPart * (own + leftToAll) - own : leftToAll;
    // Three bounds: the free amount in all, the organization's share of it, and the key's share of that.
    return free >= 1 && left > 0 && ownOfKey < keyAlpha * keyWeight * left;
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
  /**
   * Bounds of the waiting work, in the unit of its cost: bytes, or measured microseconds. Each organization has its
   * share.
   */
  readonly waiting: ShareOptions;
  /**
   * How much an organization, and within it a key, is served per turn, in the same unit: about the cost of one piece of
   * work.
   */
  readonly quantum: number;
}

interface Job<Work> {
  readonly owner: ShareOwner;
  readonly work: Work;
  readonly cost: number;
}

/**
 * A queue that serves organizations in turn, and within each its keys in turn, by the cost of their work and not by its
 * number (deficit round robin; Shreedhar and Varghese, 1995). An owner that had nothing waiting comes first, once.
 */
export class FairQueue<Work> {
  readonly #waiting: OccupiedShare;
  readonly #round: DeficitRound<Work>;
  #length = 0;

  constructor({ waiting, quantum }: QueueOptions) {
    this.#waiting = new OccupiedShare(waiting);
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

  /** The waiting amount and the refusals. */
  get waiting(): Pick<OccupiedShare, 'used' | 'capacity' | 'refused'> {
    return this.#waiting;
  }

  /** @returns whether there was room for the work */
  push(owner: ShareOwner, work: Work, cost: number): boolean {
    if (!this.#waiting.take(owner, cost)) return false;
    this.#round.push({ owner, work, cost });
    this.#length++;
    return true;
  }

  /**
   * The next work to serve; undefined if no waiting work may be served.
   * @param mayServe decides by owner; the others keep their turn
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
  /** The next job; it stays the same until it is removed. */
  peek(mayServe: MayServe): Job<Work> | undefined;
  /** Removes the next job. */
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
  /**
   * Owners that had no work until now. Each is served once before all others, so that an owner with little work never
   * waits for one with much.
   */
  readonly #fresh = new Map<string, Lane<Work>>();
  /**
   * The other owners, in the order of their turns. An owner without further work stays until its turn, so that an owner
   * that submits one job after another does not count as new each time (as in RFC 8290).
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
    // When no job waits, all owners are forgotten.
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
        // Its work may not be served now, so it keeps its turn.
        if (job === undefined && !isEmpty) continue;
        lanes.delete(name);
        if (isEmpty && lanes === this.#lanes) continue;
        // An owner without work does not accumulate credit.
        lane.deficit = (isEmpty ? 0 : lane.deficit) + this.#quantum;
        // Moves it behind all others; this loop reaches it again there.
        this.#lanes.set(name, lane);
      }
    return undefined;
  }
}

export interface RateOptions {
  readonly perMinute: number;
  /** How many may come at once after a silence. */
  readonly burst: number;
  /** How many owners are remembered. The least recently seen ones start with a full bucket again. */
  readonly ownersMax: number;
}

/** Rate limits: changes, lists, unknown credentials. One token bucket for each organization or address. */
export class RateShare {
  readonly #options: RateOptions;
  readonly #buckets: LRUCache<string, Bucket>;
  #refused = 0;

  constructor(options: RateOptions) {
    this.#options = options;
    this.#buckets = lruCache(options.ownersMax);
  }

  /** Refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * @param now monotonic, in milliseconds.
   * @returns 0 if a token was taken; otherwise the seconds until the next one
   */
  take(owner: string, now: number): number {
    const wait = this.wait(owner, now);
    if (wait === 0) this.charge(owner, now);
    return wait;
  }

  /**
   * Checks without taking a token. For events that only later turn out to count.
   * @returns 0 if a token is available; otherwise the seconds until the next one
   */
  wait(owner: string, now: number): number {
    const tokens = this.#tokens(this.#buckets.get(owner), now);
    if (tokens >= 1) return 0;
    this.#refused++;
    return Math.ceil(((1 - tokens) * 60) / this.#options.perMinute);
  }

  /**
   * Takes tokens even if there are not enough. Events that were in progress when the last token went leave a debt, so
   * that the rate holds.
   */
  charge(owner: string, now: number, amount = 1): void {
    const tokens = this.#tokens(this.#buckets.get(owner), now) - amount;
    this.#buckets.set(owner, { tokens, at: now });
  }

  /** Returns a token, because the event turned out not to count: the credential was known. */
  give(owner: string): void {
    const bucket = this.#buckets.get(owner);
    if (bucket === undefined) return;
    const tokens = Math.min(this.#options.burst, bucket.tokens + 1);
    this.#buckets.set(owner, { ...bucket, tokens });
  }

  /** The used part of the burst of the owner that used most: 0 to 1; above 1 it is in debt. */
  used(now: number): number {
    const { burst } = this.#options;
    let least = burst;
    for (const bucket of this.#buckets.values()) least = Math.min(least, this.#tokens(bucket, now));
    return 1 - least / burst;
  }

  #tokens(bucket: Bucket | undefined, now: number): number {
    const { burst, perMinute } = this.#options;
    return bucket === undefined ? burst : Math.min(burst, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000);
  }
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}
