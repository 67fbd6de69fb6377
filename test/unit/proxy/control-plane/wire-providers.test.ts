import { describe, expect, it } from 'vitest';
import type { ProviderRecord } from '../../../../proto/generated/gateway/v1/ProviderRecord.ts';
import { services } from '../../../../proto/load.ts';
import { decodeResolve } from '../../../../proxy/control-plane/wire-records.ts';

const { Resolve } = services.Access;

/** Sends the providers over the wire within a response of Resolve, and decodes them. */
function decode(...providers: ProviderRecord[]) {
  const sent = Resolve.responseSerialize({
    asOf: { epoch: 'one', revision: 1 },
    key: { keyId: 'k', organizationId: 'o', scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: 'o' } },
    organization: { id: 'o', providers },
  });
  return decodeResolve(Resolve.responseDeserialize(sent)).principal?.organization.customProviders;
}

const record: ProviderRecord = {
  ...{ id: 'p', name: 'vendor', wireFormat: 'WIRE_FORMAT_ASSISTANT_PROVIDER' },
  ...{ baseUrl: 'https://api.example.com', keyForm: 'KEY_FORM_WIRE_FORMAT' },
  createdAt: '2026-11-21T12:00:00.500Z',
};

describe('a custom provider of a record', () => {
  it('is decoded with its models in the catalog’s form', () => {
    const amounts = { input: '0.1', output: '0.2' };
    const model = {
      ...{ name: 'm', maxInputTokens: 1000, capabilities: ['tools', 'of-a-newer-version'] },
      prices: {
        ...amounts,
        cacheWrite1h: '0.3',
        tiers: [{ abovePromptTokens: 9, ...amounts }],
        asOf: '2026-11-21',
      },
      traits: { forcedTools: 'false', reasoning: 'budget', prefill: 'perhaps', newer: 'true' },
    };
    expect(decode({ ...record, passedFields: ['models'], models: [model, { name: 'bare' }] })).toEqual([
      {
        ...{ id: 'p', name: 'vendor', wireFormat: 'assistant-provider', keyForm: 'wire_format' },
        baseUrl: 'https://api.example.com',
        passedFields: ['models'],
        models: [
          {
            catalogModel: {
              ...{ provider: 'vendor', name: 'm', chat: true, created: Date.UTC(2026, 10, 21, 12) / 1000 },
              ...{ limits: { maxInputTokens: 1000 }, capabilities: ['tools'], prices: model.prices },
            },
            capabilities: { forcedTools: false, reasoning: 'budget' },
          },
          {
            catalogModel: {
              ...{ provider: 'vendor', name: 'bare', chat: true, created: Date.UTC(2026, 10, 21, 12) / 1000 },
              ...{ limits: {}, capabilities: [] },
            },
            capabilities: {},
          },
        ],
      },
    ]);
  });

  it.each([
    ['KEY_FORM_BEARER', undefined, 'bearer'],
    ['KEY_FORM_API_KEY_HEADER', undefined, { header: 'api-key' }],
    ['KEY_FORM_HEADER', 'x-models-key', { header: 'x-models-key' }],
    ['KEY_FORM_NONE', undefined, 'none'],
  ] as const)('gets its key in the form of %s', (keyForm, keyHeader, expected) => {
    const header = keyHeader === undefined ? {} : { keyHeader };
    expect(decode({ ...record, keyForm, ...header })).toMatchObject([{ keyForm: expected }]);
  });

  it.each<[string, ProviderRecord]>([
    ['a wire format that this version does not know', { ...record, wireFormat: 'WIRE_FORMAT_UNSPECIFIED' }],
    ['a key form that this version does not know', { ...record, keyForm: 'KEY_FORM_UNSPECIFIED' }],
    ['a named header without a name', { ...record, keyForm: 'KEY_FORM_HEADER' }],
  ])('is left out when it has %s, and the other providers remain', (_, odd) => {
    expect(decode(odd, { ...record, name: 'second' })).toMatchObject([{ name: 'second' }]);
  });

  it.each<[string, ProviderRecord]>([
    ['no id', { ...record, id: '' }],
    ['no name', { ...record, name: '' }],
    ['no URL', { ...record, baseUrl: '' }],
  ])('with %s makes the whole response fail', (_, half) => {
    expect(() => decode(half)).toThrow('half a provider');
  });
});
