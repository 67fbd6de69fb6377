// API keys in a header: each scheme puts the key in front of the request's own headers.
import { type Authorize, apiKeyOf } from './credential.ts';

export const bearer: Authorize = ({ headers }, target) => [
  'authorization',
  `Bearer ${apiKeyOf(target)}`,
  ...headers,
];

/** @param name in lower case; a header of the request that has it gives way */
export function keyInHeader(name: string): Authorize {
  return ({ headers }, target) => [name, apiKeyOf(target), ...withoutHeader(headers, name)];
}

/** For a server that takes no key. */
export const noCredential: Authorize = ({ headers }) => headers;

function withoutHeader(headers: string[], name: string): string[] {
  if (!headers.includes(name)) return headers;
  const at = headers.findIndex((one, index) => index % 2 === 0 && one === name);
  return at === -1 ? headers : headers.toSpliced(at, 2);
}
