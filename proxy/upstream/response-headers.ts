// Response headers about the provider: its own headers that are passed on (limits, and the request id under the
// provider's name), and how the request was sent.
import type { IncomingHttpHeaders } from 'node:http';
import type { Credential, UpstreamRequest } from '../providers/credentials/credential.ts';
import type { ProviderCall } from '../providers/provider.ts';
import { containsKey } from './provider-text.ts';

/** Alternating names and values. A value that repeats the key sent to the provider is not passed on. */
export function passedHeaders(headers: IncomingHttpHeaders, credential: Credential): readonly string[] {
  const passed: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    const passedName = nameFor(name);
    if (passedName === undefined || typeof value !== 'string' || containsKey(value, credential)) continue;
    passed.push(passedName, value);
  }
  return passed;
}

export const requestIdName = 'x-svc-upstream-request-id';

/** The passed header with the provider's request id, as name and value; empty if there is none. */
export function requestIdHeader(passed: readonly string[]): readonly string[] {
  const at = passed.indexOf(requestIdName);
  return at === -1 ? [] : passed.slice(at, at + 2);
}

const requestIdNames: ReadonlySet<string> = new Set(['x-request-id', 'request-id', 'x-amzn-requestid']);

/** Only letters, so that a name cannot repeat a key. */
const limitName = /^[a-z]+-ratelimit-[a-z-]{1,48}$/;

/** What InvokeModel counts. */
const usageName =
  /^x-amzn-bedrock-(?:(?:input|output|cache-read-input|cache-write-input)-token-count|invocation-latency)$/;

function nameFor(name: string): string | undefined {
  if (name === 'openai-processing-ms' || usageName.test(name)) return name;
  if (requestIdNames.has(name)) return requestIdName;
  if (!limitName.test(name)) return undefined;
  return `x-svc-upstream-${name.startsWith('x-') ? name.slice(2) : name}`;
}

/**
 * How the request was sent to the provider: the names of dropped and of emulated fields, and an output limit that the
 * gateway chose. Usually empty.
 * @param call `leftOut` are fields that were dropped before the request was built
 */
export function ownHeaders(
  { dropped = [], emulated = [], maxTokens }: Pick<UpstreamRequest, 'dropped' | 'emulated' | 'maxTokens'>,
  { target: { credential }, leftOut = [] }: HeadersCall,
): string[] {
  const headers: string[] = [];
  const lost = [...dropped, ...leftOut];
  if (lost.length > 0) headers.push('x-svc-dropped-params', fieldNames(lost, credential));
  if (emulated.length > 0) headers.push('x-svc-emulated-params', fieldNames(emulated, credential));
  if (maxTokens !== undefined) headers.push('x-svc-max-tokens', String(maxTokens));
  return headers;
}

interface HeadersCall extends Pick<ProviderCall, 'leftOut'> {
  readonly target: { readonly credential: Credential };
}

function fieldNames(dropped: readonly string[], credential: Credential): string {
  const isName = (field: string) => fieldName.test(field) && !containsKey(field, credential);
  return [...new Set(dropped.map((field) => (isName(field) ? field : '?')))].join(',');
}

/**
 * Names of unknown fields are the caller's text and can be anything, even a key. Text that does not look like a field
 * name is omitted.
 */
const fieldName = /^[a-z][a-z_]*(\.[a-z_]+)*$/i;
