// Thought signatures on their way to the caller and back, with the model that made them: one that another model or another vendor
// made would be refused, and then the request with it.

export function withModel(signature: string, model: string): string {
  return `${model} ${signature}`;
}

/** The signature of a call, where this model made it. */
export function signatureOf(model: string, signed: string | undefined): string | undefined {
  const start = withModel('', model);
  return signed?.startsWith(start) === true ? signed.slice(start.length) : undefined;
}

const mark = 'gw1_';

/** As fields of a message have it: those of the vendor's own API in the callers' format, or of an image. */
export function callerSignature(signature: string, model: string): string {
  return mark + Buffer.from(withModel(signature, model)).toString('base64url');
}

/** What came back in such a field: the vendor's own word where the gateway did not write it. */
export function returnedSignature(model: string, returned: string | undefined): string | undefined {
  if (returned?.startsWith(mark) !== true) return returned;
  return signatureOf(model, Buffer.from(returned.slice(mark.length), 'base64url').toString());
}
