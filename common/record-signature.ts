// Signatures of records. The control plane signs the root of a Merkle tree over the records of one snapshot. With the
// public key, a record can be verified alone by its path to that root. The leaf contains kind and subject; position and
// time are signed beside the root. A record that was changed, moved to another subject, or given another position or
// time has no valid signature.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { ed25519PrivateKey } from './audit-anchor.ts';

/** Kinds of records, with the byte for each in a leaf: its number in the contract's RecordKind. */
const kindBytes = { key: 1, ai_system: 2, person: 3, organization: 4, platform: 5 } as const;
export type SignedKind = keyof typeof kindBytes;

export interface RecordBody {
  readonly kind: SignedKind;
  /** For a key: SHA-256 of its value in hexadecimal; otherwise `<kind>:<id>`. */
  readonly ref: string;
  /** Protobuf. These exact bytes are kept, because two encoders need not produce the same ones. */
  readonly body: Uint8Array;
}

/** The part of the signed text that is not the root. */
export interface BatchHead {
  /** The snapshot from which all records of the batch were read. */
  readonly epoch: string;
  readonly revision: number;
  /** Milliseconds since 1970, not later than the snapshot. */
  readonly signedAt: number;
}

export interface RecordSignature extends BatchHead {
  /** Eight bytes that identify the key that signed. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** The position of a record in the tree of its batch. */
export interface TreePath {
  /** The sibling hashes, from the leaf upwards. */
  readonly path: readonly Uint8Array[];
  /** Bit n: the nth sibling is on the left. */
  readonly left: number;
}

export interface SignedRecord extends RecordBody, TreePath {
  readonly signature: RecordSignature;
}

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  readonly id: Buffer;
}

export interface VerifyingKey {
  readonly publicKey: KeyObject;
  readonly id: Buffer;
}

const keyIdBytes = 8;
/** Maximum path length: the number of bits in `left`. */
const pathMax = 32;

/** The first eight bytes of the SHA-256 of the public key in DER. */
export function idOf(publicKey: Uint8Array): Buffer {
  return hash('sha256', publicKey, 'buffer').subarray(0, keyIdBytes);
}

function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return { privateKey, publicKey, id: idOf(publicKey) };
}

/** @throws Error that names the accepted form, never the given text */
export function parseSigningKey(pem: string): SigningKey {
  return signingKey(ed25519PrivateKey(pem));
}

/** Makes a private key from 32 secret bytes. */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  // The complete PKCS #8 prefix for this kind of key (RFC 8410, section 7); the 32 bytes follow it.
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = Buffer.concat([prefix, seed]);
  return signingKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}

/** @throws Error that names the accepted form */
export function verifyingKey(publicKey: Uint8Array): VerifyingKey {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  } catch {
    throw new Error('must be an Ed25519 public key');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('must be an Ed25519 public key');
  return { publicKey: key, id: idOf(key.export({ type: 'spki', format: 'der' })) };
}

const publicKeysMax = 16;
const publicPem = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----/g;

/**
 * One or more public keys in PEM, one after the other.
 * @throws Error that names the accepted form, never the given text
 */
export function parseVerifyingKeys(pem: string): readonly VerifyingKey[] {
  if (pem.includes('PRIVATE KEY'))
    throw new Error('contains a private key, which belongs to the control plane alone; give its public key');
  const accepted = `must be one to ${publicKeysMax} Ed25519 public keys in PEM, one after the other`;
  const found = [...pem.matchAll(publicPem)];
  const isAll = pem.replaceAll(publicPem, '').trim() === '';
  if (!isAll || found.length === 0 || found.length > publicKeysMax) throw new Error(accepted);
  return found.map(([, base64 = '']) => verifyingKey(Buffer.from(base64, 'base64')));
}

/** A new private key in PEM, in the form that parseSigningKey accepts. */
export function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The public key in PEM, in the form that parseVerifyingKeys accepts. */
export function publicPemOf({ privateKey }: SigningKey): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

/** Signs all records of one snapshot at once. */
export function signRecords(key: SigningKey, head: BatchHead, records: readonly RecordBody[]): readonly SignedRecord[] {
  // A request for keys that do not exist costs no signature.
  if (records.length === 0) return [];
  const { root, paths } = treeOver(records.map(leafOf));
  const signature = { ...head, keyId: key.id, signature: sign(null, signedText(head, root), key.privateKey) };
  return records.map((record, index) => {
    const { path = [], left = 0 } = paths[index] ?? {};
    return { ...record, path, left, signature };
  });
}

/** The text that the signature covers, computed from the record. Undefined if the path is longer than any tree has. */
export function signedTextOf(record: SignedRecord): Buffer | undefined {
  const { path, left, signature } = record;
  if (path.length > pathMax) return undefined;
  let node = leafOf(record);
  for (const [step, beside] of path.entries()) node = (left >>> step) & 1 ? nodeOf(beside, node) : nodeOf(node, beside);
  return signedText(signature, node);
}

/** @param text from signedTextOf */
export function isSigned(key: VerifyingKey, text: Uint8Array, { signature }: RecordSignature): boolean {
  return verify(null, text, key.publicKey, signature);
}

function signedText({ epoch, revision, signedAt }: BatchHead, root: Uint8Array): Buffer {
  // An epoch contains no NUL byte, because it is base64.
  const front = Buffer.from(`gateway-record-v1\0${epoch}\0`);
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(revision), 0);
  numbers.writeBigUInt64BE(BigInt(signedAt), 8);
  return Buffer.concat([front, numbers, root]);
}

// Includes the length of the subject, so that no body can start with the end of another subject.
function leafOf({ kind, ref, body }: RecordBody): Buffer {
  const subject = Buffer.from(ref);
  const front = Buffer.alloc(6);
  front.writeUInt8(0, 0);
  front.writeUInt8(kindBytes[kind], 1);
  front.writeUInt32BE(subject.length, 2);
  return createHash('sha256').update(front).update(subject).update(body).digest();
}

const innerNode = Buffer.from([1]);

function nodeOf(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(innerNode).update(left).update(right).digest();
}

interface Path {
  readonly path: Uint8Array[];
  left: number;
}

// A node without a sibling moves up unchanged.
function treeOver(leaves: readonly Buffer[]): { readonly root: Buffer; readonly paths: readonly Path[] } {
  const paths: readonly Path[] = leaves.map(() => ({ path: [], left: 0 }));
  let level = leaves;
  for (let height = 0; level.length > 1; height++) {
    for (const [index, path] of paths.entries()) {
      const at = index >>> height;
      const beside = level[at ^ 1];
      if (beside === undefined) continue;
      if (at & 1) path.left |= 1 << path.path.length;
      path.path.push(beside);
    }
    level = pairs(level);
  }
  return { root: level[0] ?? hash('sha256', '', 'buffer'), paths };
}

function pairs(level: readonly Buffer[]): readonly Buffer[] {
  const next: Buffer[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [one, other] = [level[at], level[at + 1]];
    if (one !== undefined) next.push(other === undefined ? one : nodeOf(one, other));
  }
  return next;
}
