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
  close(): void;
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
  const head = { epoch: String(asOf?.epoch), revision: Number(asOf?.revision), signedAt: Math.floor(at) };
  const all = signRecords(keys[0], head, bodiesOf(response, keyHash)).map((record) => message(record));
  const platform = all.find(({ ref }) => ref === platformRef);
  const signed = all.filter((record) => record !== platform);
  const recordKeys = keys.map(({ publicKey }) => publicKey);
  return { ...(asOf && { asOf }), signed, recordKeys, ...(platform && { platform }) };
}

const platformRef = 'platform:platform';

function bodiesOf({ key, scope, organization, platformRecord }: ReadRecords, keyHash: string): RecordBody[] {
  if (!key || !organization) return [];
  const bodies: RecordBody[] = [
    { kind: 'key', ref: keyHash, body: recordTypes.key.serialize(key) },
    {
      kind: 'organization',
      ref: `organization:${organization.id}`,
      body: recordTypes.organization.serialize(organization),
    },
  ];
  if (platformRecord !== undefined)
    bodies.push({ kind: 'platform', ref: platformRef, body: recordTypes.platform.serialize(platformRecord) });
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
