// Thought signatures, which the caller must send back unchanged in the same location. The simulator stores none: a hash
// in a signature proves that it was issued, and whether for a call of a function or for a text.
import { createHash, timingSafeEqual } from 'node:crypto';

/** @param name of the function whose call it signs; undefined for a text */
export function issueSignature(sequence: number, name: string | undefined): string {
  const serial = Buffer.alloc(8);
  serial.writeBigUInt64BE(BigInt(sequence));
  return Buffer.concat([serial, proofOf(serial, name)]).toString('base64');
}

export function isIssued(signature: string, name: string | undefined): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return bytes.length === 40 && timingSafeEqual(bytes.subarray(8), proofOf(bytes.subarray(0, 8), name));
}

/** The two values that the vendor documents for a history that it did not write. */
export function skipsValidation(signature: string): boolean {
  return signature === 'skip_thought_signature_validator' || signature === 'context_engineering_is_the_way_to_go';
}

function proofOf(serial: Buffer, name: string | undefined): Buffer {
  return createHash('sha256')
    .update(serial)
    .update(name === undefined ? 'text' : `call:${name}`)
    .digest();
}
