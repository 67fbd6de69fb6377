// Signatures of calls of a Gemini model over two turns of a client of the Messages API: the vendor's official SDK sends
// blocks back as it got them, and the signature is in the id of the call.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { isObject, objectsOf } from '../../common/json.ts';
import { useScene } from './clients/scene.ts';

const clients = useScene();
const { sent } = clients;
const gemini = 'search-provider/gemini-3-pro-preview';
const params = {
  max_tokens: 8000,
  tools: [{ name: 'weather', input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } } }],
};
const hello: Anthropic.MessageParam = { role: 'user', content: 'Hello' };

function client(): Anthropic {
  const { gateway, key } = clients.scene;
  return new Anthropic({ baseURL: gateway.proxy.url, apiKey: key, maxRetries: 0 });
}

describe.each(['whole', 'streamed'])('a signature of a call of a Gemini model, %s', (form) => {
  async function turns(): Promise<Anthropic.MessageParam[]> {
    clients.scene.gateway.simulator.script({ toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] });
    const request = { model: gemini, ...params, messages: [hello] };
    const { content } =
      form === 'whole'
        ? await client().messages.create(request)
        : await client().messages.stream(request).finalMessage();
    const call = content.find((block) => block.type === 'tool_use');
    if (call === undefined) throw new Error('a tool is called');
    expect(call.id).toContain('__sig_');
    const result: Anthropic.ToolResultBlockParam = { type: 'tool_result', tool_use_id: call.id, content: 'rain' };
    return [hello, { role: 'assistant', content }, { role: 'user', content: [result] }];
  }

  it('returns to its model', async () => {
    const messages = await turns();
    await client().messages.create({ model: gemini, ...params, messages });
    const body: unknown = JSON.parse(sent());
    const parts = objectsOf(isObject(body) ? body.contents : undefined).flatMap((content) => objectsOf(content.parts));
    const called = parts.find(({ functionCall }) => functionCall !== undefined);
    // The simulated vendor refuses a signature that is not its own.
    expect(called?.thoughtSignature).toMatch(/.{20}/);
    expect(called?.thoughtSignature).not.toBe('skip_thought_signature_validator');
    expect(sent()).not.toContain('__sig_');
  });

  it.each([
    'gpt-provider/gpt-5',
    'studio-ai/gpt-5',
    'assistant-provider/claude-sonnet-4-5',
    'managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ])('does not keep %s from responding', async (model) => {
    const messages = await turns();
    const { stop_reason: reason } = await client().messages.create({ model, ...params, messages });
    expect(reason).toBe('end_turn');
    expect(sent()).toContain('rain');
    // The vendor of the format gets the client's bytes.
    if (!model.startsWith('assistant-provider/')) expect(sent()).not.toContain('__sig_');
  });
});
