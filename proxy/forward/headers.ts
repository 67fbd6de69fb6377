// Which headers pass through a proxy that forwards: all but those that are between two hops (RFC 9110, 7.6.1) and those that
// a Connection header names. Names, order, letter case and bytes stay as they came.
import type { RawHeaders } from '../upstream/transport.ts';

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** `host` is the egress gateway's, `100 Continue` is said by whoever is next, the request id is one for both logs. */
const ownOfRequests = ['host', 'expect', 'x-request-id'];

export interface AddedHeaders {
  readonly requestId: string;
  /** Instead of what the request has under this name. */
  readonly key: { readonly header: string; readonly value: string } | undefined;
}

/** @returns names and values in turn; these hold the virtual key */
export function forwardedHeaders(raw: RawHeaders, { requestId, key }: AddedHeaders): string[] {
  const added = ['x-request-id', requestId, ...(key === undefined ? [] : [key.header, key.value])];
  return [...passing(raw, key === undefined ? ownOfRequests : [...ownOfRequests, key.header]), ...added];
}

/** @returns names and values in turn */
export function returnedHeaders(raw: RawHeaders): string[] {
  return passing(raw, []);
}

function passing(raw: RawHeaders, dropped: readonly string[]): string[] {
  const headers = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  const gone = new Set([...hopByHop, ...dropped]);
  for (const [name, value] of pairs(headers)) {
    if (name === 'connection') for (const named of value.split(',')) gone.add(named.trim().toLowerCase());
  }
  return headers.filter((_, at) => !gone.has((headers[at - (at % 2)] ?? '').toLowerCase()));
}

function* pairs(headers: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < headers.length; at += 2)
    yield [(headers[at] ?? '').toLowerCase(), headers[at + 1] ?? ''];
}
