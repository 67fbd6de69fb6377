// Thought signatures: opaque to the caller, and to be given back where they came from. The simulator keeps none: a signature
// proves by a hash in itself that it was issued, and for which function's call, or for a text.
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

/** What the vendor documents for a history that it did not write itself. */
export function skipsValidation(signature: string): boolean {
  return (
    signature === 'skip_thought_signature_validator' || signature === 'context_engineering_is_the_way_to_go'
  );
}

function proofOf(serial: Buffer, name: string | undefined): Buffer {
  return createHash('sha256')
    .update(serial)
    .update(name === undefined ? 'text' : `call:${name}`)
    .digest();
}
