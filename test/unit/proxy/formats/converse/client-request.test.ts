import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { clientFormats } from '../../../../../proxy/client-formats.ts';
import type { ClientTranslation } from '../../../../../proxy/formats/client-format.ts';
import { passConverseRequest } from '../../../../../proxy/formats/converse/pass-request.ts';
import { noOwnTools } from '../../../../../proxy/formats/own-tools.ts';

const path = { model: 'm', stream: false };

function clientsOf(format: 'converse' | 'invoke'): ClientTranslation {
  const { translation } = clientFormats[format];
  if (translation === undefined) throw new Error('the format is translated');
  return translation;
}
const converse = clientsOf('converse');

const hello = [{ role: 'user', content: [{ text: 'Hello' }] }] as const;
const read = (fields: JsonObject) => converse.readRequest({ messages: hello, ...fields }, path);
const chatOf = (fields: JsonObject) => read(fields).chat;
const contentOf = (...content: readonly JsonObject[]) => {
  const { chat, losses } = read({ messages: [{ role: 'user', content }] });
  return { messages: chat.messages as readonly JsonObject[], losses };
};
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a request of Converse as chat completions', () => {
  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 4096 } }, 'low'],
    [{ reasoning_config: { type: 'enabled', budget_tokens: 16_384 } }, 'medium'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, 'max'],
    [{ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }, 'high'],
    [{ reasoningConfig: { type: 'disabled' } }, 'none'],
    [{ reasoning_effort: 'low' }, 'low'],
    [{ thinking: { type: 'adaptive' } }, undefined],
  ])('has the effort of %j', (additionalModelRequestFields, effort) => {
    const { chat, losses } = read({ additionalModelRequestFields });
    expect(chat.reasoning_effort).toBe(effort);
    expect(losses.dropped).toEqual([]);
  });

  it.each([{ top_k: 5 }, { k: 5 }, { inferenceConfig: { topK: 5 } }])('has the top_k of %j', (additional) => {
    expect(chatOf({ additionalModelRequestFields: additional }).top_k).toBe(5);
  });

  it('names each field that it cannot express', () => {
    const { losses } = read({
      additionalModelRequestFields: { anthropic_beta: ['x'], top_k: 1 },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
      requestMetadata: { team: 'a' },
      serviceTier: { type: 'reserved' },
    });
    expect(losses.dropped).toEqual([
      ...['additionalModelResponseFieldPaths', 'requestMetadata'],
      ...['additionalModelRequestFields.anthropic_beta', 'serviceTier'],
    ]);
    expect(losses.refusal).toBeUndefined();
  });

  it.each([
    [{ auto: {} }, { tool_choice: 'auto' }],
    [{ any: {} }, { tool_choice: 'required' }],
    [{ tool: { name: 'f' } }, { tool_choice: { type: 'function', function: { name: 'f' } } }],
  ])('has the tool choice of %j', (toolChoice, choice) => {
    const tools = [{ toolSpec: { name: 'f', inputSchema: { json: {} }, strict: true } }];
    const chat = chatOf({ toolConfig: { tools, toolChoice } });
    expect(chat).toMatchObject({ tools: [{ function: { name: 'f', strict: true } }], ...choice });
  });

  it('has the choices that only Claude has', () => {
    const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: {} } } }] };
    const own = { tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
    expect(read({ toolConfig, additionalModelRequestFields: own }).chat.parallel_tool_calls).toBe(false);
    const none = { tool_choice: { type: 'none' } };
    expect(read({ toolConfig, additionalModelRequestFields: none }).chat.tool_choice).toBe('none');
  });

  it.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [
      { type: 'tool', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
  ])('has the choice that Claude’s own field %j makes', (own, choice) => {
    const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: {} } } }] };
    const tool_choice = { ...own, disable_parallel_tool_use: true };
    const { chat } = read({ toolConfig, additionalModelRequestFields: { tool_choice } });
    expect(chat).toMatchObject({ tool_choice: choice, parallel_tool_calls: false });
  });

  const parts: readonly (readonly [JsonObject, readonly JsonObject[]])[] = [
    [{ text: 'a' }, [{ type: 'text', text: 'a' }]],
    [
      { document: { format: 'md', name: 'Notes', source: { bytes: base64('# a') }, context: 'Old.' } },
      [
        { type: 'text', text: 'Old.' },
        { type: 'text', text: 'Notes\n# a' },
      ],
    ],
    [{ document: { format: 'txt', name: 'N', source: { text: 'a' } } }, [{ type: 'text', text: 'N\na' }]],
    [
      { document: { format: 'txt', name: 'N', source: { content: [{ text: 'a' }, { text: 'b' }] } } },
      [{ type: 'text', text: 'N\na\nb' }],
    ],
    [
      { document: { format: 'txt', name: 'N', source: { text: 'a' }, citations: { enabled: true } } },
      [
        {
          type: 'file',
          file: { file_data: `data:text/plain;base64,${base64('a')}`, filename: 'N' },
          citations: { enabled: true },
        },
      ],
    ],
    [
      { document: { format: 'pdf', name: 'N', source: { bytes: base64('%PDF-') } } },
      [{ type: 'file', file: { file_data: `data:application/pdf;base64,${base64('%PDF-')}`, filename: 'N' } }],
    ],
    [
      { video: { format: 'mov', source: { bytes: 'AAAA' } } },
      [{ type: 'video_url', video_url: { url: 'data:video/quicktime;base64,AAAA' } }],
    ],
    [
      { audio: { format: 'mp3', source: { bytes: 'AAAA' } } },
      [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }],
    ],
    [{ guardContent: { text: { text: 'a' } } }, [{ type: 'text', text: 'a' }]],
    [
      { guardContent: { image: { format: 'png', source: { bytes: 'AAAA' } } } },
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    ],
    [{ searchResult: { source: 's', title: 't', content: [{ text: 'c' }] } }, [{ type: 'text', text: 't\ns\nc' }]],
    [{ citationsContent: { content: [{ text: 'c' }], citations: [] } }, [{ type: 'text', text: 'c' }]],
  ];
  it.each(parts)('has the parts of %j', (block, content) => {
    const { messages, losses } = contentOf(block);
    expect(messages).toEqual([{ role: 'user', content }]);
    expect(losses).toMatchObject({ dropped: [], refusal: undefined });
  });

  it.each([
    ['image.source.s3Location', { image: { format: 'png', source: { s3Location: { uri: 's3://a/b' } } } }],
    ['toolAddition', { toolAddition: { tool: { name: 'f' } } }],
    ['later', { later: {} }],
  ])('is refused for %s', (field, block) => {
    expect(contentOf(block).losses.refusal).toMatchObject({
      code: 'unsupported_parameter',
      param: `messages[0].content[0].${field}`,
    });
  });

  it.each([
    ['messages', { messages: [] }],
    ['messages[0].role', { messages: [{ role: 'tool', content: [] }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['messages[0].content[0].text', { messages: [{ role: 'user', content: [{ text: 1 }] }] }],
    ['messages[0].content[0].image.format', { messages: [{ role: 'user', content: [image('svg', 'AAAA')] }] }],
    ['messages[0].content[0].image.source.bytes', { messages: [{ role: 'user', content: [image('png', '?')] }] }],
    ['messages[0].content[0].guardContent', { messages: [{ role: 'user', content: [{ guardContent: {} }] }] }],
    ['messages[0].content[0].toolUse', { messages: [{ role: 'assistant', content: [{ toolUse: 'f' }] }] }],
    ['inferenceConfig', { inferenceConfig: 1 }],
    ['outputConfig.textFormat', { outputConfig: { textFormat: { type: 'json_schema' } } }],
    ['toolConfig.toolChoice', { toolConfig: { tools: [tool], toolChoice: {} } }],
    ['toolConfig.tools[0].toolSpec.inputSchema', { toolConfig: { tools: [{ toolSpec: { name: 'f' } }] } }],
  ])('names %s where it is malformed', (param, fields) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });

  it('has results before the rest of a turn, each from where it came, and calls with their numbers', () => {
    const { chat, origins, losses } = converse.readRequest(
      {
        system: [{ text: 'Be brief.' }],
        messages: [
          ...hello,
          { role: 'assistant', content: [{ text: 'a' }, { toolUse: { toolUseId: 't1', name: 'f', input: { n: 1 } } }] },
          {
            role: 'user',
            content: [
              { text: 'b' },
              { toolResult: { toolUseId: 't1', content: [{ json: { ok: true } }], status: 'success' } },
              { cachePoint: { type: 'default', ttl: '1h' } },
            ],
          },
        ],
      },
      path,
    );
    expect(chat.messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a' }],
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 't1',
        content: [{ type: 'text', text: '{"ok":true}' }],
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
    ]);
    expect(losses).toMatchObject({ dropped: [], refusal: undefined });
    expect(origins).toEqual(['system', 'messages[0]', 'messages[1]', 'messages[2].content[1]', 'messages[2]']);
  });
});

describe('a field with a price of its own, or without one', () => {
  it.each([
    [[{ at: 'performanceConfig', tier: 'optimized' }], { performanceConfig: { latency: 'optimized' } }],
    [[{ at: 'performanceConfig' }], { performanceConfig: { latency: 'turbo' } }],
    [[], { performanceConfig: { latency: 'standard' } }],
    [[{ at: 'serviceTier' }], { serviceTier: { type: 'reserved' } }],
    [[], { serviceTier: { type: 'flex' } }],
    [
      [{ at: 'additionalModelRequestFields.max_tokens', isLimit: true }],
      { additionalModelRequestFields: { top_k: 1, max_tokens: 9 } },
    ],
    [
      [{ at: 'additionalModelRequestFields.inferenceConfig', isLimit: true }],
      { additionalModelRequestFields: { inferenceConfig: { maxTokens: 9 } } },
    ],
    [[], { additionalModelRequestFields: { inferenceConfig: { topK: 9 } } }],
    [[{ at: 'additionalModelRequestFields.speed' }], { additionalModelRequestFields: { speed: 'fast' } }],
    [[], { additionalModelRequestFields: { speed: 'standard', inference_geo: 'global', service_tier: 'auto' } }],
    [
      [{ at: 'additionalModelRequestFields.anthropic_beta', isCovered: true }],
      { additionalModelRequestFields: { anthropic_beta: ['context-1m-2025-08-07'] } },
    ],
  ])('is %j', (dear, fields) => {
    expect(converse.dearFields({ messages: hello, ...fields })).toEqual(dear);
  });
});

describe('a request that counts tokens', () => {
  const counting = (input: unknown) => () => converse.readRequest({ input }, { ...path, counts: true });

  it('is read from the body of either operation', () => {
    const body = { anthropic_version: 'bedrock-2023-05-31', messages: [{ role: 'user', content: 'Hi' }] };
    expect(counting({ converse: { messages: hello } })().origins).toEqual(['input.converse.messages[0]']);
    expect(counting({ invokeModel: { body: base64(JSON.stringify(body)) } })().chat.messages).toHaveLength(1);
  });

  it.each([
    ['input', undefined],
    ['input', { converse: { messages: hello }, invokeModel: { body: 'e30=' } }],
    ['input.invokeModel.body', { invokeModel: { body: 'e' } }],
    ['anthropic_version', { invokeModel: { body: base64('{"inputText":"a"}') } }],
  ])('names %s where it is malformed', (param, input) => {
    expect(counting(input)).toThrow(expect.objectContaining({ param }));
  });
});

describe('a request of InvokeModel', () => {
  it('is one of the Messages API, whose stream the path demands', () => {
    const body = {
      anthropic_version: 'x',
      anthropic_beta: ['b'],
      max_tokens: 1,
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const { chat, losses } = clientsOf('invoke').readRequest(body, { model: 'm', stream: true });
    expect(chat).toMatchObject({ model: 'm', stream: true, max_tokens: 1 });
    expect(losses.dropped).toEqual(['anthropic_beta']);
  });

  it('cannot go to other vendors with a guardrail of the vendor’s account', () => {
    const body = { anthropic_version: 'x', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
    const headers = ['x-amzn-bedrock-guardrailidentifier', 'g1'];
    const { losses } = clientsOf('invoke').readRequest(body, path, headers);
    expect(losses.refusal).toMatchObject({ code: 'unsupported_parameter', param: 'guardrailIdentifier' });
  });

  it('has the model in its path, under the name of the path’s parameter', () => {
    const { fieldOf } = clientsOf('invoke');
    expect(['model', 'max_completion_tokens'].map(fieldOf)).toEqual(['modelId', 'max_tokens']);
  });
});

describe('a request for the vendor of the format', () => {
  const usual = { isOwnKey: false, ownTools: noOwnTools, isClaude: true, outputTokens: undefined };
  const passed = (body: JsonObject, passing: Partial<Parameters<typeof passConverseRequest>[1]> = {}) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const { origins, losses } = converse.readRequest(body, path);
    const client = { translation: converse, body, bytes, path, headers: [], origins, losses };
    const { body: written, dropped } = passConverseRequest(client, { ...usual, ...passing });
    return { body: JSON.parse(written), text: written, bytes, dropped };
  };

  it('keeps every byte', () => {
    const { text, bytes } = passed({ messages: hello, later: { a: 1 } });
    expect(text).toBe(bytes.toString());
  });

  it('has the output limit that the gateway chose, beside the client’s own fields', () => {
    const body = { messages: hello, inferenceConfig: { topP: 0.5 } };
    expect(passed(body, { outputTokens: 7 }).body.inferenceConfig).toEqual({ topP: 0.5, maxTokens: 7 });
  });

  it('has no list of tools if none is left', () => {
    const body = { messages: hello, toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } };
    const { body: written, dropped } = passed(body);
    expect(written.toolConfig).toBeNull();
    expect(dropped).toEqual(['toolConfig.tools.systemTool']);
    expect(passed(body, { ownTools: { egress: true, execution: false } }).body).toEqual(body);
    expect(passed(body, { ownTools: { egress: false, execution: true } }).body.toolConfig).toBeNull();
  });

  it('keeps tools of Claude’s vendor that the client runs', () => {
    const bash = { type: 'bash_20250124', name: 'bash' };
    const own = { type: 'code_execution_20250522', name: 'code_execution' };
    const { body, dropped } = passed({ messages: hello, additionalModelRequestFields: { tools: [bash, own] } });
    expect(body.additionalModelRequestFields).toEqual({ tools: [bash] });
    expect(dropped).toEqual(['additionalModelRequestFields.tools']);
  });

  it('leaves out reasoning of other vendors for Claude alone, and no other part', () => {
    const unsigned = { reasoningContent: { reasoningText: { text: 'a' } } };
    const signed = { reasoningContent: { reasoningText: { text: 'a', signature: 's' } } };
    const spoken = { text: 'b' };
    const body = {
      messages: [
        ...hello,
        { role: 'assistant', content: [unsigned, signed, spoken] },
        ...hello,
        { role: 'assistant', content: [unsigned] },
        ...hello,
      ],
    };
    expect(passed(body).body.messages).toEqual([
      ...hello,
      { role: 'assistant', content: [signed, spoken] },
      ...hello,
      ...hello,
    ]);
    expect(passed(body, { isClaude: false }).body).toEqual(body);
  });
});

const tool = { toolSpec: { name: 'f', inputSchema: { json: {} } } };

function image(format: string, bytes: string): JsonObject {
  return { image: { format, source: { bytes } } };
}
