// The received request as text for a response: credentials appear only as their SHA-256.
import { createHash } from 'node:crypto';
import type { Received } from './wire-format.ts';

// Headers whose values contain no secret. Every other value appears as its hash.
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

/** The scheme stays readable; only the credential is hashed. */
function hashed(text: string): string {
  const scheme = /^bearer /i.exec(text)?.[0] ?? '';
  return `${scheme}sha256:${createHash('sha256').update(text.slice(scheme.length)).digest('hex')}`;
}
