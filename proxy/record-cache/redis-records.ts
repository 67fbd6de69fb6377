// Records in Redis: format byte ‖ seal(signed record). The seal hides the content; the control plane's signature
// decides whether a record is trusted. So a holder of the cache key can withhold records, but neither make nor undo
// one. Records that are not trusted are counted.
import { hash } from 'node:crypto';
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { SignedRecord } from '../../common/record-signature.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import type { CachedRecord, Subject } from '../access/cached-record.ts';
import type { AccessLimits } from '../access/limits.ts';
import type { Belief, RecordKeys } from '../access/record-keys.ts';
import type { AccessMetrics, RecordCache } from '../access/record-source.ts';
import { cachedFrom, encodeSigned, parseSigned } from '../control-plane/wire-signed.ts';
import { type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import { cachedOfLayout4, nameInLayout4, openLayout4 } from './redis-layout-4.ts';

/** The three commands that the cache needs. @throws RedisUnavailableError */
export interface RecordCommands {
  get(name: string): Promise<Uint8Array | null>;
  set(name: string, value: Buffer, expiresInMs: number): Promise<unknown>;
  delete(name: string): Promise<unknown>;
  hasResponded(): boolean;
}

export interface RedisRecordsDeps {
  readonly commands: RecordCommands;
  readonly sealKeys: SealKeys;
  readonly recordKeys: Pick<RecordKeys, 'belief' | 'isGenuine'>;
  readonly maxStaleMs: number;
  readonly limits: AccessLimits;
  readonly clock: Clock;
  readonly background: Background;
  readonly metrics: AccessMetrics;
}

export function recordCommands(connection: RedisConnection): RecordCommands {
  return {
    get: (name) => connection.read((client) => client.getBuffer(name)),
    set: (name, value, expiresInMs) => connection.run((client) => client.set(name, value, 'PX', expiresInMs)),
    delete: (name) => connection.read((client) => client.del(name)),
    hasResponded: () => connection.hasResponded(),
  };
}

export function createRedisRecords(deps: RedisRecordsDeps): RecordCache {
  const { background, clock, commands, maxStaleMs, metrics, recordKeys } = deps;
  // Counted and not logged each time, because the connection logs a failure once.
  const failed = (operation: 'read' | 'write') => (error: unknown) => {
    if (!(error instanceof RedisUnavailableError)) throw error;
    metrics.cacheFailed(operation);
  };
  return {
    read: async (subject) => {
      const layout = layouts[recordKeys.belief];
      if (layout === undefined) return undefined;
      const bytes = await commands.get(layout.nameOf(subject)).catch(failed('read'));
      if (bytes === null || bytes === undefined) return undefined;
      const found = layout.open(deps, subject, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      if (typeof found !== 'string') return found;
      metrics.cacheIgnored(found);
      return undefined;
    },
    write: (record) => {
      const ageMs = Math.max(0, clock.now() - record.signature.signedAt);
      const expiresInMs = Math.floor(maxStaleMs - ageMs);
      if (expiresInMs < 1) return;
      background(
        'write a record to Redis',
        commands.set(recordName(record), sealRecord(deps.sealKeys, record), expiresInMs).catch(failed('write')),
      );
    },
    remove: (subject) =>
      background('remove a record from Redis', commands.delete(recordName(subject)).catch(failed('write'))),
    hasResponded: () => commands.hasResponded() && recordKeys.belief !== 'nothing',
    believesUnsigned: () => recordKeys.belief === 'unsigned',
  };
}

type Opening = Pick<RedisRecordsDeps, 'clock' | 'limits' | 'recordKeys' | 'sealKeys'>;
type Ignored = 'unreadable' | 'signature' | 'clock';

interface Layout {
  nameOf(subject: Subject): string;
  open(deps: Opening, subject: Subject, bytes: Buffer): CachedRecord | Ignored;
}

const present: Layout = { nameOf: recordName, open };

const previous: Layout = {
  nameOf: nameInLayout4,
  open: (deps, subject, bytes) => {
    const stored = openLayout4(deps.sealKeys, subject, bytes);
    const { kind, ref } = subject;
    if (stored === undefined || kind === 'platform') return 'unreadable';
    const confirmedAt = arrivedAt(deps, stored.content.confirmedAt);
    return confirmedAt === undefined ? 'clock' : cachedOfLayout4({ kind, ref }, stored, confirmedAt);
  },
};

const layouts: Readonly<Record<Belief, Layout | undefined>> = {
  nothing: undefined,
  signed: present,
  unsigned: previous,
};

/**
 * When a record was true, by this process's clock.
 * @param at milliseconds since 1970
 * @returns undefined if that is too far in the future
 */
function arrivedAt({ clock, limits }: Opening, at: number): number | undefined {
  const ageMs = clock.now() - at;
  if (ageMs < -limits.clockSkewMs) return undefined;
  // Clocks differ, so a record never counts as fresh by its own time, only by the feed's.
  return clock.monotonic() - Math.max(ageMs, limits.freshForMs + 1);
}

/** Part of every name and every seal: another layout has other names. */
const layout = 5;

/**
 * The name of a subject's record. Resolve accepts hashes of keys, so Redis must not reveal them: names are hashes of
 * subjects. No secret is part of them, so that proxies find each other's records while a cache key is rotated.
 */
export function recordName({ kind, ref }: Subject): string {
  return `gateway:record:${layout}:${hash('sha256', `${kind}\n${ref}`, 'base64url')}`;
}

/** The value under the name of the record's subject. */
export function sealRecord(keys: SealKeys, record: SignedRecord): Buffer {
  return Buffer.concat([Buffer.from([layout]), seal(keys, sealContext(record), encodeSigned(record))]);
}

/**
 * A record that any holder of the cache key may have written, unchecked. Undefined: the value cannot be unsealed under
 * this name.
 */
export function unsealRecord(keys: SealKeys, subject: Subject, value: Buffer): SignedRecord | undefined {
  const content = value[0] === layout ? unseal(keys, sealContext(subject), value.subarray(1)) : undefined;
  return content && tried(() => parseSigned(content));
}

function open(deps: Opening, subject: Subject, value: Buffer): CachedRecord | Ignored {
  const record = unsealRecord(deps.sealKeys, subject, value);
  if (record === undefined) return 'unreadable';
  // The record's own claim about its subject does not count: it is checked as the record of the requested subject.
  if (!deps.recordKeys.isGenuine({ ...record, kind: subject.kind, ref: subject.ref })) return 'signature';
  const confirmedAt = arrivedAt(deps, record.signature.signedAt);
  if (confirmedAt === undefined) return 'clock';
  // A control plane of another version may have signed a record that this version cannot read.
  return tried(() => cachedFrom(subject, record, confirmedAt)) ?? 'unreadable';
}

function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function sealContext(subject: Subject): SealContext {
  const name = recordName(subject);
  return { derive: [subject.kind, name], associated: [String(layout), subject.kind, name] };
}
