// Reasoning that only its vendor can read, in the fields of a client whose format has no field for it. The client keeps
// it and sends it back; it is unwrapped for its issuer only. It is neither secret nor authenticated: a forged one
// changes only what its sender's own request contains, and its vendor checks the value itself.
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';

/** Who can read a value. */
export interface Issuer {
  readonly provider: string;
  /** The first 8 hex digits of the SHA-256 of the provider key's id; of nothing for the caller's own key. */
  readonly account: string;
}

/** SDK types `ThinkingBlock` and `RedactedThinkingBlock` of @anthropic-ai/sdk, by what they contain. */
export type OpaqueKind = 'signature' | 'redacted_thinking';

export interface Opaque {
  readonly issuer: Issuer;
  readonly kind: OpaqueKind;
  /** As the vendor sent it. */
  readonly value: string;
  /**
   * The digest of the text beside a signature. The vendor refuses a request in which guardrails or the client have
   * changed that text, so the block is dropped then.
   */
  readonly text?: string | undefined;
}

/** @param providerKeyId undefined for the caller's own key */
export function issuerOf(provider: string, providerKeyId: string | undefined): Issuer {
  return { provider, account: shortDigest(providerKeyId ?? '') };
}

/** What stands for the text in `Opaque.text`. */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Beginning of the JSON of an object in base64url: signatures of a Gemini model have the same mark before a name. */
const mark = 'gw1_ey';
const prefix = 'gw1_';
const charactersMax = 1024 * 1024;

/** Undefined for a value that is too large: more than 1 MiB when wrapped. */
export function wrapOpaque(opaque: Opaque): string | undefined {
  return wrapObject({ ...opaque });
}

/** As `wrapOpaque`, for an object that has several such values. */
export function wrapObject(object: JsonObject): string | undefined {
  const wrapped = prefix + Buffer.from(JSON.stringify(object)).toString('base64url');
  return wrapped.length > charactersMax ? undefined : wrapped;
}

/** Whether a value has the gateway's form, which no vendor accepts. */
export function isWrapped(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(mark);
}

/** Undefined for a value that the gateway did not wrap. */
export function unwrapOpaque(wrapped: string): Opaque | undefined {
  const read = unwrapObject(wrapped);
  if (!isObject(read?.issuer)) return undefined;
  const { kind, value, text } = read;
  const { provider, account } = read.issuer;
  if (typeof provider !== 'string' || typeof account !== 'string') return undefined;
  if (kind !== 'signature' && kind !== 'redacted_thinking') return undefined;
  if (typeof value !== 'string' || value === '') return undefined;
  return { issuer: { provider, account }, kind, value, ...(typeof text === 'string' && { text }) };
}

export function unwrapObject(wrapped: string): JsonObject | undefined {
  if (!isWrapped(wrapped) || wrapped.length > charactersMax) return undefined;
  const read = parseJson(Buffer.from(wrapped.slice(prefix.length), 'base64url').toString());
  return isObject(read) ? read : undefined;
}

export function isFrom({ issuer }: Opaque, { provider, account }: Issuer): boolean {
  return issuer.provider === provider && issuer.account === account;
}
