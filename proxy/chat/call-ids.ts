// Ids of tool calls. A vendor may tie a signature to a call that must come back with it, and callers drop what their SDK does
// not know; an id always comes back. So the signature rides on the id, and is taken off wherever the id goes to a vendor.
const mark = '__sig_';

/** @param signature base64, standard or URL-safe alphabet */
export function withSignature(id: string, signature: string): string {
  return `${id}${mark}${Buffer.from(signature).toString('base64url')}`;
}

export interface SignedId {
  readonly id: string;
  readonly signature: string | undefined;
}

export function splitId(id: string): SignedId {
  const at = id.indexOf(mark);
  if (at === -1) return { id, signature: undefined };
  return { id: id.slice(0, at), signature: Buffer.from(id.slice(at + mark.length), 'base64url').toString() };
}
