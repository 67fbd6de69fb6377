// The vendor's own SDK and the counter of the simulated cloud: the SDK accepts its numbers and its refusals.
import {
  AccessDeniedException,
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  CountTokensCommand,
  type Message,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { accounts } from '../../simulator/managed-cloud-models/accounts.ts';

let simulator: Simulator;
let client: BedrockRuntimeClient;
const requestHandler = new NodeHttpHandler();
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientWith({ credentials: accounts.permanent });
});
afterAll(async () => {
  requestHandler.destroy();
  await simulator.close();
});
beforeEach(() => simulator.reset());

function clientWith(config: BedrockRuntimeClientConfig): BedrockRuntimeClient {
  const endpoint = simulator.baseUrls['managed-cloud-models'];
  return new BedrockRuntimeClient({ endpoint, region: 'us-east-1', maxAttempts: 1, requestHandler, ...config });
}

const base = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const profile = `us.${base}`;
const messages: Message[] = [{ role: 'user', content: [{ text: 'hello' }] }];
const boil = { toolSpec: { name: 'boil', inputSchema: { json: { type: 'object' } } } };
const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 } };

describe('the counter', () => {
  const encoded = Buffer.from(JSON.stringify({ max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }));
  const count = (modelId: string, input: object) => client.send(new CountTokensCommand({ modelId, input } as never));

  it('counts requests of Converse, as its usage does', async () => {
    const request = { messages, system: [{ text: 'Be brief.' }], toolConfig: { tools: [boil] } };
    const { inputTokens } = await count(base, { converse: request });
    expect(inputTokens).toBe(
      (await client.send(new ConverseCommand({ modelId: profile, ...request }))).usage?.inputTokens,
    );
  });

  it('counts thinking, and the encoded bodies of InvokeModel', async () => {
    const thought = await count(base, { converse: { messages, additionalModelRequestFields: thinking } });
    expect(thought.inputTokens).toBeGreaterThan(0);
    expect((await count(base, { invokeModel: { body: encoded } })).inputTokens).toBeGreaterThan(5);
  });

  it.each([profile, 'amazon.nova-lite-v1:0'])(
    'counts for no inference profile and no other model: %s',
    async (model) => {
      const counting = count(model, { converse: { messages } });
      await expect(counting).rejects.toBeInstanceOf(ValidationException);
      await expect(counting).rejects.toThrow("doesn't support counting tokens");
    },
  );

  it('refuses what a call is refused', async () => {
    const turns = [{ role: 'assistant' as const, content: [{ text: 'hello' }] }];
    await expect(count(base, { converse: { messages: turns } })).rejects.toBeInstanceOf(ValidationException);
    await expect(count('anthropic.claude-x', { converse: { messages } })).rejects.toBeInstanceOf(ValidationException);
    const stranger = clientWith({ token: { token: 'ABSKunknown' }, authSchemePreference: ['httpBearerAuth'] });
    const command = new CountTokensCommand({ modelId: base, input: { converse: { messages } } });
    await expect(stranger.send(command)).rejects.toBeInstanceOf(AccessDeniedException);
    simulator.script({ status: 429 });
    await expect(count(base, { converse: { messages } })).rejects.toBeInstanceOf(ThrottlingException);
  });
});
