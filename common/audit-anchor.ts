// Anchors of the audit log: signed statements of which event was the newest at a given time. They are stored where
// nobody who can write the database can write. If the log is rewritten and rehashed from some point on, an anchor
// contradicts it. Log lines, webhooks and files use the same form.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import type { Decoder } from './settings.ts';

/** The position of an event in the chain. */
export interface ChainPoint {
  readonly revision: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

export interface AuditAnchor extends ChainPoint {
  /** When the event was the newest, in milliseconds since 1970. */
  readonly at: number;
  /** The id of the public key that verifies the signature; absent, like the signature, if no key is set. */
  readonly key?: string;
  /** Ed25519 in base64, over `anchorStatement`. */
  readonly signature?: string;
}

const context = Buffer.from('gateway-audit-anchor-v1\0');

/**
 * The bytes that are signed: the context, then revision and time as unsigned 64-bit integers (big-endian), then the 32
 * bytes of the hash.
 */
export function anchorStatement({ revision, at, hash: head }: AuditAnchor): Buffer {
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(revision), 0);
  numbers.writeBigUInt64BE(BigInt(at), 8);
  return Buffer.concat([context, numbers, Buffer.from(head, 'hex')]);
}

/** @param key private Ed25519 key; if it is undefined, the anchor is unsigned */
export function anchorOf(point: ChainPoint, at: number, key: KeyObject | undefined): AuditAnchor {
  const anchor = { revision: point.revision, hash: point.hash, at };
  if (key === undefined) return anchor;
  const signature = sign(null, anchorStatement(anchor), key).toString('base64');
  return { ...anchor, key: anchorKeyId(createPublicKey(key)), signature };
}

/** The first 8 bytes of SHA-256 of the 32 bytes of an Ed25519 public key, in hexadecimal. */
export function anchorKeyId(publicKey: KeyObject): string {
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return hash('sha256', raw, 'hex').slice(0, 16);
}

export type AnchorSignature = 'good' | 'forged' | 'unknown_key' | 'none';

/** @param keys public keys */
export function anchorSignature(anchor: AuditAnchor, keys: readonly KeyObject[]): AnchorSignature {
  if (anchor.signature === undefined) return 'none';
  const key = keys.find((one) => anchorKeyId(one) === anchor.key);
  if (key === undefined) return 'unknown_key';
  const isGood = verify(null, anchorStatement(anchor), key, Buffer.from(anchor.signature, 'base64'));
  return isGood ? 'good' : 'forged';
}

/** Decodes a private key in PEM. @throws Error */
export const ed25519PrivateKey: Decoder<KeyObject> = (pem) => {
  const key = parsed(() => createPrivateKey(pem));
  if (key?.asymmetricKeyType === 'ed25519') return key;
  // The message never contains the text, because the text may still be a key.
  throw new Error('must be an Ed25519 private key in PEM, as `openssl genpkey -algorithm ed25519` makes one');
};

/**
 * Reads an anchor from a line of a collected log, a line of an anchor file, or the body of a webhook. An event of the
 * audit log in the line counts as an anchor without a signature. Text before the JSON, which some collectors add, is
 * skipped.
 * @returns undefined for any other line
 */
export function readAnchorLine(line: string): AuditAnchor | undefined {
  if (!line.includes('"hash"')) return undefined;
  const read = parsed((): unknown => JSON.parse(line.slice(line.indexOf('{'))));
  if (!isObject(read)) return undefined;
  const event = isObject(read.audit) ? { ...read.audit, signature: undefined, key: undefined } : undefined;
  return [read.audit_anchor, read.type === 'audit.anchored' ? read.data : undefined, event, read]
    .map(anchorIn)
    .find((anchor) => anchor !== undefined);
}

function anchorIn(value: unknown): AuditAnchor | undefined {
  if (!isObject(value)) return undefined;
  const { revision, hash: head, at, key, signature } = value;
  if (!isCount(revision) || revision === 0 || !isCount(at)) return undefined;
  if (typeof head !== 'string' || !/^[0-9a-f]{64}$/.test(head)) return undefined;
  const anchor = { revision, hash: head, at };
  return typeof key === 'string' && typeof signature === 'string' ? { ...anchor, key, signature } : anchor;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
