import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from '../../../../../proxy/formats/format.ts';
import { buildRequest } from '../../../../../proxy/providers/provider.ts';
import { callOf, messages, refusal, sent } from './ask.ts';

const boil = { type: 'function', function: { name: 'boil', parameters: { type: 'object' } } };

describe('the request to the search-company vendor', () => {
  it('is sent to the model’s method below the base URL, with the key in its own header', () => {
    const call = callOf();
    const target = { ...call.target, baseUrl: parseBaseUrl('https://example.com/base/') };
    expect(buildRequest({ ...call, target })).toMatchObject({
      origin: 'https://example.com',
      path: '/base/v1beta/models/gemini-2.5-flash:generateContent',
      headers: [
        ...['x-goog-api-key', 'golden-key'],
        ...['content-type', 'application/json'],
        ...['accept', 'application/json'],
        ...['user-agent', 'model-gateway'],
      ],
    });
  });

  it('for a stream requests events', () => {
    const { path, headers } = sent({ stream: true });
    expect(path).toMatch(/:streamGenerateContent\?alt=sse$/);
    expect(headers).toContain('text/event-stream');
  });

  it.each([
    ['models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['a:b', 'a%3Ab'],
    ['a/b@c+d', 'a/b%40c%2Bd'],
  ])('has the encoded name of the model in its path: %s', (model, name) => {
    expect(sent({ model }).path).toBe(`/v1beta/models/${name}:generateContent`);
  });

  it('reports the schema field as emulated, even when the schema is in the response tool', () => {
    const json_schema = {
      name: 'tea',
      schema: { type: 'object', properties: { a: { type: 'string', pattern: 'a' } } },
    };
    const { emulated } = sent({ tools: [boil], response_format: { type: 'json_schema', json_schema } });
    expect(emulated).toEqual(['response_format.schema']);
  });

  it('contains only requested fields', () => {
    expect(Object.keys(sent().body)).toEqual(['contents']);
  });

  it('leaves the caller’s body unchanged', () => {
    const call = callOf({ tools: [{ googleSearch: {} }], response_format: { type: 'json_object' } });
    const before = structuredClone(call.request.body);
    expect(buildRequest(call)).toHaveProperty('body');
    expect(call.request.body).toEqual(before);
  });
});

describe('fields of a request to the search-company vendor', () => {
  it.each([
    ['n', { n: 2, stream: true }, 'unsupported_parameter'],
    ['n', { n: 2, model: 'gemini-3.5-flash' }, 'unsupported_parameter'],
    ['n', { n: 9 }, 'invalid_request'],
    ['n', { n: 'two' }, 'invalid_request'],
    ['logprobs', { logprobs: true }, 'unsupported_parameter'],
    ['top_logprobs', { top_logprobs: 2, model: 'gemini-2.0-flash' }, 'unsupported_parameter'],
    ['modalities', { modalities: ['text', 'audio'] }, 'unsupported_parameter'],
    ['audio', { audio: { voice: 'alloy' } }, 'unsupported_parameter'],
    ['tools[0]', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'unsupported_parameter'],
    ['tools', { tools: [boil, { googleSearch: {} }] }, 'unsupported_parameter'],
    ['tools[0].googleSearch', { tools: [{ googleSearch: true }] }, 'invalid_request'],
    ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }, 'invalid_request'],
    ['stop', { stop: 1 }, 'invalid_request'],
    ['temperature', { temperature: 2.1 }, 'invalid_request'],
    ['top_k', { top_k: 0 }, 'invalid_request'],
    ['seed', { seed: 1.5 }, 'invalid_request'],
    ['max_tokens', { max_tokens: 0 }, 'invalid_request'],
    ['reasoning_effort', { reasoning_effort: 'huge' }, 'invalid_request'],
    ['thinking', { thinking: true }, 'invalid_request'],
    ['thinking.type', { thinking: { type: 'deep' } }, 'invalid_request'],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: '1' } }, 'invalid_request'],
    ['safety_settings', { safety_settings: { category: 'x' } }, 'invalid_request'],
    ['safetySettings', { safetySettings: [{ category: 'x' }] }, 'invalid_request'],
    ['cached_content', { cached_content: 1 }, 'unsupported_parameter'],
    ['response_format.type', { response_format: { type: 'grammar' } }, 'invalid_request'],
  ])('%s is refused: %j', (param, body, code) => {
    expect(refusal(body)).toEqual({ code, param });
  });

  it.each([
    ['temperature', 'sampling stays within the vendor’s range', { temperature: 1.7 }, { temperature: 1.7 }],
    [
      'max tokens',
      'trap 21: both spellings, the newer first',
      { max_tokens: 5, max_completion_tokens: 7 },
      { maxOutputTokens: 7 },
    ],
    ['max tokens', 'trap 21: the older alone', { max_tokens: 5 }, { maxOutputTokens: 5 }],
    ['stop', 'a single text', { stop: 'END' }, { stopSequences: ['END'] }],
    ['seed', 'keeps 32 of its 64 bits', { seed: 2 ** 40 + 3 }, { seed: 3 }],
    ['n', 'several choices', { n: 3 }, { candidateCount: 3 }],
    ['modalities', 'text and images', { modalities: ['text', 'image'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
  ])('the field %s is mapped: %s', (_field, _what, body, config) => {
    expect(sent(body).body.generationConfig).toEqual(config);
  });

  it.each([
    ['default', undefined],
    ['auto', undefined],
    ['flex', 'flex'],
    ['priority', 'priority'],
  ])('the service tier %s is mapped or omitted', (tier, expected) => {
    const { body, dropped } = sent({ service_tier: tier });
    expect([body.serviceTier, dropped]).toEqual([expected, []]);
  });

  it('a null field counts as absent', () => {
    const names = [
      'temperature',
      'stop',
      'tools',
      'tool_choice',
      'response_format',
      'reasoning_effort',
      'n',
      'thinking',
    ];
    const { body, dropped } = sent(Object.fromEntries(names.map((name) => [name, null])));
    expect([Object.keys(body), dropped]).toEqual([['contents'], []]);
  });

  it('fields in the vendor’s own spelling are accepted', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }];
    const { body, dropped } = sent({ safetySettings, cachedContent: 'cachedContents/a' }, {}, { ownKey: true });
    expect(body).toMatchObject({ safetySettings, cachedContent: 'cachedContents/a' });
    expect(dropped).toEqual([]);
  });
});

describe('reasoning at the search-company vendor', () => {
  const config = (body: object) => sent(body).body.generationConfig?.thinkingConfig;

  it.each([
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'minimal', { thinkingBudget: 1024, includeThoughts: true }],
    ['gemini-2.5-flash-lite', 'low', { thinkingBudget: 1024, includeThoughts: true }],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8192, includeThoughts: true }],
    ['gemini-2.5-pro', 'high', { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-pro', 'max', { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3-pro-preview', 'none', { thinkingLevel: 'low' }],
    ['gemini-3-flash-preview', 'minimal', { thinkingLevel: 'minimal', includeThoughts: true }],
    ['gemini-3.1-pro-preview', 'medium', { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3.8-flash', 'minimal', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-9-unknown', 'xhigh', { thinkingLevel: 'high', includeThoughts: true }],
  ])('%s reasons with the effort %s', (model, effort, expected) => {
    expect(config({ model, reasoning_effort: effort })).toEqual(expected);
  });

  it.each([
    ['gemini-2.5-flash', { type: 'enabled', budget_tokens: 500 }, { thinkingBudget: 500, includeThoughts: true }],
    ['gemini-2.5-flash', { type: 'adaptive' }, { thinkingBudget: -1, includeThoughts: true }],
    ['gemini-2.5-flash', { type: 'disabled' }, { thinkingBudget: 0 }],
    ['gemini-3.5-flash', { type: 'enabled', budget_tokens: 500 }, { thinkingBudget: 500, includeThoughts: true }],
    ['gemini-3.5-flash', { type: 'adaptive' }, { includeThoughts: true }],
  ])('%s reasons with the thinking option %j', (model, thinking, expected) => {
    expect(config({ model, thinking })).toEqual(expected);
  });

  it.each([
    ['gemini-2.0-flash', { reasoning_effort: 'low' }, ['reasoning_effort']],
    ['gemini-2.0-flash', { reasoning_effort: 'none' }, []],
    ['gemma-3-27b-it', { thinking: { type: 'adaptive' } }, ['thinking']],
    ['gemini-2.0-flash', { thinking: { type: 'disabled' } }, []],
    ['gemini-2.5-flash', { reasoning_effort: 'low', thinking: { type: 'disabled' } }, ['thinking']],
  ])('is dropped and reported for a model without reasoning: %s, %j', (model, body, dropped) => {
    expect(sent({ model, ...body }).dropped).toEqual(dropped);
  });

  it('has no setting when no field requests it', () => {
    expect(sent({ model: 'gemini-3.5-flash' }).body.generationConfig).toBeUndefined();
  });
});

describe('JSON output beside tools at the search-company vendor', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const format = { type: 'json_schema', json_schema: { name: 'a', schema } };

  it.each([
    ['that must not be called: they are not sent', { tool_choice: 'none' }, undefined, true],
    ['that may be called: the response is one more tool', {}, { mode: 'ANY' }, false],
    ['of which one must be called: there is no JSON text', { tool_choice: 'required' }, { mode: 'ANY' }, false],
  ])('is requested with tools %s', (_what, choice, mode, isNative) => {
    const { body } = sent({ tools: [boil], response_format: format, ...choice });
    expect(body.toolConfig?.functionCallingConfig).toEqual(mode);
    expect(body.generationConfig !== undefined).toBe(isNative);
    expect(body.tools === undefined).toBe(isNative);
  });

  it('is native beside tools at a newer model, unless a call is required', () => {
    const model = 'gemini-3.5-flash';
    const both = sent({ model, tools: [boil], response_format: format }).body;
    expect(both.tools).toEqual([{ functionDeclarations: [{ name: 'boil' }] }]);
    expect(both.generationConfig).toMatchObject({ responseJsonSchema: schema });
    const forced = sent({ model, tools: [boil], tool_choice: 'required', response_format: format }).body;
    expect(forced.generationConfig).toBeUndefined();
  });
});

describe('the search-company vendor’s own search', () => {
  it('is enabled once for web_search_options', () => {
    const { body, dropped } = sent({
      web_search_options: {},
      tools: [{ google_search: {} }, { url_context: {} }],
    });
    expect([body.tools, dropped]).toEqual([[{ googleSearch: {} }, { urlContext: {} }], []]);
  });

  it('is dropped for functions, and reported', () => {
    const { body, dropped } = sent({ web_search_options: {}, tools: [boil] });
    expect([body.tools, dropped]).toEqual([[{ functionDeclarations: [{ name: 'boil' }] }], ['web_search_options']]);
  });

  it('is enabled beside functions that must not be called', () => {
    expect(sent({ web_search_options: {}, tools: [boil], tool_choice: 'none' }).body.tools).toEqual([
      { googleSearch: {} },
    ]);
  });

  it('is combined with JSON requested in the prompt when the model cannot do both', () => {
    const format = {
      type: 'json_schema',
      json_schema: { name: 'a', schema: { type: 'object', properties: {} } },
    };
    const { body } = sent({ web_search_options: {}, response_format: format, messages });
    expect(body.generationConfig).toBeUndefined();
    expect(body.systemInstruction?.parts[0]?.text).toContain('JSON Schema');
    const newer = sent({ model: 'gemini-3.5-flash', web_search_options: {}, response_format: format });
    expect(newer.body.generationConfig).toMatchObject({ responseMimeType: 'application/json' });
  });
});
