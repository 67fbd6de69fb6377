// Records in Redis, sealed. A value is format byte ‖ length of the header (2) ‖ header ‖ sealed content. The header says which
// snapshot the record was read in; it is authenticated, not secret. What does not open where it stands is ignored and counted.
import { hash } from 'node:crypto';
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import { Secret } from '../../common/secret.ts';
import type { Guardrail } from '../../guardrails/definition.ts';
import { type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import type { Position } from './feed-state.ts';
import { type Held, heldKey, type Subject } from './held.ts';
import type { AccessLimits } from './limits.ts';
import type { KeyRecord, OrganizationRecord, ProviderSecret, ScopeRecord } from './principal.ts';
import type { AccessMetrics, RecordCache } from './record-source.ts';

/** The three commands that are needed. @throws RedisUnavailableError */
export interface RecordCommands {
  get(name: string): Promise<Uint8Array | null>;
  set(name: string, value: Buffer, expiresInMs: number): Promise<unknown>;
  delete(name: string): Promise<unknown>;
  hasAnswered(): boolean;
}

export interface RedisRecordsDeps {
  readonly commands: RecordCommands;
  readonly sealKeys: SealKeys;
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
    hasAnswered: () => connection.hasAnswered(),
  };
}

export function createRedisRecords(deps: RedisRecordsDeps): RecordCache {
  const { background, clock, commands, limits, maxStaleMs, metrics } = deps;
  // Counted and not logged each time: the connection tells once.
  const failed = (operation: 'read' | 'write') => (error: unknown) => {
    if (!(error instanceof RedisUnavailableError)) throw error;
    metrics.cacheFailed(operation);
  };
  return {
    read: async (subject) => {
      const bytes = await commands.get(nameOf(subject)).catch(failed('read'));
      if (bytes === null || bytes === undefined) return undefined;
      const stored = open(deps.sealKeys, subject, bytes);
      if (stored === undefined) {
        metrics.cacheIgnored('unreadable');
        return undefined;
      }
      const ageMs = clock.now() - stored.content.confirmedAt;
      if (ageMs < -limits.clockSkewMs) {
        metrics.cacheIgnored('clock');
        return undefined;
      }
      // Clocks of proxies differ, so a record of another is never taken for fresh by its own word, only by the feed's.
      const confirmedAt = clock.monotonic() - Math.max(ageMs, limits.freshForMs + 1);
      return heldFrom(subject, stored, confirmedAt);
    },
    write: (held) => {
      const ageMs = clock.monotonic() - held.confirmedAt;
      const expiresInMs = Math.floor(maxStaleMs - ageMs);
      if (expiresInMs < 1) return;
      const value = close(deps.sealKeys, held, clock.now() - ageMs);
      background(
        'write a record to Redis',
        commands.set(nameOf(held), value, expiresInMs).catch(failed('write')),
      );
    },
    remove: (subject) =>
      background('remove a record from Redis', commands.delete(nameOf(subject)).catch(failed('write'))),
    hasAnswered: () => commands.hasAnswered(),
  };
}

/** Part of every name and every seal: another layout is another set of names. */
const layout = 4;

/**
 * Resolve takes hashes of keys, so Redis must not tell them: names are hashes of what they stand for. No secret goes into
 * them, so that proxies find each other's records while a cache key is rotated.
 */
function nameOf({ kind, ref }: Subject): string {
  return `gateway:record:${layout}:${hash('sha256', `${kind}\n${ref}`, 'base64url')}`;
}

interface Stored {
  readonly asOf: Position;
  readonly content: {
    /** Milliseconds since 1970. */
    readonly confirmedAt: number;
    readonly record: unknown;
  };
}

function close(keys: SealKeys, held: Held, confirmedAt: number): Buffer {
  const organization = held.kind === 'organization' ? held.record.id : held.record.organizationId;
  const header = Buffer.from(JSON.stringify([held.asOf.epoch, held.asOf.revision, organization]));
  const content = JSON.stringify({ confirmedAt, record: storable(held) });
  const prefix = Buffer.alloc(3);
  prefix.writeUInt8(layout, 0);
  prefix.writeUInt16BE(header.length, 1);
  return Buffer.concat([
    prefix,
    header,
    seal(keys, sealContext(held, held.asOf, organization), Buffer.from(content)),
  ]);
}

function open(keys: SealKeys, subject: Subject, value: Uint8Array): Stored | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  if (bytes.length < 3 || bytes.readUInt8(0) !== layout) return undefined;
  const headerEnd = 3 + bytes.readUInt16BE(1);
  const header = parseHeader(bytes.toString('utf8', 3, headerEnd));
  if (header === undefined) return undefined;
  const context = sealContext(subject, header.asOf, header.organization);
  const content = unseal(keys, context, bytes.subarray(headerEnd));
  // What opens was written by a proxy of this layout.
  return content && { asOf: header.asOf, content: JSON.parse(content.toString()) };
}

function parseHeader(text: string): { asOf: Position; organization: string } | undefined {
  try {
    const [epoch, revision, organization] = JSON.parse(text);
    return { asOf: { epoch: String(epoch), revision: Number(revision) }, organization: String(organization) };
  } catch {
    return undefined;
  }
}

function sealContext(subject: Subject, asOf: Position, organization: string): SealContext {
  const name = nameOf(subject);
  return {
    derive: [subject.kind, organization, name],
    associated: [String(layout), subject.kind, name, asOf.epoch, String(asOf.revision)],
  };
}

function storable(held: Held): object {
  if (held.kind !== 'organization') return held.record;
  const providerKeys = held.record.providerKeys.map((key) => ({
    ...key,
    secret: {
      apiKey: key.secret.apiKey?.reveal(),
      accessKeyId: key.secret.accessKeyId?.reveal(),
      secretAccessKey: key.secret.secretAccessKey?.reveal(),
      sessionToken: key.secret.sessionToken?.reveal(),
    },
  }));
  const guardrails = held.record.guardrails.map(({ check, ...guardrail }) => ({
    ...guardrail,
    check: check.kind === 'webhook' ? { ...check, secret: check.secret.reveal() } : check,
  }));
  return { ...held.record, providerKeys, guardrails };
}

type StoredSecret = { readonly [Field in keyof ProviderSecret]?: string };

function heldFrom(subject: Subject, stored: Stored, confirmedAt: number): Held {
  const at = { ref: subject.ref, asOf: stored.asOf, confirmedAt };
  const { record } = stored.content;
  switch (subject.kind) {
    case 'key':
      return heldKey(subject.ref, record as KeyRecord, at);
    case 'organization':
      return { ...at, kind: 'organization', record: withSecrets(record as OrganizationRecord) };
    default:
      return { ...at, kind: subject.kind, record: record as ScopeRecord };
  }
}

function withSecrets(record: OrganizationRecord): OrganizationRecord {
  const wrap = (value: string | undefined) => (value === undefined ? undefined : new Secret(value));
  const providerKeys = record.providerKeys.map((key) => {
    const secret = key.secret as unknown as StoredSecret;
    return {
      ...key,
      secret: {
        apiKey: wrap(secret.apiKey),
        accessKeyId: wrap(secret.accessKeyId),
        secretAccessKey: wrap(secret.secretAccessKey),
        sessionToken: wrap(secret.sessionToken),
      },
    };
  });
  return { ...record, providerKeys, guardrails: record.guardrails.map(withSecret) };
}

function withSecret(guardrail: Guardrail): Guardrail {
  const { check } = guardrail;
  if (check.kind !== 'webhook') return guardrail;
  const secret = check.secret as unknown as string;
  return { ...guardrail, check: { ...check, secret: new Secret(secret) } };
}
