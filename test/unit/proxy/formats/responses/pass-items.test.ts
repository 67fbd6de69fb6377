// Items of the input that name what a vendor has stored, or that another vendor has left, in a request for the vendor of
// the Responses API.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { withSignature } from '../../../../../proxy/conversation/call-ids.ts';
import { issuerOf, wrapOpaque } from '../../../../../proxy/conversation/opaque.ts';
import type { ClientRequest } from '../../../../../proxy/formats/client-format.ts';
import { responsesClients } from '../../../../../proxy/formats/responses/client.ts';
import { withoutForeign } from '../../../../../proxy/formats/responses/foreign-items.ts';
import { passResponsesRequest } from '../../../../../proxy/formats/responses/pass-request.ts';

/** What this owner's earlier responses contained: the client's ids, and those of the vendor. */
const ids = new Map([
  ['msg_client', 'msg_vendor'],
  ['rs_client', 'rs_vendor'],
]);
const hello = { type: 'message', role: 'user', content: 'Hello' };

function clientOf(input: readonly unknown[]): ClientRequest {
  const body = { model: 'gpt-5', input };
  return {
    ...{ translation: responsesClients, body, bytes: Buffer.from(JSON.stringify(body)), headers: [], origins: [] },
    ...{ path: { model: undefined, stream: undefined }, losses: { dropped: [], refusal: undefined } },
    store: { ids },
  };
}

function pass(item: JsonObject) {
  const rights = { isOwnKey: false, ownTools: { egress: true, execution: false } };
  const passing = { model: 'gpt-5', outputTokens: undefined, isGuarded: false, ...rights };
  const { body, dropped } = passResponsesRequest(clientOf([hello, item]), passing);
  return { items: (JSON.parse(body) as { input: readonly unknown[] }).input.slice(1), dropped };
}

describe('an item with an id', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Tea.' }] };
  const thought = { type: 'reasoning', summary: [] };

  it.each<[string, JsonObject, readonly JsonObject[]]>([
    ['the id that its vendor knows', { ...message, id: 'msg_client' }, [{ ...message, id: 'msg_vendor' }]],
    ['the stored reasoning', { ...thought, id: 'rs_client' }, [{ ...thought, id: 'rs_vendor' }]],
    [
      'a reference to what is stored',
      { type: 'item_reference', id: 'msg_client' },
      [{ type: 'item_reference', id: 'msg_vendor' }],
    ],
    ['no id of another owner, who has the same account', { ...message, id: 'msg_other' }, [message]],
    [
      'no id of another owner beside encrypted reasoning',
      { ...thought, id: 'rs_other', encrypted_content: 'AAAA' },
      [{ ...thought, encrypted_content: 'AAAA' }],
    ],
  ])('passes with %s', (_what, item, items) => {
    expect(pass(item)).toEqual({ items, dropped: [] });
  });

  it('is left out and named if it is reasoning that the vendor could only read from another owner’s store', () => {
    expect(pass({ ...thought, id: 'rs_other' })).toEqual({ items: [], dropped: ['input.reasoning'] });
  });

  it.each<[JsonObject, string]>([
    [{ type: 'item_reference', id: 'msg_other' }, 'input[1]'],
    [
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_other', approve: true },
      'input[1].approval_request_id',
    ],
  ])('of another owner is refused where nothing else says what it means: %j', (item, param) => {
    expect(() => pass(item)).toThrow(expect.objectContaining({ code: 'unsupported_parameter', param }));
  });
});

describe('what a vendor of another format left in the input', () => {
  const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'boil', arguments: '{}' });
  const result = (call_id: string) => ({ type: 'function_call_output', call_id, output: '90 °C' });
  const signed = withSignature('call_1', 'c2ln');

  it('has calls and results without the signature in their ids', () => {
    const { client, dropped } = withoutForeign(clientOf([hello, call(signed), result(signed), call('call_2')]));
    expect(client.body.input).toEqual([hello, call('call_1'), result('call_1'), call('call_2')]);
    expect(dropped).toEqual([]);
  });

  it('loses reasoning that only its own vendor can read', () => {
    const issuer = issuerOf('assistant-provider', 'stored');
    const encrypted_content = wrapOpaque({ issuer, kind: 'signature', value: 'c2ln', text: 'Hm.' });
    const { client, dropped } = withoutForeign(clientOf([hello, { type: 'reasoning', encrypted_content }]));
    expect(client.body.input).toEqual([hello]);
    expect(dropped).toEqual(['input.reasoning']);
  });

  it('leaves the client’s bytes as they came if there is nothing of that kind', () => {
    const client = clientOf([hello, call('call_1'), { type: 'reasoning', encrypted_content: 'AAAA' }]);
    expect(withoutForeign(client)).toEqual({ client, dropped: [] });
  });
});
