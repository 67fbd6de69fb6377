// Signs the records for proxies. So an attacker with access to Redis can withhold records there, but can neither forge
// nor roll them back. Without a signing key of its own the control plane derives one from its newest master key, so
// that records are always signed.
import { hkdfSync } from 'node:crypto';
import { type FileWatcher, type FileWatcherOptions, readNamed, startFileWatcher } from '../../common/file-watcher.ts';
import {
  parseSigningKey,
  type RecordBody,
  type SignedRecord as Signed,
  type SigningKey,
  signingKeyOf,
  signRecords,
} from '../../common/record-signature.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { ResolveManyResponse } from '../../proto/generated/gateway/v1/ResolveManyResponse.ts';
import type { ResolveResponse } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { SignedRecord } from '../../proto/generated/gateway/v1/SignedRecord.ts';
import { recordTypes } from '../../proto/load.ts';
import { recordKinds, scopeKinds } from '../../proto/words/access.ts';
import type { ReadRecords } from './records.ts';

export interface RecordSigner {
  /** The key that signs now, in 16 hexadecimal digits. */
  readonly keyId: string;
  /** The public keys in DER for proxies without configured keys. The first is that of `keyId`. */
  readonly publicKeys: readonly Buffer[];
  /**
   * @param response records in their own fields; the same records are returned signed
   * @param at milliseconds since 1970, read before the snapshot: the age of a record counts from then
   */
  sign(response: ReadRecords, keyHash: string, at: number): ResolveResponse;
  /**
   * Signs the records of many keys in one batch, each record once.
   * @param responses by the hashes of their keys, at least one, all of one snapshot
   * @param at as in `sign`
   * @returns also how many of the first fit into the response
   */
  signMany(responses: readonly HashedRecords[], at: number): SignedMany;
  close(): void;
}

export type HashedRecords = readonly [keyHash: string, records: ReadRecords];

export interface SignedMany {
  readonly response: ResolveManyResponse;
  readonly resolved: number;
}

export interface RecordSignerSettings {
  /** The key at the program's start. */
  readonly recordSigningKey: SigningKey | undefined;
  /** The file that is read again when it changes. */
  readonly recordSigningKeyFile: string | undefined;
  readonly masterKey: SealKeys;
}

export function openRecordSigner(settings: RecordSignerSettings, options: FileWatcherOptions): RecordSigner {
  const keys = openKeys(settings, options);
  return {
    get keyId() {
      return keys.current[0].id.toString('hex');
    },
    get publicKeys() {
      return keys.current.map(({ publicKey }) => publicKey);
    },
    sign: (response, keyHash, at) => signResponse(keys.current, { response, keyHash, at }),
    signMany: (responses, at) => signMany(keys.current, responses, at),
    close: () => keys.close(),
  };
}

/** The first signs. Proxies without configured keys accept all of them. */
type Keys = readonly [SigningKey, ...SigningKey[]];

function openKeys(
  settings: RecordSignerSettings,
  options: FileWatcherOptions,
): Pick<FileWatcher<Keys>, 'current' | 'close'> {
  const { recordSigningKey: key, recordSigningKeyFile: file, masterKey } = settings;
  if (key === undefined) return { current: keysOf(masterKey), close: () => {} };
  if (file === undefined) return { current: [key], close: () => {} };
  const read = async (): Promise<Keys> => {
    const pem = (await readNamed(file)).toString();
    try {
      return [parseSigningKey(pem)];
    } catch (error) {
      throw new Error(`the key in ${file} ${error instanceof Error ? error.message : ''}`);
    }
  };
  const isSame = ([one]: Keys, [other]: Keys) => one.id.equals(other.id);
  return startFileWatcher<Keys>([key], { read, isSame, file, what: 'the key that signs records' }, options);
}

function keysOf({ keys }: SealKeys): Keys {
  const [first, ...others] = keys.map(({ material }) => {
    const secret = Buffer.from(material.reveal(), 'base64');
    return signingKeyOf(Buffer.from(hkdfSync('sha256', secret, '', 'gateway-record-signing-key', 32)));
  });
  if (first === undefined) throw new Error('there is no master key');
  return [first, ...others];
}

interface UnsignedResponse {
  readonly response: ReadRecords;
  readonly keyHash: string;
  readonly at: number;
}

function signResponse(keys: Keys, { response, keyHash, at }: UnsignedResponse): ResolveResponse {
  const { asOf } = response;
  const all = signBodies(keys, { asOf, at, bodies: bodiesOf(response, keyHash) });
  const platform = all.find(({ ref }) => ref === platformRef);
  const signed = all.filter((record) => record !== platform);
  return { ...(asOf && { asOf }), signed, recordKeys: publicKeysOf(keys), ...(platform && { platform }) };
}

/** A response has at most 4 MiB; paths and signatures of its records need less than the rest. */
const bodyBytesMax = 2 * 1024 * 1024;

function signMany(keys: Keys, responses: readonly HashedRecords[], at: number): SignedMany {
  const asOf = responses[0]?.[1].asOf;
  const bodies = new Map<string, RecordBody>();
  const encoded = createEncoder();
  let bytes = 0;
  let resolved = 0;
  for (const [keyHash, response] of responses) {
    const added = bodiesOf(response, keyHash, encoded).filter(({ ref }) => !bodies.has(ref));
    bytes += added.reduce((sum, { body }) => sum + body.length, 0);
    // The first fits, as it fits into a response of its own.
    if (bytes > bodyBytesMax && resolved > 0) break;
    for (const body of added) bodies.set(body.ref, body);
    resolved += 1;
  }
  const signed = signBodies(keys, { asOf, at, bodies: [...bodies.values()] });
  return { response: { ...(asOf && { asOf }), resolved, signed, recordKeys: publicKeysOf(keys) }, resolved };
}

interface UnsignedBodies {
  readonly asOf: ReadRecords['asOf'];
  readonly at: number;
  readonly bodies: readonly RecordBody[];
}

function signBodies(keys: Keys, { asOf, at, bodies }: UnsignedBodies): SignedRecord[] {
  const head = { epoch: String(asOf?.epoch), revision: Number(asOf?.revision), signedAt: Math.floor(at) };
  return signRecords(keys[0], head, bodies).map((record) => message(record));
}

function publicKeysOf(keys: Keys): Buffer[] {
  return keys.map(({ publicKey }) => publicKey);
}

const platformRef = 'platform:platform';

/** Encodes each record once, although keys share it. */
type Encoder = (record: object, encode: () => Uint8Array) => Uint8Array;

function createEncoder(): Encoder {
  const known = new Map<object, Uint8Array>();
  return (record, encode) => {
    const body = known.get(record) ?? encode();
    known.set(record, body);
    return body;
  };
}

function bodiesOf(
  { key, scope, organization, platformRecord }: ReadRecords,
  keyHash: string,
  encoded: Encoder = (_record, encode) => encode(),
): RecordBody[] {
  if (!key || !organization) return [];
  const bodies: RecordBody[] = [
    { kind: 'key', ref: keyHash, body: recordTypes.key.serialize(key) },
    {
      kind: 'organization',
      ref: `organization:${organization.id}`,
      body: encoded(organization, () => recordTypes.organization.serialize(organization)),
    },
  ];
  if (platformRecord !== undefined) {
    const body = encoded(platformRecord, () => recordTypes.platform.serialize(platformRecord));
    bodies.push({ kind: 'platform', ref: platformRef, body });
  }
  if (!scope) return bodies;
  const kind = scopeKinds.wordOf(scope.kind);
  if (kind === undefined || kind === 'organization') throw new Error('there is no such scope record');
  return [...bodies, { kind, ref: `${kind}:${scope.id}`, body: recordTypes.scope.serialize(scope) }];
}

function message({ kind, ref, body, path, left, signature }: Signed): SignedRecord {
  const { epoch, revision, signedAt, keyId, signature: bytes } = signature;
  return {
    kind: recordKinds.names[kind],
    ref,
    body: Buffer.from(body),
    path: path.map((hash) => Buffer.from(hash)),
    left,
    signature: {
      asOf: { epoch, revision },
      signedAtMs: signedAt,
      keyId: Buffer.from(keyId),
      signature: Buffer.from(bytes),
    },
  };
}
