// Signatures of thinking. A valid signature proves that this simulator issued it, and that the thinking text sent with
// it is unchanged. The key is no secret; no other program is likely to use it.
import { createHash, createHmac } from 'node:crypto';

/** @param shown the thinking text in the response; empty if the model hides it */
export function signatureFor(shown: string, thought: string): string {
  return sealed(Buffer.concat([digest(shown), digest(thought)]));
}

/** Classifies a signature that a caller sent with this text. */
export function checkSignature(signature: string, shown: string): 'issued' | 'changed' | 'foreign' {
  const payload = opened(signature);
  if (payload === undefined) return 'foreign';
  return payload.subarray(0, digestBytes).equals(digest(shown)) ? 'issued' : 'changed';
}

/** The data of a redacted thinking block, which shows no text. */
export function redactedDataFor(thought: string): string {
  return sealed(digest(thought));
}

export function isIssuedData(data: string): boolean {
  return opened(data) !== undefined;
}

const digestBytes = 24;
const markBytes = 16;

function sealed(payload: Buffer): string {
  return Buffer.concat([mark(payload), payload]).toString('base64');
}

function opened(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // The decoder ignores characters that are not base64, but every issued text is canonical.
  if (bytes.toString('base64') !== text || bytes.length <= markBytes) return undefined;
  const payload = bytes.subarray(markBytes);
  return mark(payload).equals(bytes.subarray(0, markBytes)) ? payload : undefined;
}

function mark(payload: Buffer): Buffer {
  return createHmac('sha256', 'simulated thinking').update(payload).digest().subarray(0, markBytes);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, digestBytes);
}
