// What clients of InvokeModel send beside the body, in headers, as the official SDK writes them.
import { InvokeModelCommand, type InvokeModelCommandInput, ValidationException } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { ownHeaders, plainModels } from '../support/vendors.ts';
import { thrown, useConverseClient } from './clients/converse.ts';
import { modelAt } from './clients/scene.ts';

const { clients, client } = useConverseClient();
const vendor = 'managed-cloud-models';

const text = JSON.stringify({
  anthropic_version: 'bedrock-2023-05-31',
  max_tokens: 4096,
  messages: [{ role: 'user', content: 'Hello' }],
});
const input = (options: Partial<InvokeModelCommandInput>): InvokeModelCommandInput => ({
  modelId: plainModels[vendor],
  body: text,
  ...options,
});

/** Sends it, and returns the names in `x-svc-dropped-params`. */
async function dropped(options: Partial<InvokeModelCommandInput>): Promise<string | undefined> {
  const sdk = client();
  let names: string | undefined;
  sdk.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
      names = headers['x-svc-dropped-params'];
      return result;
    },
    { step: 'deserialize' },
  );
  await sdk.send(new InvokeModelCommand(input(options)));
  return names;
}
const vendorHeaders = () => Object.keys(clients.scene.received().headers).filter((name) => /bedrock/.test(name));

const models = [plainModels[vendor], 'eu.amazon.nova-lite-v1:0', modelAt('gpt-provider')];

describe.each(models)('options of a request for %s', (modelId) => {
  it.each([
    [{ guardrailIdentifier: 'g1', guardrailVersion: '1' }, 'guardrailIdentifier'],
    [{ guardrailVersion: '1' }, 'guardrailVersion'],
  ])('cannot name the account’s guardrail: %j', async (options, param) => {
    const error = await thrown(client().send(new InvokeModelCommand(input({ modelId, ...options }))));
    expect(error).toBeInstanceOf(ValidationException);
    expect(error).toMatchObject({ code: 'unsupported_parameter', message: expect.stringContaining(param) });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it('are named if they do not reach the vendor', async () => {
    const options = { performanceConfigLatency: 'optimized', serviceTier: 'flex', trace: 'ENABLED' } as const;
    const names = await dropped({ modelId, ...options, requestMetadata: '{"team":"a"}' });
    expect(names?.split(/, ?/).toSorted()).toEqual([
      ...['performanceConfigLatency', 'requestMetadata', 'serviceTier', 'trace'],
    ]);
    expect(vendorHeaders()).toEqual([]);
  });

  it('are not named if they say what is so anyway', async () => {
    const options = { performanceConfigLatency: 'standard', serviceTier: 'default', trace: 'DISABLED' } as const;
    expect(await dropped({ modelId, ...options })).toBeUndefined();
  });
});

it('pass with the caller’s own keys, but for metadata', async () => {
  const response = await fetch(`${clients.scene.gateway.proxy.url}/model/${plainModels[vendor]}/invoke`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-svc-vk': clients.scene.key, 'x-svc-direct-key': 'true' },
      ...ownHeaders[vendor],
      ...{ 'x-amzn-bedrock-guardrailidentifier': 'g1', 'x-amzn-bedrock-guardrailversion': '1' },
      ...{ 'x-amzn-bedrock-service-tier': 'flex', 'x-amzn-bedrock-request-metadata': '{}' },
    },
    body: text,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-dropped-params')).toBe('requestMetadata');
  const { headers } = clients.scene.received();
  expect(headers).toMatchObject({
    'x-amzn-bedrock-guardrailidentifier': 'g1',
    'x-amzn-bedrock-guardrailversion': '1',
    'x-amzn-bedrock-service-tier': 'flex',
  });
  expect(headers).not.toHaveProperty('x-amzn-bedrock-request-metadata');
});
