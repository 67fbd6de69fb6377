// Hints as they are in Redis: sealed JSON in a sorted set by their end. What a provider key has experienced is sealed
// under its organization's record key, what a host has, under the cache key and for the proxies of one identity alone.
// Each is bound to the set that contains it, so one that was moved does not open.
import { aNumber, aRecord, aString, aWord, readShape } from '../../common/json-shape.ts';
import { parseSealKeys, type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import type { RecordKey } from '../access/organization-key.ts';
import type { RedisLayout } from '../redis/shards.ts';
import { type FailureCause, hostCauses, keyCauses } from './health-events.ts';
import type { HintScope } from './learned-hints.ts';

export interface Hint {
  /** The name of a target's part. */
  readonly target: string;
  readonly cause: FailureCause;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Of this process, so that it does not learn from itself. */
  readonly proxy: string;
}

/** With what the hints of a scope are sealed. */
export interface HintSeal {
  readonly keys: SealKeys;
  /** For hosts: the identity that these proxies share. */
  readonly identity?: string;
}

const layout: RedisLayout = 'health:1';

/** The braces decide the slot in a Cluster: all hints of an organization are in one. */
export function hintSetName(scope: HintScope): string {
  return `gateway:${layout}:{${scope === 'hosts' ? 'health' : `health:${scope.organization}`}}`;
}

/** Larger values were not written by a proxy. */
export const sealedBytesMax = 512;

export function sealHint(scope: HintScope, { keys, identity }: HintSeal, hint: Hint): Buffer {
  const { target, cause, until, proxy } = hint;
  return seal(keys, contextOf(scope, identity), Buffer.from(JSON.stringify({ target, cause, until, proxy })));
}

/** @returns undefined for what no proxy with this seal has written for this scope */
export function openHint(scope: HintScope, { keys, identity }: HintSeal, sealed: Buffer): Hint | undefined {
  if (sealed.length > sealedBytesMax) return undefined;
  const content = unseal(keys, contextOf(scope, identity), sealed);
  if (content === undefined) return undefined;
  try {
    return readShape(content.toString(), scope === 'hosts' ? hintOfHost : hintOfKey);
  } catch {
    // A proxy of another version wrote it.
    return undefined;
  }
}

function contextOf(scope: HintScope, identity = ''): SealContext {
  const name = hintSetName(scope);
  return { derive: [layout, name], associated: [name, identity] };
}

function aHint<Cause extends FailureCause>(causes: readonly Cause[]) {
  return aRecord<Hint>({ target: aString, cause: aWord(causes), until: aNumber, proxy: aString });
}

const hintOfHost = aHint(hostCauses);
const hintOfKey = aHint([...keyCauses, 'rate']);

const derived = new WeakMap<readonly RecordKey[], SealKeys>();

/** @param recordKeys of an organization, newest first: the first one seals, all open */
export function hintKeysOf(recordKeys: readonly RecordKey[]): SealKeys {
  const known = derived.get(recordKeys);
  if (known !== undefined) return known;
  const keys = parseSealKeys(recordKeys.map((key) => key.keyFor('health-hint 1').toString('base64')).join(','));
  derived.set(recordKeys, keys);
  return keys;
}
