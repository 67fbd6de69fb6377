// Which headers pass through a proxy in forward mode: all except hop-by-hop headers (RFC 9110, 7.6.1) and those that a
// Connection header names. Names, order, letter case and bytes stay as received.
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

/**
 * Not passed: `host` is replaced by the egress gateway's, this proxy sends `100 Continue`, and both logs use one
 * request id.
 */
const ownOfRequests: ReadonlySet<string> = new Set(['host', 'expect', 'x-request-id']);

export interface AddedHeaders {
  readonly requestId: string;
  /** Replaces the request's header of this name. */
  readonly key: { readonly header: string; readonly value: string } | undefined;
}

/** @returns alternating names and values, including the virtual key */
export function forwardedHeaders(raw: RawHeaders, { requestId, key }: AddedHeaders): string[] {
  const added = ['x-request-id', requestId, ...(key === undefined ? [] : [key.header, key.value])];
  return [...passing(raw, (name) => ownOfRequests.has(name) || name === key?.header), ...added];
}

/** @returns alternating names and values */
export function returnedHeaders(raw: RawHeaders): string[] {
  return passing(raw, () => false);
}

function passing(raw: RawHeaders, isDropped: (name: string) => boolean): string[] {
  const named = namedByConnection(raw);
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const header = raw[at] ?? '';
    const name = header.toLowerCase();
    if (hopByHop.has(name) || named.includes(name) || isDropped(name)) continue;
    passed.push(header, raw[at + 1] ?? '');
  }
  return passed;
}

function namedByConnection(raw: RawHeaders): readonly string[] {
  const named: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[at + 1] ?? '').split(',')) named.push(name.trim().toLowerCase());
  }
  return named;
}
