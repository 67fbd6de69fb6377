// Whether the vendor would accept this key. Valid are keys of the form `sk-sim-…` and the configured keys.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

/** @throws Refusal 401 */
export function authorize(headers: IncomingHttpHeaders, keys: ReadonlySet<string>): void {
  const key = bearerToken(headers);
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.";
    throw new Refusal(401, { message });
  }
  if (isAccepted(key, keys)) return;
  // The vendor shows both ends of the key, and so does this message: a program that passes it on shows a part of a
  // secret.
  const message = `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  throw new Refusal(401, { message, code: 'invalid_api_key' });
}

/** @param keys valid keys besides those of the simulator's own form */
export function isAccepted(key: string, keys: ReadonlySet<string>): boolean {
  return /^sk-sim-[A-Za-z0-9_-]+$/.test(key) || keys.has(key);
}

export function bearerToken(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function masked(key: string): string {
  return key.length < 16 ? '*'.repeat(key.length) : `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}`;
}
