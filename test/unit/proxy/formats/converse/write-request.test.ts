import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../../common/secret.ts';
import { parseBaseUrl } from '../../../../../proxy/formats/format.ts';
import { build, dropped, models, sent } from './ask.ts';

const user = (content: unknown) => ({ role: 'user', content });
const boil = {
  type: 'function',
  function: { name: 'boil', parameters: { type: 'object', properties: { cups: { type: 'integer' } } } },
};
const called = (id: string, args = '{}') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'boil', arguments: args } }],
});
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });

describe('the credential of a request to the managed cloud service', () => {
  const refusal = expect.objectContaining({ code: 'no_healthy_target' });

  it('an access key pair signs for the target’s region, or for the region in the host name', async () => {
    const scopeOf = async (region: string | undefined, url: string) => {
      const request = await build({}, { region, baseUrl: parseBaseUrl(url) });
      return /Credential=[^/]+\/\d+\/([^/]+\/[^/]+)/.exec(request.headers.join(' '))?.[1];
    };
    const url = 'https://bedrock-runtime.us-east-1.amazonaws.com';
    expect(await scopeOf('eu-west-1', url)).toBe('eu-west-1/bedrock');
    expect(await scopeOf(undefined, url)).toBe('us-east-1/bedrock');
    expect(() => build({}, { region: undefined, baseUrl: parseBaseUrl('https://models.example.com') })).toThrow(
      refusal,
    );
  });

  it('an API key is sent as a bearer token, without a promise', () => {
    const request = build({}, { credential: { apiKey: new Secret('ABSKnot-a-secret') }, region: undefined });
    expect(request).not.toBeInstanceOf(Promise);
    expect(request).toMatchObject({
      headers: [
        'authorization',
        'Bearer ABSKnot-a-secret',
        'content-type',
        'application/json',
        'accept',
        'application/json',
        'user-agent',
        'model-gateway',
      ],
    });
  });

  it.each([
    ['nothing', { apiKey: undefined }],
    ['half a pair', { apiKey: undefined, accessKeyId: new Secret('AKIDEXAMPLE') }],
  ])('a target with %s is refused', (_what, credential) => {
    expect(() => build({}, { credential })).toThrow(refusal);
  });
});

describe('the URL of a request to the managed cloud service', () => {
  it.each([
    [models.claude3, 'anthropic.claude-3-5-sonnet-20240620-v1%3A0'],
    [
      'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/ab12cd',
      'arn%3Aaws%3Abedrock%3Aus-east-1%3A111122223333%3Aapplication-inference-profile%2Fab12cd',
    ],
    ['a@b+c', 'a%40b%2Bc'],
  ])('trap 25: contains the model as one encoded segment: %s', async (model, segment) => {
    expect((await build({ model })).path).toBe(`/model/${segment}/converse`);
    expect((await build({ model, stream: true })).path).toBe(`/model/${segment}/converse-stream`);
  });

  it('begins with the path of the base URL', async () => {
    const request = await build({}, { baseUrl: parseBaseUrl('https://models.example.com/cloud/') });
    expect(request).toMatchObject({
      origin: 'https://models.example.com',
      path: expect.stringMatching(/^\/cloud\/model\//),
    });
  });
});

describe('the messages of a request to the managed cloud service', () => {
  it('trap 13: have results before text, in one turn if the model family allows that', async () => {
    const messages = [user('x'), called('a'), result('a'), user('and now?')];
    const results = { toolResult: { toolUseId: 'a', content: [{ text: 'ok' }] } };
    expect((await sent({ messages, tools: [boil] })).messages).toMatchObject([
      {},
      {},
      { role: 'user', content: [results, { text: 'and now?' }] },
    ]);
    expect((await sent({ model: models.nova, messages, tools: [boil] })).messages).toMatchObject([
      {},
      {},
      { role: 'user', content: [results] },
      { role: 'assistant', content: [{ text: '.' }] },
      { role: 'user', content: [{ text: 'and now?' }] },
    ]);
  });

  it('trap 14: have later system and developer texts as notes at the same position', async () => {
    const note = (text: string) => ({ text: `<system_message>\n${text}\n</system_message>` });
    const messages = [user('a'), { role: 'system', content: 'b' }, user('c'), { role: 'developer', content: 'd' }];
    expect(await sent({ messages })).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'a' }, note('b'), { text: 'c' }, note('d')] }],
    });
  });

  it.each([
    ['blank text of a user', [user(' \n')], [{ text: '.' }]],
    ['no parts at all', [user([])], [{ text: '.' }]],
    ['null beside calls', [user('x'), called('a'), result('a')], [{ text: 'x' }]],
    [
      'a blank text beside a word',
      [
        user([
          { type: 'text', text: '' },
          { type: 'text', text: 'x' },
        ]),
      ],
      [{ text: 'x' }],
    ],
    [
      'a document without words',
      [user([{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' } }])],
      [{ document: { format: 'pdf', name: 'a', source: { bytes: 'QQ==' } } }, { text: '.' }],
    ],
  ])('trap 15: contain no empty text for %s', async (_what, messages, expected) => {
    const body = await sent({ messages, tools: [boil] });
    expect(body.messages).toMatchObject([{ role: 'user', content: expected }, ...Array(messages.length - 1).fill({})]);
  });

  it.each([
    ['""', {}],
    ['not JSON', {}],
    ['[1]', {}],
    ['{"cups":2}', { cups: 2 }],
  ])('trap 17: have a call’s input as an object for the arguments %s', async (args, input) => {
    const body = await sent({ messages: [user('x'), called('a', args), result('a')], tools: [boil] });
    expect(body.messages).toMatchObject([{}, { content: [{ toolUse: { input } }] }, {}]);
  });

  it('omit an assistant message that only has thinking', async () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }];
    const messages = [user('x'), { role: 'assistant', content: '', thinking_blocks }, user('y')];
    expect((await sent({ messages })).messages).toEqual([{ role: 'user', content: [{ text: 'x' }, { text: 'y' }] }]);
  });

  it('have a call id without the signature of another vendor', async () => {
    const id = `call_1__sig_${Buffer.from('sig').toString('base64url')}`;
    const body = await sent({ messages: [user('x'), called(id), result(id)], tools: [boil] });
    expect(JSON.stringify(body.messages)).toContain('"toolUseId":"call_1"');
    expect(JSON.stringify(body.messages)).not.toContain('__sig_');
  });

  it('have nine-letter ids that are equal on call and result and differ between calls', async () => {
    const ids = ['call_a', 'call_b', 'call_a '];
    const calls = { ...called(''), tool_calls: ids.map((id) => ({ ...called(id).tool_calls[0] })) };
    const body = await sent({
      model: models.mistral,
      messages: [user('x'), calls, ...ids.map((id) => result(id))],
      tools: [boil],
    });
    const parsed = JSON.stringify(body.messages).matchAll(/"toolUseId":"([^"]*)"/g);
    const written = Array.from(parsed, ([, id = '']) => id);
    expect(written.slice(0, 3)).toEqual(written.slice(3));
    expect(new Set(written).size).toBe(3);
    expect(written.every((id) => /^[A-Za-z0-9]{9}$/.test(id))).toBe(true);
  });

  it.each([
    [
      'an image that was not fetched',
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      'invalid_request',
      'messages[0].content[0].image_url.url',
    ],
    [
      'an image that is none',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
      'invalid_request',
      'messages[0].content[0].image_url.url',
    ],
    [
      'a file by id',
      { type: 'file', file: { file_id: 'file-1' } },
      'unsupported_parameter',
      'messages[0].content[0].file.file_id',
    ],
    [
      'a file of a strange type',
      { type: 'file', file: { file_data: 'data:application/zip;base64,QQ==' } },
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      'a sound of a strange format',
      { type: 'input_audio', input_audio: { format: 'midi', data: 'QQ==' } },
      'unsupported_parameter',
      'messages[0].content[0].input_audio.format',
    ],
  ])('are refused with the name of the field for %s', (_what, part, code, param) => {
    expect(() => build({ messages: [user([part])] })).toThrow(expect.objectContaining({ code, param }));
  });

  it('contain sound', async () => {
    const part = { type: 'input_audio', input_audio: { format: 'wav', data: 'QQ==' } };
    const audio = { format: 'wav', source: { bytes: 'QQ==' } };
    expect((await sent({ messages: [user([part])] })).messages).toMatchObject([{ content: [{ audio }] }]);
  });
});

describe('tools of a request to the managed cloud service', () => {
  const messages = [user('x'), called('a'), result('a')];

  it('trap 16: are sent for a history with calls, even if none may be called', async () => {
    const requested = { messages, tools: [boil], tool_choice: 'none' };
    const own = { tool_choice: { type: 'none' } };
    expect(await sent(requested)).toMatchObject({
      toolConfig: { tools: [{}] },
      additionalModelRequestFields: own,
    });
    const elsewhere = await sent({ ...requested, model: models.nova });
    expect(elsewhere).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: 'boil' } }] } });
    expect(elsewhere.additionalModelRequestFields).toBeUndefined();
    // Only Claude has a choice that forbids calls.
    expect(await dropped({ ...requested, model: models.nova })).toEqual(['tool_choice']);
    expect(await dropped(requested)).toEqual([]);
    expect((await sent({ tools: [boil], tool_choice: 'none' })).toolConfig).toBeUndefined();
  });

  it('name the keywords of a schema that a family of bare schemas does not get', async () => {
    const toolOf = (keywords: object) => {
      const parameters = { type: 'object', properties: { cups: { type: 'integer' } }, ...keywords };
      return { type: 'function', function: { name: 'boil', parameters } };
    };
    const formOf = (keywords: object) => {
      const { parameters: schema } = toolOf(keywords).function;
      return { type: 'json_schema', json_schema: { name: 'x', schema } };
    };
    const lost = { description: 'Both matter.' };
    const idle = { title: 'T', $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false };
    const model = models.nova;
    expect(await dropped({ model, tools: [toolOf(lost)] })).toEqual(['tools.parameters']);
    expect(await dropped({ model, response_format: formOf(lost) })).toEqual(['response_format.schema']);
    expect(await dropped({ model, tools: [toolOf(idle)], response_format: formOf(idle) })).toEqual([]);
    expect(await dropped({ model: models.claude45, tools: [toolOf(lost)] })).toEqual([]);
  });

  it('trap 16: cannot be forced on a model that reasons', async () => {
    const requested = { tools: [boil], tool_choice: 'required', reasoning_effort: 'low' };
    const body = await sent(requested);
    expect(body.toolConfig).not.toHaveProperty('toolChoice');
    expect(await dropped(requested)).toEqual(['tool_choice']);
  });

  it('are generated from the history when it has calls and the request has no tools', async () => {
    expect((await sent({ messages })).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'boil', inputSchema: { json: { type: 'object', properties: {} } } } }],
    });
  });

  it.each([
    ['custom tools', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'unsupported_parameter', 'tools[0]'],
    [
      'a choice of no tool',
      { tools: [boil], tool_choice: { type: 'function', function: { name: 'stir' } } },
      'invalid_request',
      'tool_choice',
    ],
    ['tools that are no list', { tools: {} }, 'invalid_request', 'tools'],
    [
      'a schema that grows without end',
      {
        model: models.nova,
        tools: [
          {
            type: 'function',
            function: {
              name: 'x',
              parameters: {
                $ref: '#/$defs/d0',
                $defs: Object.fromEntries(
                  Array.from({ length: 40 }, (_, at) => [
                    `d${at}`,
                    { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
                  ]),
                ),
              },
            },
          },
        ],
      },
      'invalid_request',
      'tools',
    ],
  ])('are refused: %s', (_what, body, code, param) => {
    expect(() => build(body)).toThrow(expect.objectContaining({ code, param }));
  });
});

describe('options of a request to the managed cloud service', () => {
  it.each([
    ['trap 21: a temperature above what the vendor takes is its highest', { temperature: 1.7 }, { temperature: 1 }],
    ['trap 21: either limit of the output', { max_completion_tokens: 7 }, { maxTokens: 7 }],
    ['trap 21: the older limit of the output', { max_tokens: 7 }, { maxTokens: 7 }],
    ['a limit above the model’s own is the model’s own', { max_tokens: 1_000_000 }, { maxTokens: 64_000 }],
    ['one stop as a text', { stop: 'END' }, { stopSequences: ['END'] }],
    ['no blank stops', { stop: ['END', ' ', ''] }, { stopSequences: ['END'] }],
    ['one of two ways to sample', { temperature: 0.3, top_p: 0.5 }, { temperature: 0.3 }],
    ['the other way alone', { top_p: 0.5 }, { topP: 0.5 }],
  ])('are mapped: %s', async (_what, options, expected) => {
    const { maxTokens: _, ...config } = { maxTokens: 8192, ...expected };
    expect((await sent(options)).inferenceConfig).toEqual({ maxTokens: 8192, ...config, ...expected });
  });

  it('trap 21: include a chosen output limit, which is reported, for models that would reserve very much', async () => {
    expect(await build({})).toMatchObject({ maxTokens: 8192 });
    expect((await build({ max_tokens: 5 })).maxTokens).toBeUndefined();
    expect((await build({ model: models.nova })).maxTokens).toBeUndefined();
  });

  it('trap 26: include metadata that the vendor’s log accepts; other metadata is reported as dropped', async () => {
    expect((await sent({ metadata: { team: 'tea' } })).requestMetadata).toEqual({ team: 'tea' });
    for (const metadata of [
      { team: 'ä' },
      { '': 'x' },
      { team: 7 },
      Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])),
    ]) {
      expect((await sent({ metadata })).requestMetadata).toBeUndefined();
      expect(await dropped({ metadata })).toEqual(['metadata']);
    }
  });

  it('are reported once when they are dropped', async () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const requested = { model: models.nova, response_format, thinking, reasoning_effort: 'low' };
    expect(await dropped(requested)).toEqual(['thinking', 'reasoning_effort']);
  });

  it.each([
    ['n', 2],
    ['logprobs', true],
    ['modalities', ['audio']],
    ['audio', { voice: 'x' }],
  ])('are refused when %s would let the response be misread', (name, value) => {
    expect(() => build({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: name }),
    );
  });

  it.each([
    ['temperature', 'warm'],
    ['temperature', 3],
    ['top_p', -1],
    ['top_k', 1.5],
    ['max_tokens', 0],
    ['max_completion_tokens', '7'],
    ['stop', [1]],
    ['reasoning_effort', 'huge'],
    ['thinking', true],
    ['response_format', 'json'],
    ['parallel_tool_calls', 'no'],
    ['service_tier', 7],
    ['metadata', 'x'],
    ['guardrailConfig', []],
  ])('are refused when %s is malformed: %j', (name, value) => {
    const refusal = expect.objectContaining({
      code: 'invalid_request',
      param: expect.stringMatching(new RegExp(`^${name}`)),
    });
    expect(() => build({ tools: [boil], [name]: value }, { providerKeyId: undefined })).toThrow(refusal);
  });

  it('are refused when a field of guardrailConfig is not text', () => {
    const refusal = expect.objectContaining({ code: 'invalid_request', param: 'guardrailConfig.trace' });
    expect(() => build({ guardrailConfig: { trace: true } }, { providerKeyId: undefined })).toThrow(refusal);
  });

  it.each([
    ['claude45', 'low', { thinking: { type: 'enabled', budget_tokens: 3276 } }],
    ['claude45', 'none', undefined],
    [
      'claude46',
      'minimal',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    ['claude46', 'max', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } }],
    ['gptOss', 'xhigh', { reasoning_effort: 'high' }],
    ['llama', 'high', undefined],
  ] as const)('set the reasoning of %s for the effort %s', async (model, effort, fields) => {
    const body = await sent({ model: models[model], reasoning_effort: effort });
    expect(body.additionalModelRequestFields).toEqual(fields);
  });

  it('lose an effort, but not none, for a model that cannot reason', async () => {
    const lost = (reasoning_effort: string) => dropped({ model: models.llama, reasoning_effort });
    expect([await lost('high'), await lost('none')]).toEqual([['reasoning_effort'], []]);
  });
});
