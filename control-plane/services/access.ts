// The service of the data plane: proxies read the records that they need to authorize requests. Independent of the
// transport. For a bound proxy only the keys, scopes and invalidations of its organization exist.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { Timers } from '../../common/timers.ts';
import type { ResolveManyRequest__Output } from '../../proto/generated/gateway/v1/ResolveManyRequest.ts';
import type { ResolveManyResponse } from '../../proto/generated/gateway/v1/ResolveManyResponse.ts';
import type { ResolveRequest__Output } from '../../proto/generated/gateway/v1/ResolveRequest.ts';
import type { ResolveResponse } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { Feed } from '../changes/feed.ts';
import { defaultWatchLimits, type WatchLimits, type WatchStream, watch } from '../changes/watch.ts';
import { createWatchers, type Watcher } from '../changes/watchers.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError } from '../rpc/errors.ts';
import type { Reclaim, Store } from '../store/store.ts';
import type { RecordSigner } from './record-signer.ts';
import { type ReadRecords, recordsOf } from './records.ts';

export interface AccessService {
  /**
   * The records of a key value. The response has no `key` if the value is unknown, revoked, past a rotated value's end,
   * or of another organization than the proxy's. All these responses are the same.
   * @throws CallError invalid_request, too_many_unknown_keys; StoreUnavailableError
   */
  resolve(caller: ProxyCaller, request: ResolveRequest__Output): Promise<ResolveResponse>;
  /**
   * The signed records of many key values. Values without a key count as in `resolve`; as many of the first hashes are
   * looked up as that allows, and as a response may contain.
   * @throws CallError invalid_request, too_many_unknown_keys; StoreUnavailableError
   */
  resolveMany(caller: ProxyCaller, request: ResolveManyRequest__Output): Promise<ResolveManyResponse>;
  /** Serves one watch until it ends; never rejects. */
  watch(caller: ProxyCaller, stream: WatchStream): Promise<void>;
  /** The present watchers. */
  watchers(): readonly Watcher[];
}

export interface AccessDeps {
  readonly store: Pick<
    Store,
    'accessRows' | 'changesAfter' | 'epochChange' | 'positionAgo' | 'startNewEpoch' | 'onReclaim'
  >;
  readonly feed: Feed;
  /** Master keys of the provider secrets. */
  readonly sealKeys: SealKeys;
  readonly signer: Pick<RecordSigner, 'publicKeys' | 'sign' | 'signMany'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: AccessLimits;
  readonly timers?: Timers;
  readonly random?: () => number;
}

export interface AccessLimits extends WatchLimits {
  /** How many look-ups of unknown keys one proxy may make at once… */
  readonly unknownBurst: number;
  /** …and how many a second on average. */
  readonly unknownPerSecond: number;
}

export const defaultAccessLimits: AccessLimits = {
  ...defaultWatchLimits,
  unknownBurst: 200,
  unknownPerSecond: 20,
};

const keyHashBytes = 32;
const hashesMax = 500;
/** Hashes that one response is about: the event loop is occupied for some milliseconds, and other calls come between. */
const sliceMax = 100;

function hashText(bytes: Buffer, field: string): string {
  if (bytes.length === keyHashBytes) return bytes.toString('hex');
  throw new CallError('invalid_request', 'the hash of a key is SHA-256', [
    { field, description: `must be ${keyHashBytes} bytes` },
  ]);
}

function hashTexts(hashes: readonly Buffer[]): readonly string[] {
  if (hashes.length > 0 && hashes.length <= hashesMax)
    return hashes.map((bytes, index) => hashText(bytes, `key_hashes[${index}]`));
  throw new CallError('invalid_request', 'one call resolves some keys', [
    { field: 'key_hashes', description: `must be 1 to ${hashesMax} hashes` },
  ]);
}

async function readRecords(
  deps: AccessDeps,
  caller: ProxyCaller,
  hashes: readonly string[],
  now: number,
): Promise<(hash: string) => ReadRecords> {
  return recordsOf(deps, await deps.store.accessRows({ hashes, onlyOf: caller.organizationId, now }), now);
}

export function createAccessService(deps: AccessDeps): AccessService {
  const unknown = createUnknownLimit(deps.limits, deps.clock);
  const watchers = createWatchers(deps.clock);
  const reclaimed = new Set<(reclaim: Reclaim) => void>();
  deps.store.onReclaim((reclaim) => {
    for (const listener of reclaimed) listener(reclaim);
  });
  const onReclaim = (listener: (reclaim: Reclaim) => void) => {
    reclaimed.add(listener);
    return () => void reclaimed.delete(listener);
  };
  return {
    async resolve(caller, request) {
      const hash = hashText(request.keyHash, 'key_hash');
      unknown.check(caller.id, hash);
      const requestedAt = deps.clock.now();
      const read = await readRecords(deps, caller, [hash], requestedAt);
      const response = read(hash);
      unknown.learn(caller.id, hash, response.key != null);
      if (request.signed) return deps.signer.sign(response, hash, requestedAt);
      const { platformRecord: _signed, ...unsigned } = response;
      return unsigned;
    },
    async resolveMany(caller, { keyHashes }) {
      const requested = hashTexts(keyHashes);
      const admitted = requested.slice(0, unknown.admit(caller.id, requested.slice(0, sliceMax)));
      const requestedAt = deps.clock.now();
      const read = await readRecords(deps, caller, admitted, requestedAt);
      const responses = admitted.map((hash) => [hash, read(hash)] as const);
      const { response, resolved } = deps.signer.signMany(responses, requestedAt);
      for (const [hash, { key }] of responses.slice(0, resolved)) unknown.learn(caller.id, hash, key != null);
      return response;
    },
    watch: (caller, stream) =>
      watch({ ...deps, onReclaim, watchers, recordKeys: () => deps.signer.publicKeys }, caller, stream),
    watchers: () => watchers.list(),
  };
}

const proxiesMax = 10_000;
const knownMax = 50_000;

interface UnknownLimit {
  /** @throws CallError too_many_unknown_keys */
  check(proxy: string, hash: string): void;
  /**
   * @returns how many of the first hashes may be looked up at once, at least one if there are any
   * @throws CallError too_many_unknown_keys
   */
  admit(proxy: string, hashes: readonly string[]): number;
  learn(proxy: string, hash: string, found: boolean): void;
}

/**
 * Limits look-ups of unknown keys, for each proxy: a client that sends made-up keys through a proxy must not occupy the
 * database. Keys that were found before always pass, so that strangers cannot lock out a proxy's customers.
 */
function createUnknownLimit(limits: AccessLimits, clock: Clock): UnknownLimit {
  const buckets = lruCache<{ tokens: number; at: number }>(proxiesMax);
  const found = lruCache<true>(knownMax);
  const bucketOf = (proxy: string) => {
    const at = clock.monotonic();
    const last = buckets.get(proxy) ?? { tokens: limits.unknownBurst, at };
    const gained = ((at - last.at) / 1000) * limits.unknownPerSecond;
    const bucket = { tokens: Math.min(limits.unknownBurst, last.tokens + gained), at };
    buckets.set(proxy, bucket);
    return bucket;
  };
  const check = (proxy: string, hash: string) => {
    if (found.has(hash) || bucketOf(proxy).tokens >= 1) return;
    throw new CallError('too_many_unknown_keys', 'this proxy has requested too many unknown keys; wait a second');
  };
  return {
    check,
    admit(proxy, hashes) {
      const [first] = hashes;
      if (first !== undefined) check(proxy, first);
      let room = bucketOf(proxy).tokens;
      const refused = hashes.findIndex((hash) => !found.has(hash) && room-- < 1);
      return refused === -1 ? hashes.length : refused;
    },
    learn(proxy, hash, wasFound) {
      if (wasFound) {
        found.set(hash, true);
        return;
      }
      found.delete(hash);
      bucketOf(proxy).tokens -= 1;
    },
  };
}
