// What passes of a provider's response headers: limits and identity of the request, under names that say whose they are.
import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '../providers/credentials/credential.ts';
import { holdsKey } from './key-echo.ts';

/** Names and values in turn. A value that repeats the key the provider was sent does not pass. */
export function passedHeaders(headers: IncomingHttpHeaders, credential: Credential): readonly string[] {
  const passed: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    const passedName = nameFor(name);
    if (passedName === undefined || typeof value !== 'string' || holdsKey(value, credential)) continue;
    passed.push(passedName, value);
  }
  return passed;
}

export const requestIdName = 'x-svc-upstream-request-id';

/** Of headers that pass the one that names the request at the provider, name and value; empty where there is none. */
export function requestIdHeader(passed: readonly string[]): readonly string[] {
  const at = passed.indexOf(requestIdName);
  return at === -1 ? [] : passed.slice(at, at + 2);
}

const requestIdNames: ReadonlySet<string> = new Set(['x-request-id', 'request-id', 'x-amzn-requestid']);

/** Letters only: no key is made of those, and a name may repeat one too. */
const limitName = /^[a-z]+-ratelimit-[a-z-]{1,48}$/;

function nameFor(name: string): string | undefined {
  if (name === 'openai-processing-ms') return name;
  if (requestIdNames.has(name)) return requestIdName;
  if (!limitName.test(name)) return undefined;
  return `x-svc-upstream-${name.startsWith('x-') ? name.slice(2) : name}`;
}
