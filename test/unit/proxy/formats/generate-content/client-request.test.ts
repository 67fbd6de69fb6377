import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { issuerOf, shortDigest, wrapOpaque } from '../../../../../proxy/conversation/opaque.ts';
import { generateContentClients } from '../../../../../proxy/formats/generate-content/client.ts';
import { passGenerateContentRequest } from '../../../../../proxy/formats/generate-content/pass-request.ts';
import { callerSignature } from '../../../../../proxy/formats/generate-content/signatures.ts';
import { anySignature } from '../../../../../proxy/formats/generate-content/vendor-reasoning.ts';
import { noOwnTools } from '../../../../../proxy/formats/own-tools.ts';

const path = { model: 'm', stream: false };
const issuer = issuerOf('assistant-provider', 'stored');
const wrappedSignature = (thinking: string) =>
  wrapOpaque({ issuer, kind: 'signature', value: 'c2ln', text: shortDigest(thinking) }) ?? '';
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const read = (body: JsonObject) => generateContentClients.readRequest(body, path);
const chatOf = (fields: JsonObject) => read({ contents, ...fields }).chat;

describe('a request of generateContent as chat completions', () => {
  it.each([
    [{ thinkingBudget: 0 }, 'none'],
    [{ thinkingBudget: 4096 }, 'low'],
    [{ thinkingBudget: 16_384 }, 'medium'],
    [{ thinkingBudget: 20_000 }, 'high'],
    [{ thinkingBudget: -1 }, undefined],
    [{ thinkingLevel: 'LOW' }, 'low'],
  ])('has the effort of %j', (thinkingConfig, effort) => {
    expect(chatOf({ generationConfig: { thinkingConfig } }).reasoning_effort).toBe(effort);
  });

  it.each([
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'NONE' }, 'none'],
    [{ mode: 'ANY' }, 'required'],
    [{ mode: 'VALIDATED' }, 'auto'],
    [
      { mode: 'ANY', allowedFunctionNames: ['f'] },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { mode: 'ANY', allowed_function_names: ['f', 'g'] },
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: ['f', 'g'].map((name) => ({ type: 'function', function: { name } })),
        },
      },
    ],
  ])('has the tool choice of %j', (functionCallingConfig, choice) => {
    const tools = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }];
    expect(chatOf({ tools, toolConfig: { functionCallingConfig } }).tool_choice).toEqual(choice);
  });

  it('has schemas in JSON Schema', () => {
    const responseSchema = {
      type: 'OBJECT',
      properties: { nullable: { type: 'STRING', nullable: true }, list: { type: 'ARRAY', minItems: '1' } },
      propertyOrdering: ['list', 'nullable'],
    };
    expect(chatOf({ generationConfig: { responseSchema } }).response_format).toMatchObject({
      json_schema: {
        schema: {
          type: 'object',
          properties: { nullable: { type: ['string', 'null'] }, list: { type: 'array', minItems: 1 } },
        },
      },
    });
  });

  it('has schemas in JSON Schema from the names that the vendor’s REST API takes too', () => {
    const response_schema = {
      ...{ type: 'OBJECT', property_ordering: ['snake_case'], max_properties: '2' },
      properties: { snake_case: { type: 'ARRAY', min_items: '1', items: { any_of: [{ type: 'STRING' }] } } },
    };
    const { chat, losses } = read({ contents, generationConfig: { responseSchema: response_schema } });
    expect(chat.response_format).toMatchObject({
      json_schema: {
        schema: {
          ...{ type: 'object', maxProperties: 2 },
          properties: { snake_case: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'string' }] } } },
        },
      },
    });
    expect(losses.dropped).toEqual(['generationConfig.responseSchema.propertyOrdering']);
  });

  it.each(['Be kind.', { parts: [{ text: 'Be kind.' }] }])('begins with the text of the system: %j', (text) => {
    const content = typeof text === 'string' ? text : [{ type: 'text', text: 'Be kind.' }];
    expect(chatOf({ systemInstruction: text }).messages).toMatchObject([{ role: 'system', content }, { role: 'user' }]);
  });

  it('is refused with a system instruction that is no content', () => {
    expect(() => read({ contents, systemInstruction: 7 })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'systemInstruction' }),
    );
  });

  it('ties results to calls of their name in their order', () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } });
    const result = (name: string) => ({ functionResponse: { name, response: { result: name } } });
    const { chat } = read({
      contents: [
        ...contents,
        { role: 'model', parts: ['f', 'g', 'f'].map(call) },
        { parts: ['g', 'f', 'f'].map(result) },
      ],
    });
    const messages = chat.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const [first, second, third] = messages[1]?.tool_calls?.map(({ id }) => id) ?? [];
    expect(messages.slice(2).map((message) => message.tool_call_id)).toEqual([second, first, third]);
  });

  it('names what other vendors do not get', () => {
    const { losses } = read({
      contents,
      labels: { a: 'b' },
      tools: [{ google_search: {} }],
      generation_config: { speechConfig: {} },
    });
    expect(losses.refusal).toBeUndefined();
    expect(losses.dropped).toEqual(['labels', 'generationConfig.speechConfig', 'tools.googleSearch']);
  });

  it.each([
    [{ cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [{ generationConfig: { candidateCount: 2 } }, 'generationConfig.candidateCount'],
    [{ generationConfig: { responseModalities: ['AUDIO'] } }, 'generationConfig.responseModalities'],
    [{ contents: [{ parts: [{ fileData: { fileUri: 'x' } }] }] }, 'contents[0].parts[0].fileData'],
  ])('refuses %j at other vendors', (fields, param) => {
    expect(read({ contents, ...fields }).losses.refusal).toMatchObject({ code: 'unsupported_parameter', param });
  });

  it('has the thinking of a Claude model again, although a stream cut its text into parts', () => {
    const thoughtSignature = Buffer.from(wrappedSignature('Hm. So.')).toString('base64');
    const thoughts = [
      { text: 'Hm.', thought: true },
      { text: ' So.', thought: true },
      { text: '', thought: true, thoughtSignature },
    ];
    const { chat, losses } = read({
      contents: [...contents, { role: 'model', parts: [...thoughts, { text: 'Tea.' }] }],
    });
    expect(chat.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', thinking_blocks: [{ type: 'thinking', thinking: 'Hm. So.' }] },
    ]);
    expect(losses.dropped).toEqual([]);
    const unsigned = { contents: [...contents, { role: 'model', parts: [...thoughts.slice(0, 2), { text: 'Tea.' }] }] };
    expect(read(unsigned).losses.dropped).toEqual(['contents.parts.thought']);
  });

  it('has two thoughts of a Claude model in two blocks', () => {
    const parts = ['Hm.', 'So.'].map((text) => {
      const thoughtSignature = Buffer.from(wrappedSignature(text)).toString('base64');
      return { text, thought: true, thoughtSignature };
    });
    const { chat } = read({ contents: [...contents, { role: 'model', parts: [...parts, { text: 'Tea.' }] }] });
    expect(chat.messages).toMatchObject([
      { role: 'user' },
      { thinking_blocks: ['Hm.', 'So.'].map((thinking) => ({ type: 'thinking', thinking })) },
    ]);
  });

  it('has images as data', () => {
    const inlineData = { mimeType: 'image/PNG; a=b', data: 'AAAA' };
    expect(read({ contents: [{ parts: [{ inlineData }] }] }).chat.messages).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ]);
  });

  it.each([undefined, 7, 'text/html', 'image/svg+xml'])('refuses data of the media type %j', (mimeType) => {
    expect(() => read({ contents: [{ parts: [{ inlineData: { mimeType, data: 'AAAA' } }] }] })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'contents[0].parts[0].inlineData.mimeType' }),
    );
  });

  it('refuses a field with both of its names', () => {
    const inline = { mimeType: 'image/png', data: '' };
    expect(() => read({ contents: [{ parts: [{ inlineData: inline, inline_data: inline }] }] })).toThrow(
      expect.objectContaining({ param: 'contents[0].parts[0].inline_data' }),
    );
  });
});

describe('a request that passes to the vendor', () => {
  it.each([
    ['{"contents":[]}', '{"contents":[],"generationConfig":{"maxOutputTokens":7}}'],
    ['{"generation_config":{"topK": 1}}', '{"generation_config":{"topK":1,"maxOutputTokens":7}}'],
  ])('%s has the limit that the gateway chose', (text, written) => {
    const client = {
      ...{ translation: generateContentClients, body: JSON.parse(text) as JsonObject, bytes: Buffer.from(text) },
      ...{ path, headers: [], origins: [], losses: { dropped: [], refusal: undefined } },
    };
    const passing = { model: 'm', rights: { isOwnKey: false, ownTools: noOwnTools }, outputTokens: 7 };
    expect(passGenerateContentRequest(client, passing).body).toBe(written);
  });
});

describe('signatures in a request that passes to the vendor', () => {
  const pass = (parts: readonly JsonObject[]) => {
    const body = { contents: [...contents, { role: 'model', parts }, ...contents] };
    const client = {
      ...{ translation: generateContentClients, body, bytes: Buffer.from(JSON.stringify(body)) },
      ...{ path, headers: [], origins: [], losses: { dropped: [], refusal: undefined } },
    };
    const passing = { model: 'm', rights: { isOwnKey: false, ownTools: noOwnTools }, outputTokens: undefined };
    const { body: written, dropped } = passGenerateContentRequest(client, passing);
    return { contents: (JSON.parse(written) as { contents: readonly unknown[] }).contents, dropped };
  };
  const functionCall = { name: 'boil', args: {} };
  const ofClaude = Buffer.from(wrappedSignature('Hm.')).toString('base64');

  it.each<[string, JsonObject, JsonObject]>([
    [
      'the vendor’s again at a call of the same model',
      { functionCall, thoughtSignature: callerSignature('c2ln', 'm') },
      { functionCall, thoughtSignature: 'c2ln' },
    ],
    [
      'the one that the vendor takes for any call, if another model made the call',
      { functionCall, thoughtSignature: callerSignature('c2ln', 'other') },
      { functionCall, thoughtSignature: anySignature },
    ],
    [
      'gone at a text of another model',
      { text: 'Hi', thought_signature: callerSignature('c2ln', 'x') },
      { text: 'Hi' },
    ],
    [
      'unchanged if the vendor wrote it',
      { text: 'Hi', thoughtSignature: 'c2ln' },
      { text: 'Hi', thoughtSignature: 'c2ln' },
    ],
  ])('are %s', (_what, part, passed) => {
    expect(pass([part])).toEqual({
      contents: [...contents, { role: 'model', parts: [passed] }, ...contents],
      dropped: [],
    });
  });

  it('go with the thoughts of another vendor’s model, beside which a call stays', () => {
    const thought = { text: 'Hm.', thought: true, thoughtSignature: ofClaude };
    expect(pass([thought, { functionCall, thoughtSignature: ofClaude }])).toEqual({
      contents: [
        ...contents,
        { role: 'model', parts: [{ functionCall, thoughtSignature: anySignature }] },
        ...contents,
      ],
      dropped: ['contents.parts.thought'],
    });
    expect(pass([thought]).contents).toEqual([...contents, ...contents]);
  });
});

describe('a request that counts tokens', () => {
  const counting = (body: JsonObject) => () =>
    generateContentClients.readRequest(body, { ...path, counts: true }).chat.messages;

  it.each([[{ contents }], [{ generateContentRequest: { contents } }], [{ generate_content_request: { contents } }]])(
    'has the contents, or a whole request inside: %j',
    (body) => {
      expect(counting(body)()).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]);
    },
  );

  it('cannot have both', () => {
    const both = { contents, generateContentRequest: { contents } };
    expect(counting(both)).toThrow(expect.objectContaining({ code: 'invalid_request', param: 'contents' }));
  });
});
