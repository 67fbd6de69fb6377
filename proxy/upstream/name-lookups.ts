// All look-ups of names that the proxy connects to for a request, without Node's thread pool. Names that callers and
// organizations choose are looked up literally; each look-up counts against the share of its organization and key, and
// ends when no request waits for it. Names that the platform's operator chose are looked up like the system does,
// outside of any share, and cached for a short time.
import type { LookupAddress } from 'node:dns';
import { setTimeout as after } from 'node:timers/promises';
import { type AskDns, createAskDns } from '../../common/dns-resolve.ts';
import type { LookupFor, Resolve } from '../../common/filtered-lookup.ts';
import type { OccupiedShare, ShareOwner } from '../../common/shares.ts';
import { createAskSystem, hasNoAddress } from '../../common/system-names.ts';

/** The share of look-ups in progress is used up. */
export class LookupRefusedError extends Error {
  constructor() {
    super('too many names are being looked up for this organization');
    this.name = 'LookupRefusedError';
  }
}

/** A name without an address: there is none, or no DNS server responded in time. */
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
  /** Shares of look-ups in progress. */
  readonly share: OccupiedShare;
  /** Time limit of one look-up, whatever the DNS servers do. */
  readonly timeoutMs: number;
  /** Addresses of the DNS servers, host:port. Default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Monotonic milliseconds. */
  now(): number;
  /** Default: the DNS servers alone. */
  readonly askDns?: AskDns;
  /** Default: the hosts file and the DNS servers with the search domains. */
  readonly askSystem?: AskDns;
}

/** For work outside of any request: a connection that was closed just as a request was given to it. */
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
  /** Look-ups in progress of organizations' names. Look-ups of one organization for one name are joined. */
  readonly #underWay = new Map<string, Lookup>();

  constructor(options: NameLookupsOptions) {
    this.#options = options;
    const { servers } = options;
    this.#askDns = options.askDns ?? createAskDns({ servers });
    this.#askSystem = options.askSystem ?? createAskSystem({ servers });
  }

  /** The look-up function for net.connect and node:https. */
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
    // RFC 6761, section 6.3: localhost is never looked up.
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
          // A look-up without waiters was removed before, and another may have replaced it.
          if (this.#underWay.get(id)?.ending === ending) this.#underWay.delete(id);
        });
      lookup = { found, ending, waiting: 0 };
      this.#underWay.set(id, lookup);
    }
    return this.#wait(id, lookup, signal);
  }

  /** The last waiter that leaves aborts the look-up. */
  async #wait(id: string, lookup: Lookup, signal: AbortSignal | undefined): Promise<readonly LookupAddress[]> {
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

/** A result is used for as long as its TTL allows, but no longer than this. */
const freshMsMax = 30_000;
/** An older result is used while the DNS servers do not respond (RFC 8767), so that their outage stops no provider. */
const usableMs = 300_000;
/** How long the DNS servers are waited for before an older result is used. */
const patienceMs = 500;
/** A failed look-up is not repeated at once. */
const failedMs = 1_000;

interface CachedNames {
  readonly addresses: readonly LookupAddress[];
  readonly freshUntil: number;
  readonly usableUntil: number;
}

/** One of the operator's names. Only one look-up runs at a time, and all requests wait for it. */
class OwnName {
  readonly #ask: () => ReturnType<AskDns>;
  readonly #now: () => number;
  #kept: CachedNames | undefined;
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
    // While the DNS servers do not respond, a request waits only for a moment.
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
      // An older result is dropped once the DNS servers respond that the name has no address.
      if (error instanceof LookupFailedError && hasNoAddress(error)) this.#kept = undefined;
      throw error;
    }
  }
}
