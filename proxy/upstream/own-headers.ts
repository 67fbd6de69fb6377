// What the caller is told of how its request was sent to the provider: names of fields that were dropped, or sent by other means,
// and a ceiling that the gateway chose.
import type { Credential, UpstreamRequest } from '../providers/credentials/credential.ts';
import { holdsKey } from './key-echo.ts';

/** What the caller is told of how its request was sent; nothing, nearly always. */
export function ownHeaders(
  { dropped = [], emulated = [], maxTokens }: Pick<UpstreamRequest, 'dropped' | 'emulated' | 'maxTokens'>,
  credential: Credential,
): string[] {
  const headers: string[] = [];
  if (dropped.length > 0) headers.push('x-svc-dropped-params', fieldNames(dropped, credential));
  if (emulated.length > 0) headers.push('x-svc-emulated-params', fieldNames(emulated, credential));
  if (maxTokens !== undefined) headers.push('x-svc-max-tokens', String(maxTokens));
  return headers;
}

function fieldNames(dropped: readonly string[], credential: Credential): string {
  const isName = (field: string) => fieldName.test(field) && !holdsKey(field, credential);
  return [...new Set(dropped.map((field) => (isName(field) ? field : '?')))].join(',');
}

/** Names of unknown fields are the caller's words, and may be anything, even a key: what no field is called is not repeated. */
const fieldName = /^[a-z][a-z_]*(\.[a-z_]+)*$/i;
