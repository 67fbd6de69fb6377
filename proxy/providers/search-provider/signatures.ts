// Thought signatures on the ids of calls, with the model that made them: one that another model or another vendor made would be
// refused, and then the request with it.

export function withModel(signature: string, model: string): string {
  return `${model} ${signature}`;
}

/** The signature of a call, where this model made it. */
export function signatureOf(model: string, signed: string | undefined): string | undefined {
  const start = withModel('', model);
  return signed?.startsWith(start) === true ? signed.slice(start.length) : undefined;
}
