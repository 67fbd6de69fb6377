// A whole response of a server of the Responses API as a chat client gets it.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { responsesServer } from '../../../../../proxy/providers/responses.ts';
import { callOf } from '../../../../support/vendor-calls.ts';

const message = (...content: readonly JsonObject[]) => ({ type: 'message', id: 'msg_1', role: 'assistant', content });

function completionOf(fields: JsonObject): JsonObject {
  const call = callOf('gpt-provider', 'gpt-5', { messages: [{ role: 'user', content: 'Hello' }] });
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [], ...fields };
  const { body } = responsesServer.format.readResponse(call, { head: {}, body: Buffer.from(JSON.stringify(response)) });
  return JSON.parse(body.toString());
}

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
