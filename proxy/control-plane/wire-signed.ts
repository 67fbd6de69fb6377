// Signed records, in one form for the contract and for Redis. A body is kept as the bytes that were signed, and decoded
// only once its signature is verified.
import { never } from '../../common/never.ts';
import type { SignedRecord } from '../../common/record-signature.ts';
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
  const asOf = decodePosition(response.asOf);
  const { platform: platformMessage } = response;
  const signed = [...response.signed, ...(platformMessage === null ? [] : [platformMessage])].map(decodeSigned);
  for (const record of signed) {
    if (!keys.isGenuine(record)) keys.refuse('unknown key');
    const { epoch, revision } = record.signature;
    if (epoch !== asOf.epoch || revision !== asOf.revision)
      throw new Error('the response contains records of two snapshots');
  }
  const [key] = signed.filter(({ kind, ref }) => kind === 'key' && ref === keyHash);
  if (key === undefined) {
    if (signed.length > 0) throw new Error('the response contains records of another key');
    return { asOf, principal: undefined };
  }
  return { asOf, principal: principalOf(key, signed), signed };
}

function principalOf(keyRecord: SignedRecord, signed: readonly SignedRecord[]): Principal {
  const bodyOf = (ref: string) => signed.find((record) => record.ref === ref)?.body;
  const key = decodeKey(recordTypes.key.deserialize(buffer(keyRecord.body)));
  const organization = bodyOf(refOf('organization', key.organizationId));
  if (organization === undefined) throw new Error('the response contains a key without its organization');
  const { kind, id } = key.scope;
  const scopeBody = kind === 'organization' ? undefined : bodyOf(refOf(kind, id));
  const scope = scopeBody && decodeScope(recordTypes.scope.deserialize(buffer(scopeBody)));
  if (!fits(key, scope)) throw new Error('the response contains a key without its scope');
  const platform = bodyOf(platformRef);
  return {
    key,
    scope,
    organization: decodeOrganization(recordTypes.organization.deserialize(buffer(organization))),
    platform: platform && decodePlatform(recordTypes.platform.deserialize(buffer(platform))),
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
