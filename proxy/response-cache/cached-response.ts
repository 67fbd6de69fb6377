// A cached response: what its provider sent, as chat completions and before any output guardrail, with the target that
// sent it. As bytes it is sealed under its own cache key, so that a value that was moved, changed or made by someone else
// does not open.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';
import type { RecordKey } from '../access/organization-key.ts';
import { noUsage, type Usage } from '../conversation/usage.ts';

export interface CachedResponse {
  /** A chat completion, or the events of a stream of its chunks, the usage chunk among them. */
  readonly form: 'whole' | 'stream';
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  readonly target: CachedTarget;
  readonly modelAnswered: string | undefined;
  readonly usage: Usage;
  /** How the request was sent: alternating names and values. */
  readonly headers: readonly string[];
}

export interface CachedTarget {
  /** `<provider>/<model>`, canonical. */
  readonly model: string;
  readonly providerKeyId: string;
  /** The changes that the route made for this target, as JSON. */
  readonly overrides: string;
}

/** Of a sealed value. Larger responses are not stored. */
export const cachedBytesMax = 1024 * 1024;

const layout = 1;
const [nonceBytes, tagBytes] = [12, 16];
const headBytes = 1 + nonceBytes + tagBytes;
const cipher = 'aes-256-gcm';

/** @returns undefined if the value would be too large */
export function sealResponse(response: CachedResponse, cacheKey: Buffer, recordKey: RecordKey): Buffer | undefined {
  const { body, ...facts } = response;
  const head = Buffer.from(`${JSON.stringify(facts)}\n`);
  if (headBytes + head.length + body.length > cachedBytesMax) return undefined;
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, sealKeyOf(recordKey), nonce).setAAD(cacheKey);
  const sealed = Buffer.concat([sealing.update(head), sealing.update(body), sealing.final()]);
  return Buffer.concat([Buffer.from([layout]), nonce, sealing.getAuthTag(), sealed]);
}

/** @returns undefined for a value that was not sealed under this key by this version */
export function openResponse(value: Buffer, cacheKey: Buffer, recordKey: RecordKey): CachedResponse | undefined {
  if (value[0] !== layout || value.length < headBytes || value.length > cachedBytesMax) return undefined;
  const nonce = value.subarray(1, 1 + nonceBytes);
  const opening = createDecipheriv(cipher, sealKeyOf(recordKey), nonce, { authTagLength: tagBytes });
  opening.setAAD(cacheKey).setAuthTag(value.subarray(1 + nonceBytes, headBytes));
  try {
    return parsed(Buffer.concat([opening.update(value.subarray(headBytes)), opening.final()]));
  } catch {
    return undefined;
  }
}

const lineFeed = 0x0a;

function parsed(content: Buffer): CachedResponse | undefined {
  const end = content.indexOf(lineFeed);
  const facts = parseJson(content.toString('utf8', 0, end));
  if (!isObject(facts) || !isObject(facts.target) || !isObject(facts.usage)) return undefined;
  const { form, storedAt, modelAnswered } = facts;
  if ((form !== 'whole' && form !== 'stream') || typeof storedAt !== 'number') return undefined;
  return {
    ...{ form, storedAt, body: content.subarray(end + 1) },
    target: targetOf(facts.target),
    modelAnswered: typeof modelAnswered === 'string' ? modelAnswered : undefined,
    // A proxy wrote it, and nobody else can.
    usage: { ...noUsage, ...facts.usage },
    headers: Array.isArray(facts.headers) ? facts.headers.map(String) : [],
  };
}

function targetOf({ model, providerKeyId, overrides }: JsonObject): CachedTarget {
  return { model: String(model), providerKeyId: String(providerKeyId), overrides: String(overrides) };
}

const sealKeys = new WeakMap<RecordKey, Buffer>();

function sealKeyOf(recordKey: RecordKey): Buffer {
  const known = sealKeys.get(recordKey);
  if (known !== undefined) return known;
  const made = recordKey.keyFor('response-cache seal 1');
  sealKeys.set(recordKey, made);
  return made;
}
