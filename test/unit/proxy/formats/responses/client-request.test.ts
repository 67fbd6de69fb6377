import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { responsesClients } from '../../../../../proxy/formats/responses/client.ts';

const path = { model: undefined, stream: undefined };
const read = (fields: JsonObject) => responsesClients.readRequest({ model: 'm', input: 'Hello', ...fields }, path);
const chatOf = (fields: JsonObject) => read(fields).chat;

describe('a request of the Responses API as chat completions', () => {
  it('has the instructions before the input', () => {
    expect(chatOf({ instructions: 'Be kind.' })).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  it('has everything that the model wrote between two inputs in one message', () => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'boil', arguments: '{"cups":2}' };
    const { messages } = chatOf({
      input: [
        { role: 'user', content: 'Boil.' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'On it.' }] },
        call,
        { type: 'function_call_output', call_id: 'call_1', output: '90 °C' },
      ],
    });
    expect(messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'boil', arguments: '{"cups":2}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '90 °C' },
    ]);
  });

  const schema = { type: 'object', properties: {} };
  it.each<[JsonObject, JsonObject]>([
    [{ text: { verbosity: 'low' } }, { verbosity: 'low' }],
    [{ text: { format: { type: 'text' } } }, {}],
    [{ text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
    [
      { text: { format: { type: 'json_schema', name: 'tea', schema, strict: true } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'tea', schema, strict: true } } },
    ],
    [{ reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
    [{ max_output_tokens: 9 }, { max_completion_tokens: 9 }],
    [{ include: ['message.output_text.logprobs'] }, { logprobs: true }],
    [{ top_logprobs: 2 }, { logprobs: true, top_logprobs: 2 }],
    [{ top_logprobs: 0 }, {}],
    [{ text: null, reasoning: null }, {}],
  ])('has the options of %j, and no others', (fields, options) => {
    const { messages: _, model: __, ...rest } = chatOf(fields);
    expect(rest).toEqual(options);
    expect(read(fields).losses).toMatchObject({ dropped: [], refusal: undefined });
  });

  const offered = { tools: ['boil', 'cool'].map((name) => ({ type: 'function', name, parameters: schema })) };
  const chosen = (name: string) => ({ type: 'function', function: { name } });
  it.each<[unknown, unknown]>([
    ['auto', 'auto'],
    ['required', 'required'],
    ['none', 'none'],
    [{ type: 'function', name: 'boil' }, chosen('boil')],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'cool' }] },
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [chosen('cool')] } },
    ],
    [{ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] }, 'none'],
  ])('has the tool choice %j', (tool_choice, choice) => {
    const { chat, losses } = read({ ...offered, tool_choice });
    expect([chat.tool_choice, losses.refusal]).toEqual([choice, undefined]);
  });

  it('cannot demand one of the vendor’s own tools of other vendors', () => {
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] };
    expect(read({ ...offered, tool_choice }).losses.refusal).toMatchObject({ param: 'tool_choice' });
  });

  it('names each option that other vendors do not get', () => {
    const { losses } = read({ text: { verbosity: 'low', moon: 1 }, reasoning: { summary: 'auto' }, max_tool_calls: 3 });
    expect(losses.dropped.toSorted()).toEqual(['max_tool_calls', 'reasoning.summary', 'text.moon']);
  });

  it.each([{ previous_response_id: 'resp_1' }, { background: true }, { truncation: 'auto' }])(
    'cannot go to other vendors with %j',
    (fields) => {
      const [param] = Object.keys(fields);
      expect(read(fields).losses.refusal).toMatchObject({ code: 'unsupported_parameter', param });
    },
  );

  it.each<[JsonObject, string]>([
    [{ input: [] }, 'input'],
    [{ input: ['Hello'] }, 'input[0]'],
    [{ input: [{ role: 'moon', content: 'Hello' }] }, 'input[0].role'],
    [{ input: [{ type: 'function_call_output', output: 'a' }] }, 'input[0].call_id'],
    [{ text: { format: { type: 'moon' } } }, 'text.format.type'],
    [{ text: 'low' }, 'text'],
    [{ instructions: {} }, 'instructions'],
    [{ ...offered, tool_choice: 'boil' }, 'tool_choice'],
    [{ ...offered, tool_choice: { type: 'function', name: 'moon' } }, 'tool_choice'],
  ])('is refused with the field that is wrong: %j', (fields, param) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});
