// Whether the vendor would take this key. Accepted are `sk-sim-…` and what the simulator's owner listed.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

const ownKey = /^sk-sim-[A-Za-z0-9_-]+$/;

/** @throws Refusal 401 */
export function authorize(headers: IncomingHttpHeaders, keys: ReadonlySet<string>): void {
  const key = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.";
    throw new Refusal(401, { message });
  }
  if (ownKey.test(key) || keys.has(key)) return;
  // The vendor shows the key's ends, so this does: who passes the message on shows part of a secret.
  const message = `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  throw new Refusal(401, { message, code: 'invalid_api_key' });
}

function masked(key: string): string {
  return key.length < 16
    ? '*'.repeat(key.length)
    : `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}`;
}
