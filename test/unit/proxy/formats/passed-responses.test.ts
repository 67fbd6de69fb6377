// Whole responses that clients get as their vendor sent them are read for their usage alone: what is known of them is what
// a reader of the whole response knows. The responses are those of the golden files and of the strict simulator.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { textTokensMax } from '../../../../proxy/conversation/text-tokens.ts';
import { forNativeClients } from '../../../../proxy/formats/chat-completions/native.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { toConversation } from '../../../../proxy/formats/chat-completions/to-conversation.ts';
import type { ReadableFormat, TranslatedCall, VendorResponse } from '../../../../proxy/formats/format.ts';
import { generateContent } from '../../../../proxy/formats/generate-content/index.ts';
import { messages } from '../../../../proxy/formats/messages/index.ts';
import { responses } from '../../../../proxy/formats/responses/index.ts';
import { assistantProvider } from '../../../../proxy/providers/assistant-provider.ts';
import { buildRequest, type ProviderCall } from '../../../../proxy/providers/provider.ts';
import { searchProvider } from '../../../../proxy/providers/search-provider.ts';
import type { Behaviour } from '../../../../simulator/behaviour.ts';
import { goldenCall, openGoldenCase } from '../../../support/golden.ts';
import { askVendor, clientCallOf, partsOf } from '../../../support/vendor-calls.ts';

const root = join(import.meta.dirname, '../../../golden');

const translated = (call: ProviderCall): TranslatedCall => ({ ...call, request: toConversation(call.request) });

/** What the full reader knows; undefined if it takes the response for an error. */
function factsOf(format: ReadableFormat, call: TranslatedCall, response: VendorResponse): object | undefined {
  try {
    const { usage, model, message } = format.readResponse(call, response);
    return usage && { usage, model, responseId: message.id };
  } catch {
    return undefined;
  }
}

describe.each([
  ['messages', messages, assistantProvider],
  ['generateContent', generateContent, searchProvider],
] as const)('a response in %s', (_what, format, provider) => {
  const folder = join(root, provider.name);
  const cases = readdirSync(folder)
    .map((name) => [name, openGoldenCase(join(folder, name), provider)] as const)
    .filter(([, { responseFile }]) => responseFile !== undefined);

  it.each(cases)('has the same facts as when it is read as a whole: %s', (_name, golden) => {
    const response = { head: golden.head, body: golden.response() };
    const call = translated(golden.call);
    expect(format.readPassed?.(call, response)).toEqual(factsOf(format, call, response));
  });
});

describe('a response that its vendor broke', () => {
  it.each([
    ['messages', messages, assistantProvider],
    ['responses', responses, assistantProvider],
    ['generateContent', generateContent, searchProvider],
  ] as const)('is not passed on as a success: %s', (_what, format, provider) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
    const call = goldenCall(provider, parseChatRequest(Buffer.from(JSON.stringify(body))));
    const { passed } = forNativeClients(format, () => ({ body: '', dropped: [], headers: [] }));
    for (const text of ['<html>', '', '[]', '{']) {
      const response = { head: {}, body: Buffer.from(text) };
      expect(() => passed.readResponse(call, response), text).toThrow(
        expect.objectContaining({ code: 'upstream_protocol_error' }),
      );
    }
  });
});

describe('a response without usage', () => {
  it('is settled by all that the model wrote: its texts, its thoughts and its calls', () => {
    const part = (text: string, more: object = {}) => ({ text, ...more });
    const functionCall = { name: 'boil', args: { cups: 2 } };
    const parts = [part('Hm.', { thought: true }), part('On it.'), { functionCall }];
    const response = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
    const call = goldenCall(searchProvider, parseChatRequest(Buffer.from(JSON.stringify(body))));
    const { passed } = forNativeClients(generateContent, () => ({ body: '', dropped: [], headers: [] }));
    const { usage, textTokens } = passed.readResponse(call, { head: {}, body: Buffer.from(JSON.stringify(response)) });
    expect(usage).toBeUndefined();
    const written = ['Hm.', 'On it.', 'boil', '{"cups":2}'];
    expect(textTokens).toBe(written.reduce((sum, text) => sum + textTokensMax(text), 0));
  });
});

describe('a response of Responses', () => {
  const behaviours: readonly Behaviour[] = [
    { text: 'Tea.' },
    { reasoning: 'Hm.', toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] },
    { tokens: 50, usage: { input_tokens: 7 } },
    { usage: null },
    { finishReason: 'failed' },
    { finishReason: 'content_filter' },
    { status: 429 },
    { body: '[]' },
    { body: '{"id":"resp_1","output":{},"usage":{"input_tokens":1,"output_tokens":1}}' },
  ];

  it.each(behaviours)('has the same facts as when it is read as a whole: %j', async (behaviour) => {
    const tools = [{ type: 'function', name: 'boil', parameters: { type: 'object', properties: {} }, strict: false }];
    const body = { input: 'Hello', max_output_tokens: 40, tools, service_tier: 'flex' };
    const call = clientCallOf('gpt-provider', 'gpt-5', { format: clientFormats.responses, body });
    const sent = askVendor('gpt-provider', await buildRequest(call), { behaviour });
    const response = { head: {}, body: Buffer.concat(partsOf(sent)) };
    const facts = responses.readPassed?.(translated(call), response);
    expect(facts).toEqual(factsOf(responses, translated(call), response));
    if (behaviour.text !== undefined) expect(facts).toMatchObject({ responseId: expect.stringMatching(/^resp_/) });
  });
});
