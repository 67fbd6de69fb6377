// Anchors of the audit log: which event was its newest at a time, signed. They are kept where nobody who can write the database can
// write, so a log that was hashed anew from any point on contradicts them. One form in log lines, webhooks and files.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import type { Decoder } from './settings.ts';

/** An event's place in the chain. */
export interface ChainPoint {
  readonly revision: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

export interface AuditAnchor extends ChainPoint {
  /** When it was the newest event, milliseconds since 1970. */
  readonly at: number;
  /** The public key that verifies it; absent, as the signature is, where none was set. */
  readonly key?: string;
  /** Ed25519 in base64, over `anchorStatement`. */
  readonly signature?: string;
}

const context = Buffer.from('gateway-audit-anchor-v1\0');

/** What is signed: the context, revision and time as unsigned 64 bits with the highest byte first, the 32 bytes of the hash. */
export function anchorStatement({ revision, at, hash: head }: AuditAnchor): Buffer {
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(revision), 0);
  numbers.writeBigUInt64BE(BigInt(at), 8);
  return Buffer.concat([context, numbers, Buffer.from(head, 'hex')]);
}

/** @param key private, Ed25519; undefined leaves it unsigned */
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

/** @param keys public */
export function anchorSignature(anchor: AuditAnchor, keys: readonly KeyObject[]): AnchorSignature {
  if (anchor.signature === undefined) return 'none';
  const key = keys.find((one) => anchorKeyId(one) === anchor.key);
  if (key === undefined) return 'unknown_key';
  const isGood = verify(null, anchorStatement(anchor), key, Buffer.from(anchor.signature, 'base64'));
  return isGood ? 'good' : 'forged';
}

/** Of a PEM text. @throws Error */
export const ed25519PrivateKey: Decoder<KeyObject> = (pem) => {
  const key = parsed(() => createPrivateKey(pem));
  if (key?.asymmetricKeyType === 'ed25519') return key;
  // Never the text: it may be a key all the same.
  throw new Error('must be an Ed25519 private key in PEM, as `openssl genpkey -algorithm ed25519` makes one');
};

/**
 * An anchor in a line of a log as it was collected, of a file of anchors, or in the body of a webhook. An event of the audit log that
 * the log holds counts as one without a signature.
 * @returns undefined for any other line; what stands before the JSON, as some collectors put it there, is passed over
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
