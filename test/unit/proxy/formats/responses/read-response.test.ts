// A whole response of a server of the Responses API as a chat client gets it.
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectsOf } from '../../../../../common/json.ts';
import { responsesServer } from '../../../../../proxy/providers/responses.ts';
import { callOf } from '../../../../support/vendor-calls.ts';

const message = (...content: readonly JsonObject[]) => ({ type: 'message', id: 'msg_1', role: 'assistant', content });

function completionOf(fields: JsonObject): JsonObject {
  const call = callOf('gpt-provider', 'gpt-5', { messages: [{ role: 'user', content: 'Hello' }] });
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [], ...fields };
  const { body } = responsesServer.format.readResponse(call, { head: {}, body: Buffer.from(JSON.stringify(response)) });
  return JSON.parse(body.toString());
}

const event = (type: string, fields: JsonObject) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function chunksOf(...events: readonly string[]): readonly JsonObject[] {
  const fields = { stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  const reader = responsesServer.format.openStream(
    callOf('gpt-provider', 'gpt-5', fields),
    {},
    { eventBytesMax: 65_536 },
  );
  const text = Buffer.concat([...events.map((one) => reader.push(Buffer.from(one))), reader.end()]).toString();
  return text.split('\n\n').flatMap((one) => (one.startsWith('data: {') ? [JSON.parse(one.slice(6))] : []));
}

describe('a stream of the Responses API', () => {
  const response = { id: 'resp_1', object: 'response', created_at: 7, model: 'gpt-5-2025-08-07', output: [] };
  const created = event('response.created', { response });

  it('has its call from the first event of the item on', () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'boil', arguments: '' };
    const at = { item_id: 'fc_1', output_index: 0 };
    const chunks = chunksOf(
      created,
      event('response.output_item.added', { output_index: 0, item }),
      event('response.function_call_arguments.delta', { ...at, delta: '{"cups":' }),
      event('response.function_call_arguments.delta', { ...at, delta: '2}' }),
      event('response.output_item.done', { output_index: 0, item: { ...item, arguments: '{"cups":2}' } }),
      event('response.completed', { response: { ...response, status: 'completed' } }),
    );
    const choices = chunks.flatMap((chunk) => objectsOf(chunk.choices));
    const calls = choices.flatMap(({ delta }) => objectsOf(isObject(delta) ? delta.tool_calls : undefined));
    expect(calls[0]).toMatchObject({ index: 0, id: 'call_1', function: { name: 'boil' } });
    const written = calls.map((call) => (isObject(call.function) ? call.function.arguments : ''));
    expect(written.join('')).toBe('{"cups":2}');
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
    expect(chunks[0]).toMatchObject({ model: 'gpt-5-2025-08-07', created: 7 });
  });

  it.each([
    ['a response without an id', event('response.created', { response: { ...response, id: undefined } })],
    ['no response', event('response.created', {})],
    ['another event', event('response.output_text.delta', { delta: 'Hi' })],
  ])('is broken if it begins with %s', (_what, first) => {
    expect(() => chunksOf(first)).toThrow(expect.objectContaining({ code: 'upstream_protocol_error' }));
  });
});

describe('a response of the Responses API', () => {
  it.each([
    ['gpt-5-2025-08-07', 'gpt-5-2025-08-07'],
    [undefined, 'gpt-5'],
  ])('names the model that its vendor names: %s', (model, named) => {
    expect(completionOf({ model, created_at: 7 })).toMatchObject({ model: named, created: 7 });
  });

  it('has its text, its call and its reason', () => {
    const boil = { name: 'boil', arguments: '{"cups":2}' };
    const output = [message({ type: 'output_text', text: 'On it.' }), { type: 'function_call', call_id: 'c', ...boil }];
    expect(completionOf({ output }).choices).toMatchObject([
      {
        message: { content: 'On it.', tool_calls: [{ id: 'c', type: 'function', function: boil }] },
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('that is incomplete for %s has the reason %s', (reason, finish_reason) => {
    const output = [message({ type: 'output_text', text: 'On' })];
    const fields = { output, status: 'incomplete', incomplete_details: { reason } };
    expect(completionOf(fields).choices).toMatchObject([{ message: { content: 'On' }, finish_reason }]);
  });

  it('has the refusal that the vendor sent beside its text', () => {
    const output = [message({ type: 'refusal', refusal: 'I cannot.' })];
    expect(completionOf({ output }).choices).toMatchObject([{ message: { refusal: 'I cannot.' } }]);
  });

  it.each<JsonObject>([{ id: undefined }, { output: undefined }])('is broken with %j', (fields) => {
    expect(() => completionOf(fields)).toThrow(expect.objectContaining({ code: 'upstream_protocol_error' }));
  });
});
