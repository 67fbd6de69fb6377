// A call of each wire format that costs nothing and shows whether a key is accepted, mostly the list of models. Pure.
import type { KeyForm, WireFormat } from '../../proto/words/access.ts';
import type { ProviderSecretText } from '../domain/provider-secret.ts';

export interface KeyServer {
  readonly wireFormat: WireFormat;
  readonly keyForm: KeyForm;
  /** Only with key form `header`. */
  readonly keyHeader: string | null;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiVersion: string | undefined;
}

export interface FreeCall {
  /** Called by GET. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined if the format has no free call, or the secret none that can be sent as it is. */
export function freeCall(server: KeyServer, { apiKey }: ProviderSecretText): FreeCall | undefined {
  const call = listCall(server);
  if (call === undefined || apiKey === undefined) return undefined;
  return { url: server.baseUrl + call.path, headers: { ...call.headers, ...keyHeaders(server, call.key, apiKey) } };
}

interface ListCall {
  /** Below the base URL. */
  readonly path: string;
  /** The header of the key in the format's own form. */
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function listCall(server: KeyServer): ListCall | undefined {
  const { wireFormat } = server;
  switch (wireFormat) {
    case 'gpt-provider':
    case 'responses':
      return { path: '/models', key: 'authorization' };
    case 'assistant-provider':
      return { path: '/v1/models?limit=1', key: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } };
    case 'search-provider':
      return { path: '/v1beta/models?pageSize=1', key: 'x-goog-api-key' };
    case 'studio-ai':
      return studioCall(server);
    case 'managed-cloud-models':
      // The host of its requests lists no models, and its other host wants other rights.
      return undefined;
  }
}

/** The studio's dialects, by the path of the base URL (proxy/formats/chat-completions/studio/dialects.ts). */
function studioCall({ baseUrl, apiVersion }: KeyServer): ListCall | undefined {
  const { pathname, hostname } = new URL(baseUrl);
  const path = pathname.replace(/\/$/, '');
  const version = (usual: string) => `api-version=${encodeURIComponent(apiVersion ?? usual)}`;
  if (path === '' && /\.(openai|cognitiveservices)\.azure\.com$/.test(hostname))
    return { path: '/openai/v1/models', key: 'api-key' };
  if (path.endsWith('/openai/v1')) return { path: '/models', key: 'api-key' };
  if (path.endsWith('/openai')) return { path: `/models?${version('2024-10-21')}`, key: 'api-key' };
  if (path.endsWith('/models')) return { path: `/info?${version('2024-05-01-preview')}`, key: 'api-key' };
  return undefined;
}

/** A token of the studio's directory begins with JSON in base64url; it is sent as a bearer token. */
const directoryToken = /^eyJ/;

function keyHeaders({ keyForm, keyHeader, wireFormat }: KeyServer, own: string, key: string): Record<string, string> {
  const bearer = { authorization: `Bearer ${key}` };
  switch (keyForm) {
    case 'wire_format':
      return own === 'authorization' || (wireFormat === 'studio-ai' && directoryToken.test(key))
        ? bearer
        : { [own]: key };
    case 'bearer':
      return bearer;
    case 'api_key_header':
      return { 'api-key': key };
    case 'header':
      return { [keyHeader ?? 'authorization']: key };
    case 'none':
      return {};
  }
}
