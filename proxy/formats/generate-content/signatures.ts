// Thought signatures sent to the caller and back, tagged with the model that made them. The vendor would refuse a
// request with a signature of another model or another vendor.

export function withModel(signature: string, model: string): string {
  return `${model} ${signature}`;
}

/** The signature of a call if this model made it. */
export function signatureOf(model: string, signed: string | undefined): string | undefined {
  const start = withModel('', model);
  return signed?.startsWith(start) === true ? signed.slice(start.length) : undefined;
}

const mark = 'gw1_';

/** The signature in a message field: that of the vendor's own API in the callers' format, or that of an image. */
export function callerSignature(signature: string, model: string): string {
  return mark + Buffer.from(withModel(signature, model)).toString('base64url');
}

/** The signature from such a field. A value that the gateway did not write is the vendor's own and stays unchanged. */
export function returnedSignature(model: string, returned: string | undefined): string | undefined {
  if (returned?.startsWith(mark) !== true) return returned;
  return signatureOf(model, Buffer.from(returned.slice(mark.length), 'base64url').toString());
}

/** A signature that was appended to the id of a call, in the form for a field. */
export function markedSignature(signed: string): string {
  return mark + Buffer.from(signed).toString('base64url');
}

/** Whether a value has the form of the gateway, which no vendor accepts. */
export function isMarked(signature: unknown): signature is string {
  return typeof signature === 'string' && signature.startsWith(mark);
}
