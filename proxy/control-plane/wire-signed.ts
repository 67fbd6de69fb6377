// Signed records, in one form for the contract and for Redis. A body is kept as the bytes that were signed, and decoded
// only once its signature is verified.
import { never } from '../../common/never.ts';
import type { SignedRecord } from '../../common/record-signature.ts';
import type { ResolveManyResponse__Output } from '../../proto/generated/gateway/v1/ResolveManyResponse.ts';
import type { ResolveResponse__Output } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { SignedRecord as Message, SignedRecord__Output } from '../../proto/generated/gateway/v1/SignedRecord.ts';
import { recordTypes } from '../../proto/load.ts';
import { recordKinds } from '../../proto/words/access.ts';
import { type CachedRecord, cachedKey, platformRef, refOf, type Subject } from '../access/cached-record.ts';
import type { Principal } from '../access/principal.ts';
import type { RecordKeys } from '../access/record-keys.ts';
import type { ResolvedRecords } from '../access/records.ts';
import { decodeKey, decodeOrganization, decodePosition, decodeResolve, decodeScope, fits } from './wire-records.ts';
import { decodePlatform } from './wire-stops.ts';
import { whole } from './wire-values.ts';

/**
 * An unsigned response is accepted if the keys came from the control plane itself: an attacker who could alter the
 * response could also alter the keys. Such a response is for this proxy's memory only.
 * @throws Error that names the fault of the response; also if it is not signed by a key that `keys` contains
 */
export function decodeSignedResolve(
  response: ResolveResponse__Output,
  keyHash: string,
  keys: RecordKeys,
): ResolvedRecords {
  keys.learn(response.recordKeys);
  if (response.recordKeys.length === 0) {
    if (keys.areGiven) keys.refuse('unsigned');
    return decodeResolve(response);
  }
  const { platform: platformMessage } = response;
  const messages = [...response.signed, ...(platformMessage === null ? [] : [platformMessage])];
  const { asOf, signed } = verified(response.asOf, messages, keys);
  const [key] = signed.filter(({ kind, ref }) => kind === 'key' && ref === keyHash);
  if (key === undefined) {
    if (signed.length > 0) throw new Error('the response contains records of another key');
    return { asOf, principal: undefined };
  }
  return { asOf, principal: principalOf(key, batchOf(signed)).principal, signed };
}

/**
 * @returns the records of the first of the keys, as many as were looked up; an error for a key whose records do not fit
 * together
 * @throws Error as decodeSignedResolve; also if nothing was looked up
 */
export function decodeSignedMany(
  response: ResolveManyResponse__Output,
  keyHashes: readonly string[],
  keys: RecordKeys,
): ReadonlyMap<string, ResolvedRecords | Error> {
  keys.learn(response.recordKeys);
  if (response.resolved === 0) throw new Error('the response is about no key');
  const { asOf, signed } = verified(response.asOf, response.signed, keys);
  const batch = batchOf(signed);
  const read = (keyHash: string): ResolvedRecords | Error => {
    const key = batch.record(keyHash);
    if (key?.kind !== 'key') return { asOf, principal: undefined };
    try {
      return { asOf, ...principalOf(key, batch) };
    } catch (error) {
      return error instanceof Error ? error : new Error('the records cannot be read', { cause: error });
    }
  };
  return new Map(keyHashes.slice(0, response.resolved).map((keyHash) => [keyHash, read(keyHash)]));
}

/** @throws Error unless all records are genuine and of the snapshot */
function verified(
  asOfMessage: ResolveResponse__Output['asOf'],
  messages: readonly SignedRecord__Output[],
  keys: RecordKeys,
) {
  const asOf = decodePosition(asOfMessage);
  const signed = messages.map(decodeSigned);
  for (const record of signed) {
    if (!keys.isGenuine(record)) keys.refuse('unknown key');
    const { epoch, revision } = record.signature;
    if (epoch !== asOf.epoch || revision !== asOf.revision)
      throw new Error('the response contains records of two snapshots');
  }
  return { asOf, signed };
}

/** The records of one response. Those that keys share are decoded once. */
interface Batch {
  record(ref: string): SignedRecord | undefined;
  organization(record: SignedRecord): Principal['organization'];
  platform(record: SignedRecord): NonNullable<Principal['platform']>;
}

function batchOf(signed: readonly SignedRecord[]): Batch {
  const byRef = new Map(signed.map((record) => [record.ref, record]));
  return {
    record: (ref) => byRef.get(ref),
    organization: once(({ body }) => decodeOrganization(recordTypes.organization.deserialize(buffer(body)))),
    platform: once(({ body }) => decodePlatform(recordTypes.platform.deserialize(buffer(body)))),
  };
}

function once<T>(decode: (record: SignedRecord) => T): (record: SignedRecord) => T {
  const known = new Map<SignedRecord, T>();
  return (record) => {
    const decoded = known.get(record) ?? decode(record);
    known.set(record, decoded);
    return decoded;
  };
}

/** @returns also the signed records that it is made of */
function principalOf(
  keyRecord: SignedRecord,
  batch: Batch,
): { readonly principal: Principal; readonly signed: readonly SignedRecord[] } {
  const key = decodeKey(recordTypes.key.deserialize(buffer(keyRecord.body)));
  const organization = batch.record(refOf('organization', key.organizationId));
  if (organization === undefined) throw new Error('the response contains a key without its organization');
  const { kind, id } = key.scope;
  const scopeRecord = kind === 'organization' ? undefined : batch.record(refOf(kind, id));
  const scope = scopeRecord && decodeScope(recordTypes.scope.deserialize(buffer(scopeRecord.body)));
  if (!fits(key, scope)) throw new Error('the response contains a key without its scope');
  const platform = batch.record(platformRef);
  return {
    principal: {
      key,
      scope,
      organization: batch.organization(organization),
      platform: platform && batch.platform(platform),
    },
    signed: [keyRecord, organization, scopeRecord, platform].filter((record) => record !== undefined),
  };
}

/**
 * The record of a subject, whose signature was verified. @throws Error for a body that this version cannot read, or of
 * another subject
 */
export function cachedFrom(subject: Subject, { body, signature }: SignedRecord, confirmedAt: number): CachedRecord {
  const { epoch, revision } = signature;
  const at = { ref: subject.ref, asOf: { epoch, revision }, confirmedAt };
  switch (subject.kind) {
    case 'key':
      return cachedKey(subject.ref, decodeKey(recordTypes.key.deserialize(buffer(body))), at);
    case 'organization': {
      const record = decodeOrganization(recordTypes.organization.deserialize(buffer(body)));
      return { ...at, kind: 'organization', record };
    }
    case 'platform':
      return { ...at, kind: 'platform', record: decodePlatform(recordTypes.platform.deserialize(buffer(body))) };
    case 'ai_system':
    case 'person':
      return { ...at, kind: subject.kind, record: decodeScope(recordTypes.scope.deserialize(buffer(body))) };
    default:
      return never(subject.kind);
  }
}

/** The bytes of a record in Redis, before they are sealed. */
export function encodeSigned(record: SignedRecord): Buffer {
  const { kind, ref, body, path, left, signature } = record;
  const { epoch, revision, signedAt, keyId, signature: bytes } = signature;
  const message: Message = {
    kind: recordKinds.names[kind],
    ref,
    body: buffer(body),
    path: path.map(buffer),
    left,
    signature: {
      asOf: { epoch, revision },
      signedAtMs: signedAt,
      keyId: buffer(keyId),
      signature: buffer(bytes),
    },
  };
  return recordTypes.signed.serialize(message);
}

/** @throws Error for bytes that are no signed record */
export function parseSigned(bytes: Buffer): SignedRecord {
  return decodeSigned(recordTypes.signed.deserialize(bytes));
}

function decodeSigned(message: SignedRecord__Output): SignedRecord {
  const { ref, body, path, left, signature } = message;
  const kind = recordKinds.wordOf(message.kind);
  if (kind === undefined || signature === null) throw new Error('the message contains half a record');
  const { epoch, revision } = decodePosition(signature.asOf);
  return {
    kind,
    ref,
    body,
    path,
    left,
    signature: {
      epoch,
      revision,
      signedAt: whole(signature.signedAtMs),
      keyId: signature.keyId,
      signature: signature.signature,
    },
  };
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
