import { describe, expect, it } from 'vitest';
import { withSignature } from '../../../../../proxy/chat/call-ids.ts';
import { parseBaseUrl } from '../../../../../proxy/providers/provider.ts';
import { buildSearchRequest } from '../../../../../proxy/providers/search-provider/request.ts';
import { callOf, messages, refusal, sent } from './ask.ts';

const boil = { type: 'function', function: { name: 'boil', parameters: { type: 'object' } } };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'boil', arguments: '{}' } })),
});
const result = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content });
const user = (content: unknown) => ({ role: 'user', content });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const png = 'iVBORw0KGgoAAAAA';

describe('the request to the vendor', () => {
  it('goes to the model’s method below the base URL, the key in its own header', () => {
    const call = callOf();
    const target = { ...call.target, baseUrl: parseBaseUrl('https://example.com/base/') };
    expect(buildSearchRequest({ ...call, target })).toMatchObject({
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

  it('of a stream asks for events', () => {
    const { path, headers } = sent({ stream: true });
    expect(path).toMatch(/:streamGenerateContent\?alt=sse$/);
    expect(headers).toContain('text/event-stream');
  });

  it.each([
    ['models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['a:b', 'a%3Ab'],
    ['a/b@c+d', 'a/b%40c%2Bd'],
  ])('has the name of the model in its path, encoded: %s', (model, name) => {
    expect(sent({ model }).path).toBe(`/v1beta/models/${name}:generateContent`);
  });

  it('holds nothing that was not asked for', () => {
    expect(Object.keys(sent().body)).toEqual(['contents']);
  });

  it('leaves the caller’s body as it was', () => {
    const call = callOf({ tools: [{ googleSearch: {} }], response_format: { type: 'json_object' } });
    const before = structuredClone(call.request.body);
    expect(buildSearchRequest(call)).toHaveProperty('body');
    expect(call.request.body).toEqual(before);
  });
});

describe('the conversation', () => {
  it('trap 10: N calls get N results in one content, names looked up, in the calls’ order', () => {
    const { contents } = sent({
      tools: [boil],
      messages: [user('Boil.'), calls('a', 'b'), result('b', 'second'), result('a', 'first'), user('And?')],
    }).body;
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user']);
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { id: 'a', name: 'boil', response: { output: 'first' } } },
      { functionResponse: { id: 'b', name: 'boil', response: { output: 'second' } } },
    ]);
  });

  it('trap 11: a signature that rode on an id goes back to where it came from', () => {
    const id = withSignature('fc-1', 'c2ln');
    const { contents } = sent({
      model: 'gemini-3-flash-preview',
      tools: [boil],
      messages: [user('Boil.'), calls(id, 'fc-2'), result(id), result('fc-2')],
    }).body;
    expect(contents[1]?.parts).toEqual([
      { functionCall: { id: 'fc-1', name: 'boil', args: {} }, thoughtSignature: 'c2ln' },
      { functionCall: { id: 'fc-2', name: 'boil', args: {} } },
    ]);
    expect(contents[2]?.parts[0]).toMatchObject({ functionResponse: { id: 'fc-1' } });
  });

  it.each([
    ['gemini-3-flash-preview', 'skip_thought_signature_validator'],
    ['gemini-4-unheard-of', 'skip_thought_signature_validator'],
    ['gemini-2.5-flash', undefined],
  ])('trap 11: a lost signature is made good where the model wants one: %s', (model, signature) => {
    const body = {
      model,
      tools: [boil],
      messages: [user('Boil.'), calls('a', 'b'), result('a'), result('b')],
    };
    const [first, second] = sent(body).body.contents[1]?.parts ?? [];
    expect(first?.thoughtSignature).toBe(signature);
    expect(second?.thoughtSignature).toBeUndefined();
  });

  it('trap 14: system texts are gathered from wherever they stand', () => {
    const { systemInstruction, contents } = sent({
      messages: [
        user('One'),
        { role: 'system', content: 'A' },
        { role: 'developer', content: [{ type: 'text', text: 'B' }] },
        user('Two'),
      ],
    }).body;
    expect(systemInstruction).toEqual({ parts: [{ text: 'A' }, { text: 'B' }] });
    expect(contents).toEqual([{ role: 'user', parts: [{ text: 'One' }, { text: 'Two' }] }]);
  });

  it.each([
    ['no content beside calls', [user('x'), calls('a'), result('a')], 1, ['functionCall']],
    [
      'empty content beside calls',
      [user('x'), { ...calls('a'), content: '' }, result('a')],
      1,
      ['functionCall'],
    ],
    ['blank content of the user', [user(' \n')], 0, ['text']],
    ['empty content of the user', [user('')], 0, ['text']],
    ['an image alone', [user([image(`data:image/png;base64,${png}`)])], 0, ['inlineData']],
    [
      'an image beside an empty text',
      [user([{ type: 'text', text: '' }, image(`data:image/png;base64,${png}`)])],
      0,
      ['inlineData'],
    ],
  ] as const)('trap 15: %s', (_what, history, index, kinds) => {
    const parts = sent({ tools: [boil], messages: history }).body.contents[index]?.parts ?? [];
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(kinds);
    expect(parts.some((part) => part.text === '')).toBe(false);
  });

  it('trap 16: with tool_choice none the history keeps its calls', () => {
    const { body } = sent({
      tools: [boil],
      tool_choice: 'none',
      messages: [user('Boil.'), calls('a'), result('a'), user('Thanks.')],
    });
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'NONE' } });
    expect(body.contents[1]?.parts[0]).toHaveProperty('functionCall');
  });

  it.each(['', 'not JSON', '[1]', '"text"', 'null'])(
    'trap 17: arguments that are no object become an empty one: %s',
    (text) => {
      const called = { id: 'a', type: 'function', function: { name: 'boil', arguments: text } };
      const history = [user('x'), { role: 'assistant', tool_calls: [called] }, result('a')];
      expect(sent({ messages: history }).body.contents[1]?.parts[0]).toMatchObject({
        functionCall: { args: {} },
      });
    },
  );

  it.each([
    [
      'an image that was not fetched',
      [user([image('https://example.com/a.png')])],
      'invalid_request',
      'messages[0].content[0].image_url.url',
    ],
    [
      'a GIF',
      [user([image('data:image/png;base64,R0lGODlhAQAB')])],
      'unsupported_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      'a picture of no known kind',
      [user([image('data:image/tiff;base64,AAAA')])],
      'unsupported_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      'sound of no known kind',
      [user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'midi' } }])],
      'unsupported_parameter',
      'messages[0].content[0].input_audio.format',
    ],
    [
      'a file of the GPT vendor',
      [user([{ type: 'file', file: { file_id: 'file-abc' } }])],
      'unsupported_parameter',
      'messages[0].content[0].file.file_id',
    ],
    [
      'a file anywhere in the web',
      [user([{ type: 'file', file: { file_id: 'https://example.com/a.pdf' } }])],
      'unsupported_parameter',
      'messages[0].content[0].file.file_id',
    ],
    [
      'a spreadsheet',
      [user([{ type: 'file', file: { file_data: 'data:application/vnd.ms-excel;base64,AAAA' } }])],
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    ['a result without its call', [user('x'), result('a')], 'invalid_request', 'messages[1].tool_call_id'],
    ['a call without its result', [user('x'), calls('a'), user('y')], 'invalid_request', 'messages[2]'],
  ])('is refused: %s', (_what, history, code, param) => {
    expect(refusal({ messages: history })).toEqual({ code, param });
  });

  it('takes fetched images by what their bytes say', () => {
    const url = 'https://example.com/a.gif';
    const { contents } = sent(
      { messages: [user([image(url)])] },
      { [url]: { mediaType: 'image/gif', base64: png } },
    ).body;
    expect(contents[0]?.parts).toEqual([{ inlineData: { mimeType: 'image/png', data: png } }]);
  });
});

describe('fields of the request', () => {
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
    ['cached_content', { cached_content: 1 }, 'invalid_request'],
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
    ['n', 'several answers', { n: 3 }, { candidateCount: 3 }],
    [
      'modalities',
      'text and images',
      { modalities: ['text', 'image'] },
      { responseModalities: ['TEXT', 'IMAGE'] },
    ],
  ])('%s: %s', (_field, _what, body, config) => {
    expect(sent(body).body.generationConfig).toEqual(config);
  });

  it.each([
    ['default', undefined],
    ['auto', undefined],
    ['flex', 'flex'],
    ['priority', 'priority'],
  ])('service tier %s', (tier, expected) => {
    const { body, dropped } = sent({ service_tier: tier });
    expect([body.serviceTier, dropped]).toEqual([expected, []]);
  });

  it('null is the same as absent', () => {
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

  it('the vendor’s own spelling of its fields is taken too', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }];
    const { body, dropped } = sent({ safetySettings, cachedContent: 'cachedContents/a' });
    expect(body).toMatchObject({ safetySettings, cachedContent: 'cachedContents/a' });
    expect(dropped).toEqual([]);
  });
});

describe('reasoning', () => {
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
    ['gemini-9-unheard-of', 'xhigh', { thinkingLevel: 'high', includeThoughts: true }],
  ])('%s with effort %s', (model, effort, expected) => {
    expect(config({ model, reasoning_effort: effort })).toEqual(expected);
  });

  it.each([
    [
      'gemini-2.5-flash',
      { type: 'enabled', budget_tokens: 500 },
      { thinkingBudget: 500, includeThoughts: true },
    ],
    ['gemini-2.5-flash', { type: 'adaptive' }, { thinkingBudget: -1, includeThoughts: true }],
    ['gemini-2.5-flash', { type: 'disabled' }, { thinkingBudget: 0 }],
    [
      'gemini-3.5-flash',
      { type: 'enabled', budget_tokens: 500 },
      { thinkingBudget: 500, includeThoughts: true },
    ],
    ['gemini-3.5-flash', { type: 'adaptive' }, { includeThoughts: true }],
  ])('%s with thinking %j', (model, thinking, expected) => {
    expect(config({ model, thinking })).toEqual(expected);
  });

  it.each([
    ['gemini-2.0-flash', { reasoning_effort: 'low' }, ['reasoning_effort']],
    ['gemini-2.0-flash', { reasoning_effort: 'none' }, []],
    ['gemma-3-27b-it', { thinking: { type: 'adaptive' } }, ['thinking']],
    ['gemini-2.0-flash', { thinking: { type: 'disabled' } }, []],
    ['gemini-2.5-flash', { reasoning_effort: 'low', thinking: { type: 'disabled' } }, ['thinking']],
  ])('of a model that does not do it is dropped and named: %s, %j', (model, body, dropped) => {
    expect(sent({ model, ...body }).dropped).toEqual(dropped);
  });

  it('is left to the model where nobody asks', () => {
    expect(sent({ model: 'gemini-3.5-flash' }).body.generationConfig).toBeUndefined();
  });
});

describe('search by the vendor', () => {
  it('is done for web_search_options, once', () => {
    const { body, dropped } = sent({
      web_search_options: {},
      tools: [{ google_search: {} }, { url_context: {} }],
    });
    expect([body.tools, dropped]).toEqual([[{ googleSearch: {} }, { urlContext: {} }], []]);
  });

  it('gives way to functions, and is named', () => {
    const { body, dropped } = sent({ web_search_options: {}, tools: [boil] });
    expect([body.tools, dropped]).toEqual([
      [{ functionDeclarations: [{ name: 'boil' }] }],
      ['web_search_options'],
    ]);
  });

  it('is done beside functions that must not be called', () => {
    expect(sent({ web_search_options: {}, tools: [boil], tool_choice: 'none' }).body.tools).toEqual([
      { googleSearch: {} },
    ]);
  });

  it('asks for JSON in words where the model cannot have both', () => {
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
