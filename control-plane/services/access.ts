// The service of the data plane: proxies read the records that they need to authorize requests. Independent of the
// transport. For a bound proxy only the keys, scopes and invalidations of its organization exist.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { Timers } from '../../common/timers.ts';
import type { ResolveRequest__Output } from '../../proto/generated/gateway/v1/ResolveRequest.ts';
import type { ResolveResponse } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { Feed } from '../changes/feed.ts';
import { defaultWatchLimits, type WatchLimits, type WatchStream, watch } from '../changes/watch.ts';
import { createWatchers, type Watcher } from '../changes/watchers.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError } from '../rpc/errors.ts';
import type { Reclaim, Store } from '../store/store.ts';
import type { RecordSigner } from './record-signer.ts';
import { recordsOf } from './records.ts';

export interface AccessService {
  /**
   * The records of a key value. The response has no `key` if the value is unknown, revoked, past a rotated value's end,
   * or of another organization than the proxy's. All these responses are the same.
   * @throws CallError invalid_request, too_many_unknown_keys; StoreUnavailableError
   */
  resolve(caller: ProxyCaller, request: ResolveRequest__Output): Promise<ResolveResponse>;
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
  readonly signer: Pick<RecordSigner, 'publicKeys' | 'sign'>;
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
      if (request.keyHash.length !== keyHashBytes) {
        throw new CallError('invalid_request', 'the hash of a key is SHA-256', [
          { field: 'key_hash', description: `must be ${keyHashBytes} bytes` },
        ]);
      }
      const hash = request.keyHash.toString('hex');
      const requestedAt = deps.clock.now();
      unknown.check(caller.id, hash);
      const rows = await deps.store.accessRows({ hashes: [hash], onlyOf: caller.organizationId, now: requestedAt });
      const response = recordsOf(deps, rows, requestedAt)(hash);
      unknown.learn(caller.id, hash, response.key != null);
      if (request.signed) return deps.signer.sign(response, hash, requestedAt);
      const { platformRecord: _signed, ...unsigned } = response;
      return unsigned;
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
  return {
    check(proxy, hash) {
      if (found.has(hash) || bucketOf(proxy).tokens >= 1) return;
      throw new CallError('too_many_unknown_keys', 'this proxy has requested too many unknown keys; wait a second');
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
