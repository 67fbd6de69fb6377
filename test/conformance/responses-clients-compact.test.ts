// Clients of the Responses API that compact a conversation: only the vendor of the format does that, with its own bytes.
import OpenAI, { BadRequestError } from 'openai';
import { describe, expect, it } from 'vitest';
import { costOf, recordedRequests } from '../support/recorded.ts';
import { type Item, thrown, useResponsesClient } from './clients/responses.ts';
import { modelAt, secret, useGuardrail } from './clients/scene.ts';

const { clients, client, create } = useResponsesClient();
const { sent } = clients;
const vendor = 'gpt-provider';
const model = modelAt(vendor);
const compact = (params: Partial<OpenAI.Responses.ResponseCompactParams>) =>
  client().responses.compact({ model, ...params } as OpenAI.Responses.ResponseCompactParams);

describe('a conversation', () => {
  it('is compacted by the vendor, and continued from its compaction', async () => {
    const input: Item[] = [
      { role: 'user', content: 'One' },
      { type: 'message', id: 'msg_0123456789abcdef', role: 'assistant', status: 'completed', content: [] },
      { role: 'user', content: 'Two' },
    ];
    const compacted = await compact({ input, instructions: 'Be brief.', prompt_cache_key: 'k' });
    expect(clients.scene.received().target).toBe('/v1/responses/compact');
    expect(sent()).toContain('"prompt_cache_key":"k"');
    expect(sent()).not.toMatch(/"store"|"max_output_tokens"|msg_0123/);
    expect(compacted).toMatchObject({ object: 'response.compaction', usage: { output_tokens: 16 } });
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
    const next = await create(vendor, { input: [...(compacted.output as Item[]), { role: 'user', content: 'Three' }] });
    expect(next.status).toBe('completed');
    expect(sent()).toContain('"type":"compaction"');
  });

  it('that is stored is compacted for its owner alone', async () => {
    const { id } = await create(vendor, { input: 'One' });
    const compacted = await compact({ previous_response_id: id });
    expect(sent()).toMatch(/"previous_response_id":"resp_[0-9a-f]{48}"/);
    expect(compacted.output.map((item) => item.id)).toEqual([
      expect.stringMatching(/^msg_gw1_/),
      expect.stringMatching(/^cmp_gw1_/),
    ]);
    const { gateway } = clients.scene;
    const other = await gateway.createOrganization('other compaction');
    const theirs = new OpenAI({
      ...{ baseURL: `${gateway.proxy.url}/v1`, apiKey: (await other.createKey()).value, maxRetries: 0 },
    });
    const error = await thrown(theirs.responses.compact({ model, previous_response_id: id } as never));
    expect(error).toMatchObject({ status: 404, code: 'response_not_found' });
  });

  it('is charged by the usage of its compaction', async () => {
    const { gateway } = clients.scene;
    const id = 'compacted-and-charged';
    const { usage } = await client().responses.compact({ model, input: 'Hello' }, { headers: { 'x-request-id': id } });
    const row = async () => (await recordedRequests(gateway)).find(({ requestId }) => requestId === id);
    await expect.poll(row).toMatchObject({
      ...{ promptTokens: usage.input_tokens, completionTokens: usage.output_tokens, estimated: false, streamed: false },
    });
    const recorded = await row();
    expect(recorded && costOf(recorded)).toBeGreaterThan(0);
  });

  it.each(['openai', 'openai/v1'])('is compacted on the paths of the hosted studio’s SDK, below /%s', async (base) => {
    const { gateway, key } = clients.scene;
    const azure = new OpenAI({ baseURL: `${gateway.proxy.url}/${base}`, apiKey: key, maxRetries: 0 });
    expect(await azure.responses.compact({ model, input: 'Hello' })).toMatchObject({ object: 'response.compaction' });
  });

  it('gets the vendor’s own refusal', async () => {
    const error = await thrown(compact({ input: 'Hello', temperature: 1 } as object));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'temperature' });
  });

  it.each(['assistant-provider', 'search-provider', 'managed-cloud-models', 'studio-ai'] as const)(
    'is not compacted by %s',
    async (other) => {
      const error = await thrown(compact({ model: modelAt(other), input: 'Hello' }));
      expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'model' });
      expect(clients.scene.gateway.simulator.requests).toEqual([]);
    },
  );

  it.each([
    ['a prompt of the account', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    [
      'a file of the account',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
      /file_id$/,
    ],
    ['the background', { input: 'Hello', background: true }, 'background'],
  ])('is not compacted with %s', async (_what, fields, param) => {
    const error = await thrown(compact(fields as object));
    expect(error).toMatchObject({
      ...{ status: 400, code: 'unsupported_parameter' },
      param: typeof param === 'string' ? param : expect.stringMatching(param),
    });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

describe('guardrails of a compaction', () => {
  const guard = useGuardrail(clients);

  it('inspect its input', async () => {
    await guard('input', 'block');
    const error = await thrown(compact({ input: `It is ${secret}.` }));
    expect(error).toMatchObject({ code: 'guardrail_blocked' });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it('replace what they redact, also in what comes back', async () => {
    await guard('input', 'redact');
    const { output } = await compact({ input: `It is ${secret}.` });
    expect(sent()).not.toContain(secret);
    expect(JSON.stringify(output)).not.toContain(secret);
  });

  it('do not apply to its output, which only the vendor can read', async () => {
    await guard('output', 'block');
    expect((await compact({ input: 'Hello' })).object).toBe('response.compaction');
  });
});
