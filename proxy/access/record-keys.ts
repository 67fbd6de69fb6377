// The public keys by which this proxy believes records: those that it was given, else those that the control plane names on its own
// connection. Never from Redis. Signatures that were checked are remembered, so a batch is checked once.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../common/logger.ts';
import {
  isSigned,
  parseVerifyingKeys,
  type SignedRecord,
  signedTextOf,
  type VerifyingKey,
  verifyingKey,
} from '../../common/record-signature.ts';
import { type Reread, type RereadOptions, readNamed, reread } from '../../common/reread.ts';
import type { RecordKeysState } from '../../proto/generated/gateway/v1/RecordKeysState.ts';

export interface RecordKeys {
  /** Whether there are none, given or named: nothing in Redis can be checked. */
  isEmpty(): boolean;
  /** Whether the record is what a control plane signed, under this kind and subject. */
  isGenuine(record: SignedRecord): boolean;
  /** The control plane names its public keys. Without effect where keys were given. */
  learn(publicKeys: readonly Uint8Array[]): void;
  /** The control plane's own response cannot be believed: it says so, once. @throws Error always */
  refuse(reason: 'unsigned' | 'unknown key'): never;
  state(): RecordKeysState;
  close(): void;
}

export interface RecordKeysSettings {
  /** As they were when the program started; undefined: none are given. */
  readonly keys: readonly VerifyingKey[] | undefined;
  /** Where they are read again. */
  readonly file: string | undefined;
}

/** Roots, by what was signed. Each is one response of the control plane. */
const rootsMax = 10_000;
/** Replicas sign with one key, two while it is rotated; what was named longest ago goes first. */
const learntMax = 8;

export function openRecordKeys({ keys, file }: RecordKeysSettings, options: RereadOptions): RecordKeys {
  if (keys === undefined) return new LearntKeys(options.log);
  return new GivenKeys(watchKeys(keys, file, options), options.log);
}

type Watched = Pick<Reread<readonly VerifyingKey[]>, 'current' | 'close'>;

function watchKeys(keys: readonly VerifyingKey[], file: string | undefined, options: RereadOptions): Watched {
  if (file === undefined) return { current: keys, close: () => {} };
  const read = async () => {
    const pem = (await readNamed(file)).toString();
    try {
      return parseVerifyingKeys(pem);
    } catch (error) {
      throw new Error(`what stands in ${file} ${error instanceof Error ? error.message : ''}`);
    }
  };
  const text = (all: readonly VerifyingKey[]) => all.map(nameOf).join();
  const isSame = (one: readonly VerifyingKey[], other: readonly VerifyingKey[]) => text(one) === text(other);
  return reread(keys, { read, isSame, file, what: 'the public keys of records' }, options);
}

function nameOf({ id }: Pick<VerifyingKey, 'id'>): string {
  return id.toString('hex');
}

/** Which signatures are good. */
class Checked {
  readonly #roots = new LRUCache<string, true>({ max: rootsMax });

  isGenuine(record: SignedRecord, keys: Iterable<VerifyingKey>): boolean {
    const { signature } = record;
    const id = Buffer.from(signature.keyId).toString('hex');
    const key = [...keys].find((one) => nameOf(one) === id);
    const text = signedTextOf(record);
    if (key === undefined || text === undefined) return false;
    // The key is part of it: one that was taken away has checked nothing.
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
  readonly #watched: Watched;
  readonly #log: Logger;
  readonly #checked = new Checked();
  #hasComplained = false;

  constructor(watched: Watched, log: Logger) {
    this.#watched = watched;
    this.#log = log;
  }

  isEmpty(): boolean {
    return false;
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

class LearntKeys implements RecordKeys {
  readonly #log: Logger;
  readonly #keys = new LRUCache<string, VerifyingKey>({ max: learntMax });
  readonly #checked = new Checked();

  constructor(log: Logger) {
    this.#log = log;
  }

  isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  isGenuine(record: SignedRecord): boolean {
    return this.#checked.isGenuine(record, this.#keys.values());
  }

  learn(publicKeys: readonly Uint8Array[]): void {
    for (const bytes of publicKeys) {
      // Each response names them: the usual look costs a map's.
      const name = Buffer.from(hash('sha256', bytes, 'buffer').subarray(0, 8)).toString('hex');
      if (this.#keys.get(name) !== undefined) continue;
      this.#keys.set(name, verifyingKey(bytes));
      this.#log.info({ key: name }, 'the control plane named a public key of records');
    }
  }

  refuse(reason: keyof typeof reasons): never {
    throw new Error(reasons[reason]);
  }

  state(): RecordKeysState {
    return { ids: [...this.#keys.keys()], fromControlPlane: true };
  }

  close(): void {}
}
