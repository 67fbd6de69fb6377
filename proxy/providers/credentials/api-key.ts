// API keys in a header. Each scheme adds the key before the request's own headers.
import { type Authorize, apiKeyOf } from './credential.ts';

export const bearer: Authorize = ({ headers }, target) => ['authorization', `Bearer ${apiKeyOf(target)}`, ...headers];

/** @param name in lower case; replaces a header of this name in the request */
export function keyInHeader(name: string): Authorize {
  return ({ headers }, target) => [name, apiKeyOf(target), ...withoutHeader(headers, name)];
}

/** For a server without keys. */
export const noCredential: Authorize = ({ headers }) => headers;

function withoutHeader(headers: string[], name: string): string[] {
  if (!headers.includes(name)) return headers;
  const at = headers.findIndex((one, index) => index % 2 === 0 && one === name);
  return at === -1 ? headers : headers.toSpliced(at, 2);
}
