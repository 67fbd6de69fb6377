import { describe, expect, it } from 'vitest';
import { withSignature } from '../../../../../../proxy/conversation/call-ids.ts';
import { messages, refusal, sent, urls } from './ask.ts';

const call = (id: string, name = 'boil', args = '{"cups":2}') => ({
  ...{ id, type: 'function', function: { name, arguments: args } },
});
const boil = { type: 'function', function: { name: 'boil', parameters: { type: 'object' } } };
const stir = { type: 'function', function: { name: 'stir', parameters: { type: 'object' } } };
const schema = { type: 'object', properties: { cups: { type: 'integer' } } };
const jsonSchema = { type: 'json_schema', json_schema: { name: 'order', schema } };
const conversation = (list: readonly object[], model = 'Llama-3.3-70B-Instruct') =>
  sent({ model, messages: list }).body.messages;

describe('the inference API', () => {
  it.each<[string, object, object]>([
    ['a stop that is one', { stop: 'x' }, { stop: ['x'] }],
    ['no stop for none', { stop: [] }, {}],
    ['no nulls', { stop: null, temperature: null, user: null, tools: null, seed: null }, {}],
    ['trap 21: a temperature up to 1', { temperature: 1.7 }, { temperature: 1 }],
    ['trap 21: the older field for the output limit', { max_completion_tokens: 9 }, { max_tokens: 9 }],
    ['trap 21: one output limit of two', { max_completion_tokens: 9, max_tokens: 5 }, { max_tokens: 9 }],
    ['no stream when none is requested', { stream: false }, {}],
    ['no response format for text', { response_format: { type: 'text' } }, {}],
    ['JSON by its mode', { response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    ['JSON by a schema', { response_format: jsonSchema }, { response_format: jsonSchema }],
    ['no choice without tools', { tools: [], tool_choice: 'auto' }, {}],
    ['tools', { tools: [boil], tool_choice: 'required' }, { tools: [boil], tool_choice: 'required' }],
    [
      'only the allowed tools',
      {
        tools: [boil, stir],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'stir' } }] },
        },
      },
      { tools: [stir], tool_choice: 'auto' },
    ],
    [
      'functions as tools',
      { functions: [boil.function], function_call: { name: 'boil' } },
      { tools: [boil], tool_choice: { type: 'function', function: { name: 'boil' } } },
    ],
  ])('gets %s, without its header for further fields', (_what, fields, expected) => {
    const { body, headers, dropped } = sent(fields);
    expect(body).toEqual({ model: 'gpt-4o', messages, ...expected });
    expect([headers['extra-parameters'], dropped]).toEqual([undefined, []]);
  });

  it.each<[string, object, object]>([
    ['the usage of a stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
    [
      'the newer output limit of models that know no other',
      { model: 'gpt-5', max_tokens: 9 },
      { max_completion_tokens: 9 },
    ],
    [
      'what only GPT models take',
      { store: true, metadata: { a: 'b' }, verbosity: 'low' },
      { store: true, metadata: { a: 'b' }, verbosity: 'low' },
    ],
    ['several choices', { n: 2 }, { n: 2 }],
    [
      'an effort, to makes that take it',
      { model: 'grok-3-mini', reasoning_effort: 'low' },
      { reasoning_effort: 'low' },
    ],
    [
      'a field that clients of the format do not send unasked',
      { model: 'Llama-3.3-70B-Instruct', top_k: 3 },
      { top_k: 3 },
    ],
  ])('gets %s with its header for further fields', (_what, fields, expected) => {
    const { body, headers } = sent(fields);
    expect(body).toMatchObject(expected);
    expect(headers['extra-parameters']).toBe('pass-through');
  });

  it('gets no request for usage for a family that reports it anyway and refuses the field', () => {
    const { body, headers } = sent({ model: 'Mistral-Large-3', stream: true });
    expect([body.stream_options, headers['extra-parameters']]).toEqual([undefined, undefined]);
  });

  it.each<[string, object, readonly string[]]>([
    ['gpt-4o', { metadata: { a: 'b' }, web_search_options: {} }, ['metadata', 'web_search_options']],
    ['Phi-4', { verbosity: 'low', store: true, reasoning_effort: 'low' }, ['verbosity', 'store', 'reasoning_effort']],
    ['Mistral-Large-3', { user: 'u', logit_bias: {}, seed: 1 }, ['user', 'logit_bias']],
    ['claude-opus-5', { temperature: 0.5, top_p: 0.5 }, ['temperature', 'top_p']],
  ])('%s gets no fields that it does not accept: %j', (model, fields, dropped) => {
    const parsed = sent({ model, ...fields });
    expect(parsed.dropped).toEqual(dropped);
    for (const name of dropped) expect(parsed.body).not.toHaveProperty(name);
  });

  it.each<[object, string, string]>([
    [{ tools: [{ type: 'custom', custom: { name: 'free' } }] }, 'unsupported_parameter', 'tools[0]'],
    [{ model: 'Mistral-Large-3', logprobs: true }, 'unsupported_parameter', 'logprobs'],
    [{ model: 'Phi-4', audio: { voice: 'v' } }, 'unsupported_parameter', 'audio'],
    [
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
      'unsupported_parameter',
      'messages[0].content[0].file.file_id',
    ],
    [{ temperature: 'hot' }, 'invalid_request', 'temperature'],
    [{ seed: 0.5 }, 'invalid_request', 'seed'],
    [{ max_tokens: 0 }, 'invalid_request', 'max_tokens'],
    [{ stop: [1] }, 'invalid_request', 'stop'],
    [{ messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }, 'invalid_request', 'messages[0].tool_call_id'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }] },
      'invalid_request',
      'messages[0].content[0].image_url.url',
    ],
  ])('%j is refused', (fields, code, param) => {
    expect(refusal(fields)).toEqual({ code, param });
  });

  it('gets JSON requested in the prompt when a model has no mode for it', () => {
    const words = (model: string, response_format: object) => {
      const { body } = sent({ model, response_format });
      const [first] = body.messages as readonly { role: string; content: string }[];
      return [first?.role, first?.content.includes('cups'), body.response_format];
    };
    expect(words('DeepSeek-R1', jsonSchema)).toEqual(['system', true, undefined]);
    expect(words('DeepSeek-R1', { type: 'json_object' })).toEqual(['system', false, undefined]);
    expect(words('Phi-4', jsonSchema)).toEqual(['system', true, { type: 'json_object' }]);
    expect(words('Phi-4', { type: 'json_object' })).toEqual(['user', false, { type: 'json_object' }]);
  });
});

describe('messages in plain texts', () => {
  it('trap 14: contain later system and developer texts as notes at the same position', () => {
    expect(
      conversation([
        { role: 'user', content: 'One' },
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Two' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be kind.' },
            { type: 'text', text: ' ' },
          ],
        },
      ]),
    ).toEqual([
      {
        role: 'user',
        content: [
          'One',
          '<system_message>\nBe brief.\n</system_message>',
          'Two',
          '<system_message>\nBe kind.\n</system_message>',
        ].join('\n'),
      },
    ]);
  });

  it('trap 15: have a text for null, blank or multi-part content, and no other fields', () => {
    expect(
      conversation([
        { role: 'assistant', content: 'Welcome.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: '' },
            { type: 'text', text: 'b' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: 'No.',
          annotations: [{}],
          reasoning_content: 'Hm.',
          name: 'x',
        },
        { role: 'user', content: ' ' },
        { role: 'assistant', content: null, tool_calls: [call('c1')] },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [
            { type: 'text', text: 'x' },
            { type: 'text', text: 'y' },
          ],
        },
      ]),
    ).toEqual([
      { role: 'user', content: '.' },
      { role: 'assistant', content: 'Welcome.' },
      { role: 'user', content: 'a\nb' },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: ' ' },
      { role: 'assistant', content: '', tool_calls: [call('c1')] },
      { role: 'tool', tool_call_id: 'c1', content: 'x\ny' },
    ]);
  });

  it('trap 17: have arguments as written, or an empty object when they are no JSON object', () => {
    const args = ['', 'no JSON', '[1]', '{"a": 1}'];
    const calls = args.map((text, index) => call(`c${index}`, 'boil', text));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '' }));
    const parsed = conversation([...messages, { role: 'assistant', content: '', tool_calls: calls }, ...results]);
    expect(parsed).toMatchObject([
      {},
      { tool_calls: ['{}', '{}', '{}', '{"a": 1}'].map((text) => ({ function: { arguments: text } })) },
      ...results,
    ]);
  });

  it('have unique nine-letter ids for the family that needs them, the same on call and result', () => {
    const signed = withSignature('call_of_another', 'c2ln');
    const parsed = conversation(
      [
        ...messages,
        { role: 'assistant', content: '', tool_calls: [call(signed), call('toolu_01'), call('a1B2c3D4e')] },
        { role: 'tool', tool_call_id: 'toolu_01', content: 'two' },
        { role: 'tool', tool_call_id: 'a1B2c3D4e', content: 'three' },
        { role: 'tool', tool_call_id: signed, content: 'one' },
      ],
      'Mistral-Large-3',
    ) as readonly { tool_calls?: readonly { id: string }[]; tool_call_id?: string; content: string }[];
    const ids = parsed[1]?.tool_calls?.map(({ id }) => id) ?? [];
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect([new Set(ids).size, ids[2]]).toEqual([3, 'a1B2c3D4e']);
    expect(parsed.slice(2).map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      [ids[0], 'one'],
      [ids[1], 'two'],
      [ids[2], 'three'],
    ]);
  });

  it('get an assistant turn between results and user, and a user turn at the end, for the family that needs it', () => {
    const history = [
      ...messages,
      { role: 'assistant', content: '', tool_calls: [call('c1')] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
      ...messages,
      { role: 'assistant', content: 'It is' },
    ];
    const roles = (model: string) => (conversation(history, model) as { role: string }[]).map(({ role }) => role);
    expect(roles('ministral-3b')).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user']);
    expect(roles('Llama-3.3-70B-Instruct')).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
  });

  it('have the type of an image by its bytes', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const parsed = conversation([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${png}` } },
          { type: 'image_url', image_url: { url: 'https://images.example/a.png', detail: 'low' } },
        ],
      },
    ]);
    expect(parsed).toMatchObject([
      {
        content: [
          { image_url: { url: `data:image/png;base64,${png}` } },
          { image_url: { url: 'https://images.example/a.png', detail: 'low' } },
        ],
      },
    ]);
  });
});

describe.each([urls.undated, urls.dated])('the API at %s', (baseUrl) => {
  it('gets the caller’s body unchanged', () => {
    const fields = { stop: 'x', temperature: 1.7, n: 2, user: 'u', made_up: 1, functions: [boil.function] };
    const list = [{ role: 'developer', content: [{ type: 'text', text: 'x' }] }, ...messages];
    const parsed = sent({ ...fields, messages: list }, { baseUrl });
    expect(parsed.body).toEqual({ model: 'gpt-4o', messages: list, ...fields });
    expect([parsed.headers['extra-parameters'], parsed.dropped]).toEqual([undefined, []]);
  });

  it('trap 26: gets no metadata without store', () => {
    const parsed = sent({ metadata: { a: 'b' } }, { baseUrl });
    expect([parsed.body.metadata, parsed.dropped]).toEqual([undefined, ['metadata']]);
  });

  it('trap 21: gets the output limit in the field that the model supports', () => {
    expect(sent({ model: 'o4-mini', max_tokens: 9 }, { baseUrl }).body).toMatchObject({
      max_completion_tokens: 9,
    });
    expect(sent({ max_tokens: 9 }, { baseUrl }).body).toMatchObject({ max_tokens: 9 });
  });

  it('gets alternating plain turns for model families that need them', () => {
    const list = [{ role: 'developer', content: 'Be brief.' }, ...messages, ...messages];
    expect(sent({ model: 'Llama-3.3-70B-Instruct', messages: list }, { baseUrl }).body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi\nHi' },
    ]);
  });
});
