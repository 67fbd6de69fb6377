// Clients of the Responses API and the vendor of that format: what passes as it is, what does not, and responses that
// the vendor stores.
import OpenAI, { type APIError, BadRequestError, NotFoundError } from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { ownHeaders } from '../support/vendors.ts';
import { type Item, thrown, useResponsesClient, weather } from './clients/responses.ts';
import { modelAt, secret, useGuardrail } from './clients/scene.ts';

const { clients, client, create, stream } = useResponsesClient();
const { sent } = clients;
const vendor = 'gpt-provider';
const model = 'gpt-4.1-mini';

const call = async (body: string, headers: Record<string, string> = {}) =>
  fetch(`${clients.scene.gateway.proxy.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clients.scene.key}`, 'content-type': 'application/json', ...headers },
    body,
  });
const text = (fields: string) => `{ "max_output_tokens": 1e2, "model" : "${model}",\n "input":"caf\\u00e9"${fields} }`;

describe('the vendor of the format', () => {
  it('gets the bytes of a bare model’s request', async () => {
    const body = text(', "store": false, "client_metadata": {"a": "b"}');
    const response = await call(body, { 'openai-beta': 'one=v1' });
    expect(response.status).toBe(200);
    expect(sent()).toBe(body);
    expect(clients.scene.received().headers).toMatchObject({ 'openai-beta': 'one=v1' });
  });

  it('gets the bytes of a request that a worker writes', async () => {
    const body = text(`, "store": false, "instructions": ${JSON.stringify('large '.repeat(60_000))}`);
    expect((await call(body)).status).toBe(200);
    expect(sent()).toBe(body);
  });

  it('gets nothing else changed than the model’s name', async () => {
    const body = text(', "store": false');
    expect((await call(body.replace(`"${model}"`, `"${vendor}/${model}"`))).status).toBe(200);
    expect(sent()).toBe(body);
  });

  it.each([false, true])('responds with its own bytes if it stores nothing, streamed: %s', async (streamed) => {
    const body = text(`, "store": false, "stream": ${streamed}`);
    const direct = await fetch(`${clients.scene.gateway.simulator.baseUrls[vendor]}/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-own-0123456789', 'content-type': 'application/json' },
      body,
    });
    const withoutIds = (events: string) =>
      events
        .replaceAll(/(resp|msg)_\w+/g, '$1_')
        .replaceAll(/"(created_at|completed_at)":\s*\d+/g, '"$1":0')
        .replaceAll(/"obfuscation":"\w*"/g, '"obfuscation":""');
    expect(withoutIds(await (await call(body)).text())).toBe(withoutIds(await direct.text()));
  });

  it.each([400, 429])('responds with its own error of status %i', async (status) => {
    clients.scene.gateway.simulator.script({ status, error: { message: 'the input is too long: 7 > 5' } });
    const response = await call(text(''));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: 'the input is too long: 7 > 5' } });
  });

  it.each([
    ['prompt', ', "prompt": {"id": "pmpt_1"}'],
    ['tools[0].vector_store_ids', ', "tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]'],
    ['tools[0].container', ', "tools": [{"type": "code_interpreter", "container": "cntr_1"}]'],
    ['background', ', "background": true'],
    ['conversation', ', "conversation": "conv_1"'],
  ])('does not get %s with a stored key', async (param, fields) => {
    const response = await call(text(fields));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param } });
  });

  it('gets the caller’s own key and everything that it can reach', async () => {
    await call(text(', "prompt": {"id": "pmpt_1"}'), {
      'x-svc-vk': clients.scene.key,
      'x-svc-direct-key': 'true',
      authorization: `Bearer ${ownHeaders[vendor].authorization.replace(/^Bearer /, '')}`,
    });
    expect(sent()).toContain('pmpt_1');
  });

  it('loads no item by an id that is not the owner’s', async () => {
    await create(vendor, {
      store: false,
      input: [
        { role: 'user', content: 'Hello' },
        { type: 'reasoning', id: 'rs_0123456789abcdef', summary: [] },
        { type: 'message', id: 'msg_0123456789abcdef', role: 'assistant', status: 'completed', content: [] },
        { role: 'user', content: 'More' },
      ],
    });
    expect(sent()).not.toMatch(/rs_0123|msg_0123/);
  });

  it('keeps its encrypted reasoning over turns', async () => {
    const params = {
      ...{ model: `${vendor}/gpt-5`, tools: [weather], store: false, reasoning: { effort: 'low' as const } },
      include: ['reasoning.encrypted_content' as const],
    };
    clients.scene.gateway.simulator.script({
      reasoning: 'Let me think.',
      toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }],
    });
    const { output } = await client().responses.create({ ...params, input: 'Hello' });
    const made = output.find((item) => item.type === 'function_call');
    if (made === undefined) throw new Error('a function is called');
    const result: Item = { type: 'function_call_output', call_id: made.call_id, output: 'rain' };
    const second = await client().responses.create({
      ...params,
      input: [{ role: 'user', content: 'Hello' }, ...(output as Item[]), result],
    });
    expect(second.status).toBe('completed');
    expect(sent()).toContain('encrypted_content');
  });
});

const sealed = /^(resp|msg)_gw1_[\w-]{60,150}$/;

describe('a stored response', () => {
  it.each(['whole', 'streamed'])('has ids of its owner, %s, and is continued', async (form) => {
    const made =
      form === 'whole'
        ? await create(vendor, { input: 'One' })
        : await stream(vendor, { input: 'One' }).finalResponse();
    expect(made.id).toMatch(sealed);
    expect(made.id.length).toBeLessThanOrEqual(160);
    expect(made.output[0]?.id).toMatch(sealed);
    expect(sent()).not.toContain('"store"');
    const next = await create(vendor, { input: 'Two', previous_response_id: made.id });
    expect(next.previous_response_id).toBe(made.id);
    expect(sent()).not.toContain('gw1');
  });

  it('has one id in all events, whose deltas have it too', async () => {
    const events = await Array.fromAsync(
      await client().responses.create({ model: `${vendor}/${model}`, input: 'One', stream: true }),
    );
    const ids = events.flatMap((event) => ('response' in event ? [event.response.id] : []));
    expect(new Set(ids).size).toBe(1);
    const items = events.flatMap((event) => ('item_id' in event ? [event.item_id] : []));
    expect(new Set(items).size).toBe(1);
    expect(items[0]).toMatch(sealed);
  });

  it('is read, its input listed, and it is deleted by its owner', async () => {
    const made = await create(vendor, { input: 'One' });
    const { responses } = client();
    const read = await responses.retrieve(made.id);
    expect(read).toMatchObject({ id: made.id, output: [{ id: made.output[0]?.id }] });
    const { data } = await responses.inputItems.list(made.id, { limit: 5, order: 'asc' });
    expect(data).toMatchObject([{ type: 'message', id: expect.stringMatching(sealed) }]);
    await expect(responses.cancel(made.id)).rejects.toBeInstanceOf(BadRequestError);
    await responses.delete(made.id);
    await expect(responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('is continued by a request that a worker writes', async () => {
    const { id } = await create(vendor, { input: 'One' });
    const next = await create(vendor, { input: 'word '.repeat(80_000), previous_response_id: id });
    expect(next.previous_response_id).toBe(id);
    expect(sent()).not.toContain('gw1');
  });

  it('is counted with what continues it', async () => {
    const { id } = await create(vendor, { input: 'word '.repeat(400) });
    const params = { model: modelAt(vendor), input: 'Two', previous_response_id: id };
    const { data, response } = await client().responses.inputTokens.count(params).withResponse();
    expect(response.headers.get('x-svc-estimated')).toBeNull();
    expect(data.input_tokens).toBeGreaterThan(300);
    expect(sent()).not.toContain('gw1');
  });

  it('is sent back as items of any number, of which the vendor gets no foreign id', async () => {
    const made = await create(vendor, { input: 'One' });
    const item = made.output[0] as Item;
    await create(vendor, { input: [...Array.from({ length: 1200 }, () => item), { role: 'user', content: 'More' }] });
    expect(sent()).not.toContain('gw1');
  });

  it('lets an item be named by its id', async () => {
    const made = await create(vendor, { input: 'One' });
    const id = String(made.output[0]?.id);
    await create(vendor, {
      input: [
        { type: 'item_reference', id },
        { role: 'user', content: 'More' },
      ],
    });
    expect(sent()).toMatch(/"item_reference","id":"msg_\w{20,}"|"id":"msg_\w{20,}","type":"item_reference"/);
  });

  describe('of another owner', () => {
    let others: OpenAI;
    let sibling: OpenAI;
    beforeAll(async () => {
      const { gateway } = clients.scene;
      const baseURL = `${gateway.proxy.url}/v1`;
      const other = await gateway.createOrganization('other');
      others = new OpenAI({ baseURL, apiKey: (await other.createKey()).value, maxRetries: 0 });
      const organizationId = gateway.organization.id;
      const system = await gateway.organization.api.call('AiSystems/Create', { organizationId, name: 'sibling' });
      const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
      const { value } = await gateway.organization.createKey({ scope });
      sibling = new OpenAI({ baseURL, apiKey: value, maxRetries: 0 });
    });

    it.each(['another organization', 'another scope'])('is as if it had never been, for %s', async (who) => {
      const theirs = who === 'another scope' ? sibling : others;
      const { id, output } = await create(vendor, { input: 'One' });
      clients.scene.gateway.simulator.reset();
      const { responses } = theirs;
      const params = { model: `${vendor}/${model}`, input: 'Two' };
      const reference = [{ type: 'item_reference', id: String(output[0]?.id) }] as Item[];
      const uses: (() => Promise<unknown>)[] = [
        () => responses.retrieve(id),
        () => responses.delete(id),
        () => responses.cancel(id),
        async () => responses.inputItems.list(id),
        () => responses.create({ ...params, previous_response_id: id }),
        async () => responses.inputTokens.count({ ...params, previous_response_id: id }),
        () => responses.create({ ...params, input: reference }),
      ];
      for (const use of uses) {
        const error = (await thrown(use())) as APIError;
        expect(error).toBeInstanceOf(NotFoundError);
        expect(error.code).toBe('response_not_found');
      }
      expect(clients.scene.gateway.simulator.requests).toEqual([]);
      expect((await client().responses.retrieve(id)).id).toBe(id);
    });
  });

  it('cannot be named by a forged, a swapped or a raw id', async () => {
    const { id } = await create(vendor, { input: 'One' });
    clients.scene.gateway.simulator.reset();
    const other = id.at(-2) === 'A' ? 'B' : 'A';
    const flipped = `${id.slice(0, 30)}${id[30] === 'x' ? 'y' : 'x'}${id.slice(31)}`;
    const forged = [
      `${id.slice(0, -2)}${other}${id.at(-1)}`,
      flipped,
      id.replace('resp_', 'msg_'),
      'resp_0123456789abcdef01234567',
    ];
    for (const one of forged) await expect(client().responses.retrieve(one)).rejects.toBeInstanceOf(NotFoundError);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

describe('by the settings of the organization', () => {
  const update = (responses: object) => {
    const { gateway } = clients.scene;
    return gateway.organization.api.call('Organizations/UpdateSettings', {
      id: gateway.organization.id,
      settings: { responses },
    });
  };

  it('nothing is stored, and what was stored is not read', async () => {
    const { id } = await create(vendor, { input: 'One' });
    await update({ stored: false });
    try {
      await expect.poll(async () => (await create(vendor, { input: 'Two' })).id).not.toMatch(sealed);
      for (const use of [
        () => client().responses.retrieve(id),
        () => create(vendor, { input: 'Two', previous_response_id: id }),
      ]) {
        expect(await thrown(use())).toMatchObject({ status: 400, code: 'unsupported_parameter' });
      }
    } finally {
      await update({ stored: true });
    }
    await expect.poll(async () => (await create(vendor, { input: 'Two' })).id).toMatch(sealed);
  });

  it('the vendor learns the scope’s hash, unless the client names someone', async () => {
    await update({ safetyIdentifier: true });
    const named = async (fields: object) => {
      await create(vendor, { input: 'One', ...fields });
      return /"safety_identifier":"([^"]*)"/.exec(sent())?.[1];
    };
    try {
      await expect.poll(() => named({})).toMatch(/^[0-9a-f]{64}$/);
      expect(await named({ safety_identifier: 'u-1' })).toBe('u-1');
    } finally {
      await update({ safetyIdentifier: false });
    }
    await expect.poll(() => named({})).toBeUndefined();
  });
});

describe('under an output guardrail', () => {
  const guard = useGuardrail(clients);

  it('nothing is stored, continued or read', async () => {
    const { id } = await create(vendor, { input: 'One' });
    await guard('output', 'block');
    const made = await create(vendor, { input: 'Hello' });
    expect(made.id).not.toMatch(/gw1/);
    expect(sent()).toContain('"store":false');
    const uses: (() => Promise<unknown>)[] = [
      () => create(vendor, { input: 'Two', previous_response_id: id }),
      () => client().responses.retrieve(id),
    ];
    for (const use of uses) {
      const error = (await thrown(use())) as APIError;
      expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter' });
    }
    clients.scene.gateway.simulator.script({ text: `It is ${secret}.` });
    await expect(create(vendor, { input: 'Hello' })).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });
});
