// A provider may repeat the key it was sent in its errors or headers. Whoever owns it, what repeats it whole goes no further:
// neither to the caller nor into a log.
import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '../providers/provider.ts';

export function withoutKey(text: string, credential: Credential): string {
  return keysOf(credential).reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

/** Removes the headers whose value holds the key. */
export function dropHeadersWithKey(headers: IncomingHttpHeaders, credential: Credential): void {
  const keys = keysOf(credential);
  for (const [name, value] of Object.entries(headers)) {
    if (keys.some((key) => String(value).includes(key))) delete headers[name];
  }
}

function keysOf(credential: Credential): readonly string[] {
  return Object.values(credential).flatMap((secret) => secret?.reveal() ?? []);
}
