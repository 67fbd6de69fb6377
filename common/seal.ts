// AES-256-GCM seals with a key derived for each context. A value that was sealed under one context or associated data
// opens under no other, so a sealed value that was moved, renamed or changed does not open.
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { lruCache } from './lru-cache.ts';
import { Secret } from './secret.ts';

/** Base key material, newest first. The first key seals; all keys open. */
export interface SealKeys {
  readonly keys: readonly SealKey[];
}

interface SealKey {
  /** First eight hexadecimal digits of the SHA-256 of the key; identifies the key inside a sealed value. */
  readonly id: string;
  readonly material: Secret;
}

export interface SealContext {
  /** The input from which the key is derived; public. For example kind, organization and record name. */
  readonly derive: readonly string[];
  /** Authenticated together with the content; public. */
  readonly associated: readonly string[];
}

const nonceBytes = 12;
const tagBytes = 16;
const idBytes = 4;

/**
 * Reads key material: one or more keys of 32 bytes in base64 or hexadecimal, separated by commas or white space, newest
 * first.
 * @throws Error that names the accepted form, never the material
 */
export function parseSealKeys(text: string): SealKeys {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) throw new Error('needs at least one key of 32 bytes in base64 or hexadecimal');
  return { keys: parts.map(parseKey) };
}

function parseKey(part: string): SealKey {
  const bytes = /^[0-9a-fA-F]{64}$/.test(part) ? Buffer.from(part, 'hex') : Buffer.from(part, 'base64');
  if (bytes.length !== 32) throw new Error('each key must be 32 bytes in base64 or hexadecimal');
  return {
    id: hash('sha256', bytes, 'hex').slice(0, idBytes * 2),
    material: new Secret(bytes.toString('base64')),
  };
}

/** New key material in base64, in the form that parseSealKeys accepts. */
export function createSealKey(): string {
  return randomBytes(32).toString('base64');
}

/** Sealed bytes: key id (4), nonce (12), tag (16), ciphertext. */
export function seal(keys: SealKeys, context: SealContext, content: Uint8Array): Buffer {
  const key = keys.keys[0];
  if (key === undefined) throw new Error('no seal key');
  const nonce = randomBytes(nonceBytes);
  const id = Buffer.from(key.id, 'hex');
  const cipher = createCipheriv('aes-256-gcm', derive(key, context.derive), nonce);
  cipher.setAAD(associatedData(id, context.associated));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([id, nonce, cipher.getAuthTag(), body]);
}

/** The content; undefined if no key opens it under this context. */
export function unseal(keys: SealKeys, context: SealContext, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < idBytes + nonceBytes + tagBytes) return undefined;
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  const id = bytes.subarray(0, idBytes);
  const key = keys.keys.find((candidate) => candidate.id === id.toString('hex'));
  if (key === undefined) return undefined;
  const tagStart = idBytes + nonceBytes;
  const bodyStart = tagStart + tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', derive(key, context.derive), bytes.subarray(idBytes, tagStart), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(associatedData(id, context.associated));
  decipher.setAuthTag(bytes.subarray(tagStart, bodyStart));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(bodyStart)), decipher.final()]);
  } catch {
    return undefined;
  }
}

// HKDF costs about 10 µs, and the same names are sealed and opened often.
const derivedKeys = lruCache<Buffer>(10_000);

function derive(key: SealKey, context: readonly string[]): Buffer {
  const info = joined(context);
  const cached = derivedKeys.get(`${key.id}${info}`);
  if (cached !== undefined) return cached;
  const material = Buffer.from(key.material.reveal(), 'base64');
  const derived = Buffer.from(hkdfSync('sha256', material, Buffer.alloc(0), info, 32));
  derivedKeys.set(`${key.id}${info}`, derived);
  return derived;
}

function associatedData(keyId: Buffer, associated: readonly string[]): Buffer {
  return Buffer.concat([keyId, Buffer.from(joined(associated))]);
}

// Length-prefixed, so that ['ab', 'c'] and ['a', 'bc'] differ.
function joined(parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
}
