// HPKE (RFC 9180), base mode, one message for each encapsulated key: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
// AES-256-GCM. Node's crypto has the KEM; this file has the key schedule of section 5.1. Who has the public key can
// seal; only the private key opens.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  decapsulate,
  encapsulate,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';

export const hpkeKeyBytes = 32;
/** Length of the encapsulated key. */
const encBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** What sealing adds to the length of a text. */
export const hpkeOverheadBytes = encBytes + tagBytes;

/** The row of RFC 9180, section 7.3. */
export interface Aead {
  readonly id: number;
  readonly cipher: 'aes-256-gcm' | 'aes-128-gcm';
  readonly keyBytes: number;
}

export const aes256Gcm: Aead = { id: 2, cipher: 'aes-256-gcm', keyBytes: 32 };

export interface HpkeContext {
  /** What the key is for; the same on both sides. */
  readonly info: Uint8Array;
  /** Authenticated with the text. */
  readonly associated: Uint8Array;
}

/** Both keys as 32 bytes. */
export function createHpkeKeys(): { readonly publicKey: Buffer; readonly privateKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return {
    publicKey: publicKey.export({ format: 'raw-public' }),
    privateKey: privateKey.export({ format: 'raw-private' }),
  };
}

/** @throws Error unless it has 32 bytes */
export function hpkePublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(bytes), format: 'raw-public', asymmetricKeyType: 'x25519' });
}

/** @throws Error unless it has 32 bytes */
export function hpkePrivateKey(bytes: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(bytes), format: 'raw-private', asymmetricKeyType: 'x25519' });
}

/** @returns the encapsulated key, the ciphertext and its tag. @throws Error for a public key of low order */
export function hpkeSeal(publicKey: KeyObject, { info, associated }: HpkeContext, text: Uint8Array): Buffer {
  const { sharedKey, ciphertext: enc } = encapsulate(publicKey);
  const { key, nonce } = keySchedule(sharedKey, info, aes256Gcm);
  const cipher = createCipheriv(aes256Gcm.cipher, key, nonce);
  cipher.setAAD(associated);
  return Buffer.concat([enc, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/**
 * @param aead another one only in tests, because the RFC prints no vectors of AES-256-GCM with this KEM
 * @returns undefined if it was sealed to another key or in another context, or was changed
 */
export function hpkeOpen(
  privateKey: KeyObject,
  { info, associated }: HpkeContext,
  sealed: Uint8Array,
  aead = aes256Gcm,
): Buffer | undefined {
  if (sealed.length < hpkeOverheadBytes) return undefined;
  const tagStart = sealed.length - tagBytes;
  try {
    const sharedKey = decapsulate(privateKey, sealed.subarray(0, encBytes));
    const { key, nonce } = keySchedule(sharedKey, info, aead);
    const decipher = createDecipheriv(aead.cipher, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(associated);
    decipher.setAuthTag(sealed.subarray(tagStart));
    return Buffer.concat([decipher.update(sealed.subarray(encBytes, tagStart)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const [modeBase, kemId, kdfId] = [0x00, 0x0020, 0x0001];

/** RFC 9180, section 5.1, in base mode: without a pre-shared key. */
function keySchedule(
  sharedKey: Uint8Array,
  info: Uint8Array,
  aead: Aead,
): { readonly key: Buffer; readonly nonce: Buffer } {
  const suite = Buffer.concat([Buffer.from('HPKE'), inTwoBytes(kemId), inTwoBytes(kdfId), inTwoBytes(aead.id)]);
  const extract = (salt: Uint8Array, label: string, material: Uint8Array) =>
    hmac(salt, [labelled(suite, label), material]);
  const pskIdHash = extract(empty, 'psk_id_hash', empty);
  const infoHash = extract(empty, 'info_hash', info);
  const context = Buffer.concat([Buffer.from([modeBase]), pskIdHash, infoHash]);
  const secret = extract(sharedKey, 'secret', empty);
  // One block of HKDF-Expand: nothing here is longer than a hash.
  const expand = (label: string, length: number) =>
    hmac(secret, [inTwoBytes(length), labelled(suite, label), context, Buffer.from([1])]).subarray(0, length);
  return { key: expand('key', aead.keyBytes), nonce: expand('base_nonce', nonceBytes) };
}

const empty = Buffer.alloc(0);

function labelled(suite: Buffer, label: string): Buffer {
  return Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label)]);
}

function inTwoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function hmac(key: Uint8Array, parts: readonly Uint8Array[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
