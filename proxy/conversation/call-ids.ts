// Ids of tool calls. A vendor may tie a signature to a call and require it back, and callers drop fields that their SDK
// does not know; but an id always comes back. So the signature is appended to the id, and removed wherever the id is
// sent to a vendor.
import { createHash } from 'node:crypto';

const mark = '__sig_';

/** @param signature base64, standard or URL-safe alphabet */
export function withSignature(id: string, signature: string): string {
  return `${id}${mark}${Buffer.from(signature).toString('base64url')}`;
}

export interface SignedId {
  readonly id: string;
  readonly signature: string | undefined;
}

export function hasSignature(id: string): boolean {
  return id.includes(mark);
}

export function splitId(id: string): SignedId {
  const at = id.indexOf(mark);
  if (at === -1) return { id, signature: undefined };
  return { id: id.slice(0, at), signature: Buffer.from(id.slice(at + mark.length), 'base64url').toString() };
}

/**
 * For each call of a conversation, an id that every vendor accepts: letters, digits, `_` and `-`, at most 64
 * characters, no two the same. An id that already has this form stays, so its vendor recognizes it. The result is
 * deterministic.
 */
export function vendorCallIds<Call extends { readonly id: string }>(calls: Iterable<Call>): ReadonlyMap<Call, string> {
  const ids = new Map<Call, string>();
  const taken = new Set<string>();
  // The last number that was used for each id: thousands of calls may have the same id.
  const counts = new Map<string, number>();
  for (const call of calls) {
    const base = call.id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, idLengthMax) || 'call';
    let id = base;
    let count = counts.get(base) ?? 1;
    while (taken.has(id)) {
      const suffix = `_${++count}`;
      id = base.slice(0, idLengthMax - suffix.length) + suffix;
    }
    counts.set(base, count);
    taken.add(id);
    ids.set(call, id);
  }
  return ids;
}

const idLengthMax = 64;

/**
 * The same calls with ids of nine letters and digits, as one family of models requires. An id that already has this
 * form stays.
 */
export function nineLetterIds<Call>(ids: ReadonlyMap<Call, string>): ReadonlyMap<Call, string> {
  return new Map([...ids].map(([call, id]) => [call, inNineLetters(id)]));
}

/** Different ids have different digests. */
function inNineLetters(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('base64');
  return digest.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 9);
}
