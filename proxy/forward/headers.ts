// Which headers pass through a proxy that forwards: all but those that are between two hops (RFC 9110, 7.6.1) and those that
// a Connection header names. Names, order, letter case and bytes stay as they came.
import type { RawHeaders } from '../upstream/transport.ts';

const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** `host` is the egress gateway's, `100 Continue` is said by whoever is next, the request id is one for both logs. */
const ownOfRequests: ReadonlySet<string> = new Set(['host', 'expect', 'x-request-id']);

export interface AddedHeaders {
  readonly requestId: string;
  /** Instead of what the request has under this name. */
  readonly key: { readonly header: string; readonly value: string } | undefined;
}

/** @returns names and values in turn; these hold the virtual key */
export function forwardedHeaders(raw: RawHeaders, { requestId, key }: AddedHeaders): string[] {
  const added = ['x-request-id', requestId, ...(key === undefined ? [] : [key.header, key.value])];
  return [...passing(raw, (name) => ownOfRequests.has(name) || name === key?.header), ...added];
}

/** @returns names and values in turn */
export function returnedHeaders(raw: RawHeaders): string[] {
  return passing(raw, () => false);
}

function passing(raw: RawHeaders, isDropped: (name: string) => boolean): string[] {
  const named = namedByConnection(raw);
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const header = textOf(raw[at]);
    const name = header.toLowerCase();
    if (hopByHop.has(name) || named.includes(name) || isDropped(name)) continue;
    passed.push(header, textOf(raw[at + 1]));
  }
  return passed;
}

function namedByConnection(raw: RawHeaders): readonly string[] {
  const named: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (textOf(raw[at]).toLowerCase() !== 'connection') continue;
    for (const name of textOf(raw[at + 1]).split(',')) named.push(name.trim().toLowerCase());
  }
  return named;
}

function textOf(part: RawHeaders[number] | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '');
}
