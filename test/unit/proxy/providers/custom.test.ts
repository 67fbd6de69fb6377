// How a custom provider's key is sent in each wire format.
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import type { KeyForm } from '../../../../proxy/access/principal.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { parseBaseUrl } from '../../../../proxy/formats/format.ts';
import { noOwnTools } from '../../../../proxy/formats/own-tools.ts';
import type { Credential } from '../../../../proxy/providers/credentials/credential.ts';
import { customProvider } from '../../../../proxy/providers/custom.ts';
import { wireFormatProviders } from '../../../../proxy/providers/index.ts';
import { buildRequest, type Provider } from '../../../../proxy/providers/provider.ts';

const url = 'https://models.example/base';
const apiKey = { apiKey: new Secret('sk-sim-of-the-model-server') };
const none = { apiKey: undefined };
const noPath = { stream: undefined };
const bases = [...wireFormatProviders];

function custom(base: Provider, keyForm: KeyForm): Provider {
  const configured = { id: 'id-1', name: 'mine', wireFormat: base.name, baseUrl: url, keyForm, models: [] };
  return customProvider(base, configured);
}

/** All headers of a request, with names in lower case. */
async function headersOf(provider: Provider, credential: Credential): Promise<Record<string, string>> {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
  const { headers } = await buildRequest({
    ...{ request: parseChatRequest(Buffer.from(JSON.stringify(body))), model: 'm', images: new Map() },
    ...{ capabilities: new CapabilityTable().of(provider.name, 'm'), outputTokensMax: undefined, now: 0 },
    target: {
      ...{ provider, baseUrl: parseBaseUrl(url), credential, providerKeyId: 'key-1' },
      ...{ region: 'eu-west-1', apiVersion: undefined, ownTools: noOwnTools },
    },
  });
  const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect(new Set(names).size, 'each header once').toBe(names.length);
  return Object.fromEntries(names.map((name, index) => [name, headers[index * 2 + 1] ?? '']));
}

const key = apiKey.apiKey.reveal();
const carriers = (headers: Record<string, string>) =>
  Object.entries(headers).filter(([, value]) => value.includes(key));

describe.each(bases)('a provider in the wire format of %s', (_name, base) => {
  it('has its own name and URL, and no alias or endpoint', () => {
    expect(custom(base, 'wire_format')).toMatchObject({ name: 'mine', aliases: [], defaultBaseUrl: url });
  });

  it('counts no tokens, because its server may have no counter', () => {
    expect(custom(base, 'wire_format')).toMatchObject({ counter: undefined });
  });

  it('is otherwise the same as the shipped provider when the key is sent as in the wire format', async () => {
    const provider = custom(base, 'wire_format');
    expect(await headersOf(provider, apiKey)).toEqual(await headersOf(base, apiKey));
    expect(provider.routeCredential).toBe(base.routeCredential);
  });

  it('gets no request as a client of its wire format sent it, because any field could name another model or host', async () => {
    const body = '{"model":"m","max_tokens":9,"fallbacks":["dear"],"messages":[{"role":"user","content":"Hi"}]}';
    const { translation } = clientFormats.messages;
    if (translation === undefined) throw new Error('clients of the Messages API are translated');
    const client = { translation, headers: ['anthropic-beta', 'one-2025-01-01'], path: noPath };
    const read = { bytes: Buffer.from(body), numbersArePlain: true, client };
    const sent = await buildRequest({
      ...{ request: parseChatRequest(read), model: 'm', images: new Map() },
      ...{ capabilities: new CapabilityTable().of(base.name, 'm'), outputTokensMax: undefined, now: 0 },
      target: {
        ...{ provider: custom(base, 'bearer'), baseUrl: parseBaseUrl(url), credential: apiKey, providerKeyId: 'key-1' },
        ...{ region: 'eu-west-1', apiVersion: undefined, ownTools: noOwnTools },
      },
    });
    expect(String(sent.body)).not.toContain('dear');
    expect(sent.headers).not.toContain('anthropic-beta');
    expect(sent.dropped).toContain('fallbacks');
  });

  it('sends the key as a bearer token and nowhere else', async () => {
    const headers = await headersOf(custom(base, 'bearer'), apiKey);
    expect(carriers(headers)).toEqual([['authorization', `Bearer ${key}`]]);
    expect(custom(base, 'bearer').routeCredential).toBe('bearer');
  });

  it('sends the key in the configured header and nowhere else', async () => {
    for (const header of ['api-key', 'x-api-key', 'authorization', 'x-models-key', 'user-agent']) {
      expect(carriers(await headersOf(custom(base, { header }), apiKey))).toEqual([[header, key]]);
    }
  });

  it('sends no key and no substitute when the server has no keys', async () => {
    const provider = custom(base, 'none');
    const usual = await headersOf(base, apiKey);
    const carrier = carriers(usual).map(([name]) => name);
    const rest = Object.entries(usual).filter(([name]) => !carrier.includes(name));
    for (const credential of [none, apiKey]) {
      expect(await headersOf(provider, credential)).toEqual(Object.fromEntries(rest));
    }
    expect(provider.keylessId).toBe('id-1');
  });

  it('needs a key in every other key form', async () => {
    for (const keyForm of ['wire_format', 'bearer', { header: 'x-models-key' }] as const) {
      const provider = custom(base, keyForm);
      expect(provider.keylessId).toBeUndefined();
      await expect(async () => headersOf(provider, none)).rejects.toMatchObject({
        code: 'no_healthy_target',
      });
    }
  });
});
