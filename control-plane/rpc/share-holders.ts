// Decides whose share a call uses, before the call is authorized: the organization of its token when the token was last
// accepted. This grants no access. A token that is new here is looked up first, and tokens that turn out to be unknown
// are limited by address.
import { addressGroup } from '../../common/caller-address.ts';
import type { Clock } from '../../common/clock.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { Store } from '../store/store.ts';
import { type AuthenticationDeps, authenticate, type Presented } from './authentication.ts';
import type { Caller } from './caller.ts';
import { CallError } from './errors.ts';
import type { Shares } from './shares.ts';

export interface HoldersDeps {
  readonly store: Pick<Store, 'snapshot' | 'snapshotForProxies'>;
  readonly services: AuthenticationDeps;
  readonly shares: Shares;
  readonly clock: Clock;
}

const tokensMax = 10_000;
/** Callers without a known token share one organization, in which addresses take turns. */
const strangers = 'strangers';
const platform = 'platform';

export class Holders {
  readonly #deps: HoldersDeps;
  /** By the hash of the token. */
  readonly #known = lruCache<ShareOwner>(tokensMax);

  constructor(deps: HoldersDeps) {
    this.#deps = deps;
  }

  /** @throws CallError unauthenticated, too_many_requests; StoreUnavailableError */
  async ownerOf(presented: Presented): Promise<ShareOwner> {
    if (presented.kind === 'certificate') return { organization: strangers, key: presented.proxy.id };
    const known = this.#known.get(presented.hash);
    if (known !== undefined) return known;
    const { shares, store } = this.#deps;
    const stranger = { organization: strangers, key: addressGroup(presented.from) };
    await this.#stranger(presented, () =>
      shares.inOrder('reads', stranger, () => store.snapshot((db) => this.#authenticate(db, presented))),
    );
    return this.#known.get(presented.hash) ?? stranger;
  }

  /** Authenticates the caller of a proxy's call, which never waits for operators' calls. @throws as ownerOf */
  async caller(presented: Presented): Promise<Caller> {
    const authenticated = () => this.#deps.store.snapshotForProxies((db) => this.#authenticate(db, presented));
    if (presented.kind === 'certificate') return await authenticated();
    if (this.#known.has(presented.hash)) return await this.watch(presented, authenticated);
    return await this.#stranger(presented, authenticated);
  }

  /** Does the work of a known caller. If its token is no longer accepted, it counts as a stranger's from then on. */
  async watch<T>(presented: Presented, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isOver = error instanceof CallError && error.reason === 'unauthenticated';
      if (isOver && presented.kind !== 'certificate') this.#known.delete(presented.hash);
      throw error;
    }
  }

  /**
   * Counts the look-up unless the token turns out to be known. It counts before the look-up, so that concurrent calls
   * cannot exceed the limit.
   */
  async #stranger<T>(presented: Presented, lookUp: () => Promise<T>): Promise<T> {
    const { shares } = this.#deps;
    // By kind, so that made-up operator tokens never limit proxies behind the same address.
    const owner = `${presented.kind} ${addressGroup(presented.from)}`;
    shares.take('unknown_tokens', owner);
    try {
      const found = await lookUp();
      shares.release('unknown_tokens', owner);
      return found;
    } catch (error) {
      if (!(error instanceof CallError && error.reason === 'unauthenticated')) shares.release('unknown_tokens', owner);
      throw error;
    }
  }

  async #authenticate(db: Parameters<typeof authenticate>[0], presented: Presented): Promise<Caller> {
    const { clock, services } = this.#deps;
    const caller = await authenticate(db, presented, { now: clock.now(), deps: services });
    if (presented.kind !== 'certificate') this.#known.set(presented.hash, ownerOf(caller));
    return caller;
  }
}

function ownerOf(caller: Caller): ShareOwner {
  switch (caller.kind) {
    case 'operator':
      return { organization: caller.organizationId ?? platform, key: caller.personId };
    case 'proxy':
      return { organization: caller.organizationId ?? platform, key: caller.id };
    case 'bootstrap':
      return { organization: platform, key: caller.kind };
  }
}
