// Requests that count tokens, in the four formats that have them, and the counters that the vendors have.
import { type VendorName, vendorNames } from '../../../common/vendors.ts';
import { type ClientScene, modelAt, useScene } from './scene.ts';

export const countFormats = ['messages', 'responses', 'generate_content', 'converse'] as const;
export type CountFormat = (typeof countFormats)[number];

/** The vendor of each format. */
export const home = {
  messages: 'assistant-provider',
  responses: 'gpt-provider',
  generate_content: 'search-provider',
  converse: 'managed-cloud-models',
} as const satisfies Record<CountFormat, VendorName>;

/** The target of each vendor's counter at the simulator. */
export const counterOf: Readonly<Record<VendorName, RegExp>> = {
  'assistant-provider': /\/v1\/messages\/count_tokens$/,
  'gpt-provider': /\/responses\/input_tokens$/,
  'search-provider': /\/v1beta\/models\/[\w.-]+:countTokens$/,
  'managed-cloud-models': /\/model\/anthropic\.[^/]+\/count-tokens$/,
  'studio-ai': /never/,
};

/** Each vendor, and who counts for clients of the format: the GPT vendor for those of its newer format alone. */
export function countersOf(format: CountFormat): readonly (readonly [VendorName, 'its counter' | 'the estimate'])[] {
  return vendorNames.map((vendor) => {
    const hasNone = vendor === 'studio-ai' || (vendor === 'gpt-provider' && format !== 'responses');
    return [vendor, hasNone ? 'the estimate' : 'its counter'];
  });
}

interface Sent {
  readonly body?: string;
  /** Null: the request has no such header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Default: that of the scene. */
  readonly key?: string;
  readonly url?: string;
}

export interface CountClients {
  readonly clients: ClientScene & { readonly url: string };
  /** @param model in the path, or in the usual body */
  post(format: CountFormat, model: string, sent?: Sent): Promise<Response>;
  count(format: CountFormat, vendor: VendorName, text?: string, sent?: Sent): Promise<Response>;
}

export function useCounts(): CountClients {
  const scene = useScene();
  const clients = {
    get scene() {
      return scene.scene;
    },
    get url() {
      return scene.scene.gateway.proxy.url;
    },
    sent: scene.sent,
  };
  const post: CountClients['post'] = (format, model, { url = clients.url, ...sent } = {}) => {
    const { key = clients.scene.key, headers = {}, body = bodyOf(format, model, 'Hello') } = sent;
    const all = {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(format === 'messages' && { 'anthropic-version': '2023-06-01' }),
      ...headers,
    };
    const given = Object.entries(all).filter((header): header is [string, string] => header[1] !== null);
    return fetch(url + pathOf(format, model), { method: 'POST', headers: given, body });
  };
  return {
    clients,
    post,
    count: (format, vendor, text = 'Hello', sent = {}) =>
      post(format, modelAt(vendor), { body: bodyOf(format, modelAt(vendor), text), ...sent }),
  };
}

function pathOf(format: CountFormat, model: string): string {
  switch (format) {
    case 'messages':
      return '/v1/messages/count_tokens';
    case 'responses':
      return '/v1/responses/input_tokens';
    case 'generate_content':
      return `/v1beta/models/${model}:countTokens`;
    case 'converse':
      return `/model/${encodeURIComponent(model)}/count-tokens`;
  }
}

function bodyOf(format: CountFormat, model: string, text: string): string {
  const role = 'user';
  switch (format) {
    case 'messages':
      return JSON.stringify({ model, messages: [{ role, content: text }] });
    case 'responses':
      return JSON.stringify({ model, input: text });
    case 'generate_content':
      return JSON.stringify({ contents: [{ role, parts: [{ text }] }] });
    case 'converse':
      return JSON.stringify({ input: { converse: { messages: [{ role, content: [{ text }] }] } } });
  }
}
