// The public keys with which this proxy verifies records: the configured ones, or else those that the control plane
// names on its own connection. Until the control plane names one, no record is trusted. Keys never come from Redis.
// Verified signatures are remembered, so a batch is checked once.
import { hash } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { type FileWatcher, type FileWatcherOptions, readNamed, startFileWatcher } from '../../common/file-watcher.ts';
import type { Logger } from '../../common/logger.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import {
  idOf,
  isSigned,
  parseVerifyingKeys,
  type SignedRecord,
  signedTextOf,
  type VerifyingKey,
  verifyingKey,
} from '../../common/record-signature.ts';
import type { RecordKeysState } from '../../proto/generated/gateway/v1/RecordKeysState.ts';
import type { AccessLimits } from './limits.ts';

/** Which records of Redis the proxy trusts. */
export type Belief =
  /** None: no key is known, and the control plane has not responded yet. */
  | 'nothing'
  /** Those that a known key signed. This state never changes again. */
  | 'signed'
  /** All that can be decrypted: the control plane is of a release that does not sign. */
  | 'unsigned';

export interface RecordKeys {
  readonly belief: Belief;
  /** Whether the keys are configured; otherwise the control plane named them. */
  readonly areGiven: boolean;
  /** Whether a control plane signed the record under this kind and subject. */
  isGenuine(record: SignedRecord): boolean;
  /**
   * Takes the public keys that the control plane names; no keys mean that it does not sign. Without effect if keys are
   * configured.
   */
  learn(publicKeys: readonly Uint8Array[]): void;
  /**
   * Refuses a response of the control plane that cannot be verified. With configured keys, the reason is logged once.
   * @throws Error always
   */
  refuse(reason: 'unsigned' | 'unknown key'): never;
  state(): RecordKeysState;
  close(): void;
}

export interface RecordKeysSettings {
  /** The keys at the start of the program. Undefined: none are configured. */
  readonly keys: readonly VerifyingKey[] | undefined;
  /** The file from which the keys are read again when it changes. */
  readonly file: string | undefined;
  /** A record signed longer ago than this is not used. */
  readonly maxStaleMs: number;
}

export interface RecordKeysOptions extends FileWatcherOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: Pick<AccessLimits, 'learntKeysMax' | 'rootsMax'>;
}

export function openRecordKeys(settings: RecordKeysSettings, options: RecordKeysOptions): RecordKeys {
  const { keys, file, maxStaleMs } = settings;
  if (keys === undefined) return new LearntKeys({ ...options, maxStaleMs });
  return new GivenKeys(watchKeys(keys, file, options), options);
}

type Watched = Pick<FileWatcher<readonly VerifyingKey[]>, 'current' | 'close'>;

function watchKeys(keys: readonly VerifyingKey[], file: string | undefined, options: FileWatcherOptions): Watched {
  if (file === undefined) return { current: keys, close: () => {} };
  const read = async () => {
    const pem = (await readNamed(file)).toString();
    try {
      return parseVerifyingKeys(pem);
    } catch (error) {
      throw new Error(`the content of ${file} ${error instanceof Error ? error.message : ''}`);
    }
  };
  const text = (all: readonly VerifyingKey[]) => all.map(nameOf).join();
  const isSame = (one: readonly VerifyingKey[], other: readonly VerifyingKey[]) => text(one) === text(other);
  return startFileWatcher(keys, { read, isSame, file, what: 'the public keys of records' }, options);
}

function nameOf({ id }: Pick<VerifyingKey, 'id'>): string {
  return id.toString('hex');
}

/** Remembers which signatures are good. */
class Checked {
  readonly #roots: LRUCache<string, true>;

  constructor(rootsMax: number) {
    this.#roots = lruCache(rootsMax);
  }

  isGenuine(record: SignedRecord, keys: Iterable<VerifyingKey>): boolean {
    const { signature } = record;
    const id = Buffer.from(signature.keyId).toString('hex');
    const key = [...keys].find((one) => nameOf(one) === id);
    const text = signedTextOf(record);
    if (key === undefined || text === undefined) return false;
    // The key is part of the name, so that a key that was removed has no verified signatures.
    const name = hash('sha256', Buffer.concat([key.id, signature.signature, text]), 'base64');
    if (this.#roots.has(name)) return true;
    if (!isSigned(key, text, signature)) return false;
    this.#roots.set(name, true);
    return true;
  }
}

const reasons = {
  unsigned: 'the control plane does not sign records: bring it up to date, or unset GATEWAY_RECORD_KEYS',
  'unknown key':
    'the control plane signs records with a key that this proxy does not know: add its public key to GATEWAY_RECORD_KEYS',
} as const;

class GivenKeys implements RecordKeys {
  readonly belief = 'signed';
  readonly areGiven = true;
  readonly #watched: Watched;
  readonly #log: Logger;
  readonly #checked: Checked;
  #hasComplained = false;

  constructor(watched: Watched, { limits, log }: Pick<RecordKeysOptions, 'limits' | 'log'>) {
    this.#watched = watched;
    this.#log = log;
    this.#checked = new Checked(limits.rootsMax);
  }

  isGenuine(record: SignedRecord): boolean {
    return this.#checked.isGenuine(record, this.#watched.current);
  }

  learn(): void {}

  refuse(reason: keyof typeof reasons): never {
    if (!this.#hasComplained) this.#log.error(reasons[reason]);
    this.#hasComplained = true;
    throw new Error(reasons[reason]);
  }

  state(): RecordKeysState {
    return { ids: this.#watched.current.map(nameOf), fromControlPlane: false };
  }

  close(): void {
    this.#watched.close();
  }
}

interface LearntKey {
  readonly key: VerifyingKey;
  namedAt: number;
}

type LearntKeysDeps = Pick<RecordKeysOptions, 'clock' | 'limits' | 'log'> & Pick<RecordKeysSettings, 'maxStaleMs'>;

class LearntKeys implements RecordKeys {
  readonly areGiven = false;
  readonly #deps: LearntKeysDeps;
  readonly #keys: LRUCache<string, LearntKey>;
  readonly #checked: Checked;
  #belief: Belief = 'nothing';

  constructor(deps: LearntKeysDeps) {
    this.#deps = deps;
    this.#keys = lruCache(deps.limits.learntKeysMax);
    this.#checked = new Checked(deps.limits.rootsMax);
  }

  get belief(): Belief {
    return this.#belief;
  }

  isGenuine(record: SignedRecord): boolean {
    return this.#checked.isGenuine(record, this.#all());
  }

  learn(publicKeys: readonly Uint8Array[]): void {
    if (publicKeys.length === 0) {
      // A replica of an earlier release responded, perhaps beside newer ones: the learnt keys stay.
      if (this.#belief === 'nothing') this.#belief = 'unsigned';
      return;
    }
    const now = this.#deps.clock.monotonic();
    for (const bytes of publicKeys) this.#learn(bytes, now);
    this.#belief = 'signed';
    // All records that these keys signed are too old. Keys are removed only here, because a proxy that is cut off
    // receives no names.
    for (const [name, { namedAt }] of this.#keys) if (now - namedAt > this.#deps.maxStaleMs) this.#keys.delete(name);
  }

  refuse(reason: keyof typeof reasons): never {
    throw new Error(reasons[reason]);
  }

  state(): RecordKeysState {
    return { ids: [...this.#keys.keys()], fromControlPlane: true };
  }

  close(): void {}

  #learn(bytes: Uint8Array, namedAt: number): void {
    // Each response names the keys, so the usual case costs one look-up in a map.
    const name = nameOf({ id: idOf(bytes) });
    const known = this.#keys.get(name);
    if (known !== undefined) {
      known.namedAt = namedAt;
      return;
    }
    this.#keys.set(name, { key: verifyingKey(bytes), namedAt });
    this.#deps.log.info({ key: name }, 'the control plane named a public key of records');
  }

  *#all(): Iterable<VerifyingKey> {
    for (const { key } of this.#keys.values()) yield key;
  }
}
