// What was received, as a text that may be answered: credentials appear only as their SHA-256.
import { createHash } from 'node:crypto';
import type { Received } from './wire-format.ts';

// Header values that carry no secret; every other value is shown as its hash.
const plainHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'user-agent',
]);

export function echoOf(received: Received): string {
  const headers = Object.entries(received.headers).map(([name, value]) => {
    const text = String(value);
    return [name, plainHeaders.has(name) ? text : hashed(text)];
  });
  const body = received.body.toString('utf8').replace(/\b(sk|gw)-[A-Za-z0-9_-]{8,}/g, (key) => hashed(key));
  return JSON.stringify({
    method: received.method,
    path: received.path,
    headers: Object.fromEntries(headers),
    body,
  });
}

/** The scheme word stays readable; the hash is of the credential alone. */
function hashed(text: string): string {
  const scheme = /^bearer /i.exec(text)?.[0] ?? '';
  return `${scheme}sha256:${createHash('sha256').update(text.slice(scheme.length)).digest('hex')}`;
}
