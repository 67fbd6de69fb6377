// Guardrails on the requests and responses of clients of the Messages API, at all five vendors, with the official SDK:
// each part of a request that a model reads, and each part of a response, whole and streamed.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { type GuardrailFixture, guardrailFields, openGuardrailFixture } from '../support/guardrails/fixture.ts';
import { plainModels } from '../support/vendors.ts';
import { type Scene, startScene } from './providers/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

type Params = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'max_tokens'>;

const client = () => new Anthropic({ baseURL: scene.gateway.proxy.url, apiKey: scene.key, maxRetries: 0 });
const modelAt = (vendor: VendorName) => `${vendor}/${plainModels[vendor]}`;
const create = (vendor: VendorName, params: Params) =>
  client().messages.create({ model: modelAt(vendor), max_tokens: 4096, ...params });
/** The body that the vendor received last. */
const sent = () => scene.received().body.toString();
const hello = [{ role: 'user' as const, content: 'Hello' }];

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe.each(vendorNames)('guardrails at %s', (vendor) => {
  const secret = 'swordfish-42';
  const words = { words: { phrases: [secret] } };
  const guarded = async (stage: string, action: string) => {
    await guardrails.replace(guardrailFields([stage, action], words));
    scene.gateway.simulator.reset();
  };
  let guardrails: GuardrailFixture;
  beforeAll(() => {
    guardrails = openGuardrailFixture(scene.gateway, scene.gateway.organization, scene.key);
  });
  afterAll(() => guardrails.clear());

  /** Each part of a request that the model reads. */
  const parts: readonly (readonly [string, Params])[] = [
    ['system', { system: [{ type: 'text', text: secret }], messages: hello }],
    ['text', { messages: [{ role: 'user', content: secret }] }],
    ['a description of a tool', { messages: hello, tools: [{ ...weather, description: secret }] }],
    ['a document', { messages: [{ role: 'user', content: [document(secret)] }] }],
    ['the input of a call', { tools: [weather], messages: history({ city: secret }, 'rain') }],
    ['the result of a call', { tools: [weather], messages: history({ city: 'Oslo' }, secret) }],
  ];

  it.each(parts)('replace it in %s', async (_part, params) => {
    await guarded('input', 'redact');
    await create(vendor, params);
    expect(sent()).not.toContain(secret);
    expect(sent()).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
  });

  it.each(parts)('block it in %s', async (_part, params) => {
    await guarded('input', 'block');
    await expect(create(vendor, params)).rejects.toMatchObject({
      error: { error: { details: { error_code: 'guardrail_blocked' } } },
    });
    expect(scene.gateway.simulator.requests).toEqual([]);
  });

  it.each(['whole', 'streamed'])(
    'replace it in the text, the thinking and the calls of a response, %s',
    async (form) => {
      await guarded('output', 'redact');
      scene.gateway.simulator.script({
        text: `It is ${secret}.`,
        toolCalls: [{ name: 'weather', arguments: JSON.stringify({ city: secret }) }],
      });
      const params = { model: modelAt(vendor), max_tokens: 4096, messages: hello, tools: [weather] };
      const message =
        form === 'whole'
          ? await client().messages.create(params)
          : await client().messages.stream(params).finalMessage();
      expect(JSON.stringify(message.content)).not.toContain(secret);
      expect(message.stop_reason).toBe('tool_use');
      expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', input: { city: expect.stringContaining('[') } });
    },
  );

  it('cut a stream at what they block, with an error that the SDK raises', async () => {
    await guarded('output', 'block');
    scene.gateway.simulator.script({ text: `${'All is well. '.repeat(400)}${secret}` });
    const stream = client().messages.stream({ model: modelAt(vendor), max_tokens: 4096, messages: hello });
    let text = '';
    stream.on('text', (piece) => {
      text += piece;
    });
    await expect(stream.finalMessage()).rejects.toMatchObject({ error: { type: 'error' } });
    expect(text).toContain('All is well.');
    expect(text).not.toContain('swordfish');
  });
});

function document(text: string): Anthropic.DocumentBlockParam {
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } };
}

function history(input: object, result: string): Anthropic.MessageParam[] {
  return [
    ...hello,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: result }] },
  ];
}
