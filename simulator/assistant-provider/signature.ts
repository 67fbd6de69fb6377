// Signatures of thinking: who sends one back proves that this simulator issued it and that the text shown with it is the same.
// The key is no secret; it only has to be unlikely elsewhere.
import { createHash, createHmac } from 'node:crypto';

/** @param shown the text in the answer, empty where the thinking is kept back */
export function signatureFor(shown: string, thought: string): string {
  return sealed(Buffer.concat([digest(shown), digest(thought)]));
}

/** What the simulator makes of a signature that came back with this text. */
export function judgeSignature(signature: string, shown: string): 'issued' | 'changed' | 'foreign' {
  const payload = opened(signature);
  if (payload === undefined) return 'foreign';
  return payload.subarray(0, digestBytes).equals(digest(shown)) ? 'issued' : 'changed';
}

/** The data of a thinking block that shows nothing at all. */
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
  // The decoder overlooks what is no base64; what was issued is canonical.
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
