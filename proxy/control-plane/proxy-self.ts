// The state that a proxy reports to operators over the feed; nothing else depends on it.
import type { CatalogState } from '../../catalog/in-force.ts';
import type { ProxyState } from '../../proto/generated/gateway/v1/ProxyState.ts';
import type { RecordKeysState } from '../../proto/generated/gateway/v1/RecordKeysState.ts';
import type { TargetsState } from '../../proto/generated/gateway/v1/TargetsState.ts';
import { type RedisState, redisStates } from '../../proto/words/access.ts';

/** A proxy as operators see it in Status. */
export interface ProxySelf {
  readonly version: string;
  readonly host: string;
  /** Undefined: not known yet. */
  redis(): RedisState | undefined;
  catalog(): CatalogState;
  /** Absent: the proxy checks no signatures. */
  recordKeys?(): RecordKeysState;
  /** Absent, or undefined: nothing is known of targets. */
  targets?(): TargetsState | undefined;
}

/**
 * The states of one watch, each at its time.
 * @returns makes the next one; targets are in it only if they have changed since the last one
 */
export function statesOf(self: ProxySelf): () => ProxyState {
  let sent = '';
  return () => {
    const targets = self.targets?.();
    const current = targets === undefined ? '' : JSON.stringify(targets);
    const isNew = current !== sent;
    sent = current;
    return { ...stateOf(self), ...(isNew && targets && { targets }) };
  };
}

function stateOf(self: ProxySelf): ProxyState {
  const redis = self.redis();
  return {
    redis: redis === undefined ? 'REDIS_STATE_UNSPECIFIED' : redisStates.names[redis],
    clockMs: Date.now(),
    catalog: self.catalog(),
    ...(self.recordKeys && { recordKeys: self.recordKeys() }),
  };
}
