// Every name that the proxy connects to by order of a request is looked up here, and on none of Node's threads. Names that callers and
// organizations chose are asked for whole, as a share of their organization and key, and no longer than somebody waits for them. Names
// that the platform's operator chose are found as the system finds them, at no one's expense, and kept for a short time.
import type { LookupAddress } from 'node:dns';
import { setTimeout as after } from 'node:timers/promises';
import { type AskDns, createAskDns } from '../../common/dns-resolve.ts';
import type { LookupFor, Resolve } from '../../common/filtered-lookup.ts';
import type { HeldShare, ShareOwner } from '../../common/shares.ts';
import { createAskSystem, hasNoAddress } from '../../common/system-names.ts';

/** The share of look-ups that are under way has no room. */
export class LookupRefusedError extends Error {
  constructor() {
    super('too many names are being looked up for this organization');
    this.name = 'LookupRefusedError';
  }
}

/** A name that did not become an address: there is none, or nobody said it in time. */
export class LookupFailedError extends Error {
  readonly code: string;

  constructor(host: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'ETIMEOUT';
    super(`${host} was not found (${code})`, { cause });
    this.name = 'LookupFailedError';
    this.code = code;
  }
}

export interface NameLookupsOptions {
  /** Lower-case host names that the platform's operator chose. */
  readonly own: ReadonlySet<string>;
  /** Of look-ups under way. */
  readonly share: HeldShare;
  /** Of one look-up, whatever the DNS servers do. */
  readonly timeoutMs: number;
  /** Of the DNS servers, host:port; default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Monotonic milliseconds. */
  now(): number;
  /** Default: the DNS servers alone. */
  readonly askDns?: AskDns;
  /** Default: the hosts file and the DNS servers with the search domains. */
  readonly askSystem?: AskDns;
}

/** Of what happens outside any request: a connection that was closed just as a request was given to it. */
const nobody: ShareOwner = { organization: '', key: '' };

const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export class NameLookups {
  readonly #options: NameLookupsOptions;
  readonly #askDns: AskDns;
  readonly #askSystem: AskDns;
  readonly #own = new Map<string, OwnName>();
  /** Of organizations: those of one organization for one name are one. */
  readonly #underWay = new Map<string, Lookup>();

  constructor(options: NameLookupsOptions) {
    this.#options = options;
    const { servers } = options;
    this.#askDns = options.askDns ?? createAskDns({ servers });
    this.#askSystem = options.askSystem ?? createAskSystem({ servers });
  }

  /** As net.connect and node:https take it. */
  readonly resolve: Resolve = (host, options, callback) => {
    this.find(host, options).then(
      (addresses) => callback(null, [...addresses]),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };

  /** @throws LookupRefusedError, LookupFailedError; the signal's reason */
  async find(host: string, { owner = nobody, signal }: LookupFor = {}): Promise<readonly LookupAddress[]> {
    signal?.throwIfAborted();
    const name = host.toLowerCase().replace(/\.$/, '');
    // RFC 6761, section 6.3: never asked for.
    if (name === 'localhost' || name.endsWith('.localhost')) return loopback;
    if (this.#options.own.has(name)) return this.#ownName(name).addresses();
    return this.#join(name, owner, signal);
  }

  #ownName(name: string): OwnName {
    const known = this.#own.get(name);
    if (known !== undefined) return known;
    const made = new OwnName(() => this.#inTime(name, this.#askSystem, new AbortController()), this.#options);
    this.#own.set(name, made);
    return made;
  }

  #join(name: string, owner: ShareOwner, signal: AbortSignal | undefined): Promise<readonly LookupAddress[]> {
    const id = `${owner.organization} ${name}`;
    let lookup = this.#underWay.get(id);
    if (lookup === undefined) {
      const { share } = this.#options;
      if (!share.take(owner)) throw new LookupRefusedError();
      const ending = new AbortController();
      const found = this.#inTime(name, this.#askDns, ending)
        .then(({ addresses }) => addresses)
        .finally(() => {
          share.give(owner);
          // One that nobody waited for any more has left before.
          if (this.#underWay.get(id)?.ending === ending) this.#underWay.delete(id);
        });
      lookup = { found, ending, waiting: 0 };
      this.#underWay.set(id, lookup);
    }
    return this.#wait(id, lookup, signal);
  }

  /** The last one that leaves ends the look-up. */
  async #wait(
    id: string,
    lookup: Lookup,
    signal: AbortSignal | undefined,
  ): Promise<readonly LookupAddress[]> {
    lookup.waiting++;
    const leaving = Promise.withResolvers<never>();
    const leave = () => leaving.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([lookup.found, leaving.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      lookup.waiting--;
      if (lookup.waiting === 0 && this.#underWay.get(id) === lookup) {
        this.#underWay.delete(id);
        lookup.ending.abort();
      }
    }
  }

  async #inTime(name: string, ask: AskDns, ending: AbortController): ReturnType<AskDns> {
    const timer = setTimeout(() => ending.abort(), this.#options.timeoutMs);
    try {
      return await ask(name, ending.signal);
    } catch (error) {
      throw new LookupFailedError(name, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Lookup {
  readonly found: Promise<readonly LookupAddress[]>;
  readonly ending: AbortController;
  waiting: number;
}

/** An answer is used for as long as the DNS servers allow, and at most so long. */
const freshMsMax = 30_000;
/** While the DNS servers say nothing, an older one is (RFC 8767), so that a pause of theirs stops no provider. */
const usableMs = 300_000;
/** So long they are waited for before it is. */
const patienceMs = 500;
/** What failed is not asked for again at once. */
const failedMs = 1_000;

interface Kept {
  readonly addresses: readonly LookupAddress[];
  readonly freshUntil: number;
  readonly usableUntil: number;
}

/** One name of the operator's: asked for once at a time, by whoever needs it first. */
class OwnName {
  readonly #ask: () => ReturnType<AskDns>;
  readonly #now: () => number;
  #kept: Kept | undefined;
  #pending: Promise<readonly LookupAddress[]> | undefined;
  #failed: { readonly error: unknown; readonly until: number } | undefined;

  constructor(ask: () => ReturnType<AskDns>, { now }: Pick<NameLookupsOptions, 'now'>) {
    this.#ask = ask;
    this.#now = now;
  }

  /** @throws LookupFailedError */
  async addresses(): Promise<readonly LookupAddress[]> {
    const now = this.#now();
    const kept = this.#kept !== undefined && now < this.#kept.usableUntil ? this.#kept : undefined;
    if (kept !== undefined && now < kept.freshUntil) return kept.addresses;
    if (this.#failed !== undefined && now < this.#failed.until) {
      if (kept !== undefined) return kept.addresses;
      throw this.#failed.error;
    }
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    if (kept === undefined) return this.#pending;
    // Whoever comes while nobody answers waits for a moment only.
    const pending = this.#pending.catch((error: unknown) => {
      if (this.#kept === undefined) throw error;
      return kept.addresses;
    });
    return Promise.race([pending, after(patienceMs, kept.addresses, { ref: false })]);
  }

  async #renew(): Promise<readonly LookupAddress[]> {
    try {
      const { addresses, ttl } = await this.#ask();
      const now = this.#now();
      this.#failed = undefined;
      this.#kept = {
        addresses,
        freshUntil: now + Math.min(ttl * 1000, freshMsMax),
        usableUntil: now + usableMs,
      };
      return addresses;
    } catch (error) {
      this.#failed = { error, until: this.#now() + failedMs };
      // Nobody has to keep to what was said before once it is said that there is nothing.
      if (error instanceof LookupFailedError && hasNoAddress(error)) this.#kept = undefined;
      throw error;
    }
  }
}
