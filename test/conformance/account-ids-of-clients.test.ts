// What belongs to the whole vendor account, named by the official SDK of each client format: refused with a stored key
// as the SDK's own error, and passed with the caller's own key. test/losses/account-ids.ts has every field.
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { ConverseCommand, InvokeModelCommand, ValidationException } from '@aws-sdk/client-bedrock-runtime';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ownHeaders } from '../support/vendors.ts';
import { thrown, useConverseClient } from './clients/converse.ts';
import { modelAt } from './clients/scene.ts';

const { clients, client: cloud } = useConverseClient();
const hello = [{ role: 'user' as const, content: 'Hello' }];
const url = () => clients.scene.gateway.proxy.url;
const openai = (defaultHeaders: Record<string, string> = {}, apiKey = clients.scene.key) =>
  new OpenAI({ baseURL: `${url()}/v1`, apiKey, maxRetries: 0, defaultHeaders });
const anthropic = () => new Anthropic({ baseURL: url(), apiKey: clients.scene.key, maxRetries: 0 });
const google = () => new GoogleGenAI({ apiKey: clients.scene.key, httpOptions: { baseUrl: url() } });

const account = 'arn:aws:bedrock:eu-west-1:111122223333';
const arns = {
  'an inference profile': `${account}:application-inference-profile/simnovapro00`,
  'a prompt': `${account}:prompt/PROMPT1234:1`,
  'a provisioned throughput': `${account}:provisioned-model/abcdefabcdef`,
  'a model': 'arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-pro-v1:0',
};

/** By client format: a call of a model, and the SDK's error. */
const calls = {
  'chat completions': [
    (model: string) => openai().chat.completions.create({ model, messages: hello }),
    OpenAI.BadRequestError,
  ],
  Messages: [
    (model: string) => anthropic().messages.create({ model, max_tokens: 100, messages: hello }),
    BadRequestError,
  ],
  'the counter of Messages': [
    (model: string) => anthropic().messages.countTokens({ model, messages: hello }),
    BadRequestError,
  ],
  Responses: [(model: string) => openai().responses.create({ model, input: 'Hello' }), OpenAI.BadRequestError],
  generateContent: [(model: string) => google().models.generateContent({ model, contents: 'Hello' }), ApiError],
  Converse: [
    (modelId: string) =>
      cloud().send(new ConverseCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'Hello' }] }] })),
    ValidationException,
  ],
  InvokeModel: [
    (modelId: string) =>
      cloud().send(
        new InvokeModelCommand({
          modelId,
          body: JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages: hello }),
        }),
      ),
    ValidationException,
  ],
} as const;

describe.each(Object.entries(calls))('a client of %s', (_format, [call, refusal]) => {
  it.each(Object.entries(arns))('cannot name %s by its ARN', async (_what, arn) => {
    for (const name of [`managed-cloud-models/${arn}`, `bedrock/${arn}`]) {
      const error = await thrown(call(name));
      expect(error).toBeInstanceOf(refusal);
      expect(String(error)).toContain('an ARN is of the whole vendor account');
    }
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

describe('a client of chat completions', () => {
  const vendor = 'managed-cloud-models';
  const ownCloudKeys = () => ({ 'x-svc-vk': clients.scene.key, 'x-svc-direct-key': 'true', ...ownHeaders[vendor] });

  it('names its own account by an ARN', async () => {
    const model = `${vendor}/${arns['an inference profile']}`;
    const completion = await openai(ownCloudKeys()).chat.completions.create({ model, messages: hello });
    expect(completion.choices[0]?.message.content).toContain('simulated');
    expect(clients.scene.received().target).toContain(encodeURIComponent(arns['an inference profile']));
  });

  it('names sound that the vendor has stored with its own key alone', async () => {
    const spoken = [...hello, { role: 'assistant' as const, audio: { id: 'audio_1' } }, ...hello];
    const ask = (client: OpenAI) =>
      client.chat.completions.create({ model: modelAt('gpt-provider'), messages: spoken, stream: false });
    const error = await thrown(ask(openai()));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'messages[1].audio.id' });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
    const own = openai({ 'x-svc-vk': clients.scene.key, 'x-svc-direct-key': 'true', ...ownHeaders['gpt-provider'] });
    // The simulated vendor has stored no sound; what matters is what it gets.
    await ask(own).catch(() => undefined);
    expect(clients.sent()).toContain('"audio":{"id":"audio_1"}');
  });
});

it('a conversation that the vendor keeps for the account is not served to clients of Messages', async () => {
  const model = modelAt('assistant-provider');
  const ask = (thread: Anthropic.Beta.BetaMessageThreadParam) =>
    anthropic().beta.messages.create({ model, max_tokens: 100, messages: hello, thread });
  for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }] as const) {
    const error = await thrown(ask(thread));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(String(error)).toContain('thread names something of the whole vendor account');
  }
});

it('a tool of the vendor that a message adds passes by the organization’s settings', async () => {
  const definition = { type: 'web_search_20250305' as const, name: 'web_search' as const };
  const added = { type: 'tool_addition' as const, tool: { type: 'tool_definition' as const, definition } };
  const messages = [...hello, { role: 'system' as const, content: [added] }, ...hello];
  const ask = anthropic().beta.messages.create({ model: modelAt('assistant-provider'), max_tokens: 100, messages });
  const error = await thrown(ask);
  expect(error).toBeInstanceOf(BadRequestError);
  expect(String(error)).toContain('messages[1].content[0] is of a tool of the vendor, which is not enabled');
});
