// A chat request as a server of the Responses API gets it.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import type { ModelCapabilities } from '../../../../../proxy/catalog/capabilities.ts';
import { buildRequest } from '../../../../../proxy/providers/provider.ts';
import { responsesServer } from '../../../../../proxy/providers/responses.ts';
import { callOf } from '../../../../support/vendor-calls.ts';

const hello = { role: 'user', content: 'Hello' };

async function written(fields: JsonObject, capabilities: Partial<ModelCapabilities> = {}) {
  const call = callOf('gpt-provider', 'gpt-5', { messages: [hello], ...fields });
  const { body, dropped } = await buildRequest({
    ...call,
    capabilities: { ...call.capabilities, ...capabilities },
    target: { ...call.target, provider: responsesServer },
  });
  return { body: JSON.parse(body) as JsonObject, dropped };
}

describe('a chat request at a server of the Responses API', () => {
  it('is stored nowhere, and has the system text as instructions', async () => {
    const messages = [{ role: 'system', content: 'Be kind.' }, hello];
    expect(await written({ messages, max_tokens: 9 })).toEqual({
      body: {
        ...{ model: 'gpt-5', instructions: 'Be kind.', store: false, max_output_tokens: 9 },
        input: [{ type: 'message', role: 'user', content: 'Hello' }],
      },
      dropped: [],
    });
  });

  it('has a call without a message if the model wrote no text beside it', async () => {
    const boil = { name: 'boil', arguments: '{"cups":2}' };
    const messages = [
      hello,
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: boil }] },
      { role: 'tool', tool_call_id: 'call_1', content: '90 °C' },
      { role: 'assistant', content: 'Done.' },
      hello,
    ];
    const { body } = await written({ messages });
    expect(body.input).toEqual([
      { type: 'message', role: 'user', content: 'Hello' },
      { type: 'function_call', call_id: 'call_1', ...boil },
      { type: 'function_call_output', call_id: 'call_1', output: '90 °C' },
      { type: 'message', role: 'assistant', content: 'Done.' },
      { type: 'message', role: 'user', content: 'Hello' },
    ]);
  });

  it('has strict tools only if the caller made them strict, although this API takes them as strict by default', async () => {
    const parameters = { type: 'object', properties: { cups: { type: 'number' } } };
    const tool = (more: JsonObject) => ({ type: 'function', function: { name: 'boil', parameters, ...more } });
    const { body } = await written({ tools: [tool({}), tool({ name: 'cool', strict: true })] });
    expect(body.tools).toEqual([
      { type: 'function', name: 'boil', parameters, strict: false },
      { type: 'function', name: 'cool', parameters, strict: true },
    ]);
  });

  const named = (name: string) => ({ type: 'function', function: { name } });
  const allowed = (...names: readonly string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: names.map(named) },
  });
  it.each<[unknown, unknown]>([
    ['required', 'required'],
    [named('boil'), { type: 'function', name: 'boil' }],
    [allowed('boil'), { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'boil' }] }],
    [undefined, undefined],
  ])('has the tool choice %j', async (tool_choice, choice) => {
    const { body } = await written({ tools: [named('boil'), named('cool')], tool_choice });
    expect(body.tool_choice).toEqual(choice);
  });

  it('has files as data or by their URL', async () => {
    const file = (file_data: string) => ({ type: 'file', file: { file_data, filename: 'tea.pdf' } });
    const url = 'https://example.com/tea.pdf';
    const data = `data:application/pdf;base64,${Buffer.from('%PDF-').toString('base64')}`;
    const { body } = await written({ messages: [{ role: 'user', content: [file(data), file(url)] }] });
    expect(body.input).toMatchObject([
      {
        content: [
          { type: 'input_file', filename: 'tea.pdf', file_data: data },
          { type: 'input_file', file_url: url },
        ],
      },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['sound', { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }],
    ['a file of the vendor’s account', { type: 'file', file: { file_id: 'file-1' } }],
  ])('is refused with %s', async (_what, part) => {
    const messages = [{ role: 'user', content: [part] }];
    await expect(written({ messages })).rejects.toMatchObject({ code: 'unsupported_parameter' });
  });

  it.each<[string, JsonObject | undefined, Partial<ModelCapabilities>]>([
    ['low', { effort: 'low' }, { reasoning: 'effort' }],
    ['max', { effort: 'xhigh' }, { reasoning: 'effort', effortXhigh: true }],
    ['max', { effort: 'high' }, { reasoning: 'effort', effortXhigh: false }],
    ['none', { effort: 'none' }, { reasoning: 'effort', reasoningOff: true }],
  ])('has the effort %s as %j for a model with %j', async (reasoning_effort, reasoning, capabilities) => {
    const { body, dropped } = await written({ reasoning_effort }, capabilities);
    expect([body.reasoning, dropped]).toEqual([reasoning, []]);
  });

  it.each<[string, readonly string[], Partial<ModelCapabilities>]>([
    ['low', ['reasoning_effort'], { reasoning: 'none' }],
    ['none', [], { reasoning: 'none' }],
    ['none', ['reasoning_effort'], { reasoning: 'effort', reasoningOff: false }],
  ])('loses the effort %s, named as %j, for a model with %j', async (reasoning_effort, names, capabilities) => {
    const { body, dropped } = await written({ reasoning_effort }, capabilities);
    expect([body.reasoning, dropped]).toEqual([undefined, names]);
  });

  const schema = { type: 'object', properties: {} };
  it.each<[JsonObject, JsonObject]>([
    [{ verbosity: 'low' }, { verbosity: 'low' }],
    [{ response_format: { type: 'json_object' } }, { format: { type: 'json_object' } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'tea', schema, strict: true } } },
      { format: { type: 'json_schema', name: 'tea', schema, strict: true } },
    ],
  ])('has %j under text', async (fields, text) => {
    expect((await written(fields)).body.text).toEqual(text);
  });
});
