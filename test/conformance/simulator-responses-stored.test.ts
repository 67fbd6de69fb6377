// The vendor's own SDK directly against the simulator's stored responses: they belong to the API key that made them.
import OpenAI, { BadRequestError, InternalServerError, NotFoundError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createResponseStore, type StoredResponse } from '../../simulator/gpt-provider/responses/store.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';

let simulator: Simulator;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientOf('sk-sim-conformance');
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: simulator.baseUrls['gpt-provider'], maxRetries: 0 });
}

const model = 'gpt-4o-mini';
const thinker = 'gpt-5';
const unknownId = `resp_${'0'.repeat(48)}`;
const notFound = { status: 404, type: 'invalid_request_error', code: null, param: null };

describe('a stored response', () => {
  it('is retrieved, and deleted', async () => {
    const made = await client.responses.create({ model, input: 'Hello', metadata: { cup: 'blue' } });
    expect(await client.responses.retrieve(made.id)).toEqual(made);
    // The SDK's method returns nothing; the vendor documents this body.
    const deleted = await client.delete(`/responses/${made.id}`);
    expect(deleted).toEqual({ id: made.id, object: 'response', deleted: true });
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject({
      ...notFound,
      message: `404 Response with id '${made.id}' not found.`,
    });
    await expect(client.responses.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('is not stored if the caller refuses that', async () => {
    const made = await client.responses.create({ model, input: 'Hello', store: false });
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject(notFound);
    await expect(client.responses.retrieve('chat_1')).rejects.toBeInstanceOf(BadRequestError);
  });

  it('belongs to its account', async () => {
    const { id } = await client.responses.create({ model, input: 'Hello' });
    const other = clientOf('sk-sim-other');
    await expect(other.responses.retrieve(id)).rejects.toMatchObject(notFound);
    await expect(other.responses.delete(id)).rejects.toMatchObject(notFound);
    await expect(other.responses.inputItems.list(id)).rejects.toMatchObject(notFound);
    const next = other.responses.create({ model, input: 'And?', previous_response_id: id });
    await expect(next).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
    expect((await client.responses.retrieve(id)).id).toBe(id);
  });

  it('shows encrypted content only when it is made', async () => {
    const made = await client.responses.create({ model: thinker, input: 'Hello' });
    expect(made.output[0]).toHaveProperty('encrypted_content');
    expect((await client.responses.retrieve(made.id)).output[0]).not.toHaveProperty('encrypted_content');
    const included = client.responses.retrieve(made.id, { include: ['reasoning.encrypted_content'] });
    await expect(included).rejects.toMatchObject({ status: 400, param: 'include' });
  });

  it('is continued, by its id or by references to its items', async () => {
    const first = await client.responses.create({ model: thinker, input: 'Hello', instructions: 'Be brief.' });
    const next = await client.responses.create({ model: thinker, input: 'And?', previous_response_id: first.id });
    // The instructions are not carried over.
    expect(next.output_text).toContain('3 messages');
    const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }));
    const input = [
      { role: 'user' as const, content: 'Hello' },
      ...references,
      { role: 'user' as const, content: 'And?' },
    ];
    const referred = await client.responses.create({ model: thinker, input });
    expect(referred.usage?.input_tokens).toBe(next.usage?.input_tokens);
    const twice = client.responses.create({ model: thinker, input: [...input, ...references] });
    await expect(twice).rejects.toThrow(/Duplicate item found with id rs_/);
  });

  it('lists its input, page by page in both orders', async () => {
    const words = ['one', 'two', 'three'];
    const input = words.map((content) => ({ role: 'user' as const, content }));
    const { id } = await client.responses.create({ model, input });
    const listed = async (order?: 'asc' | 'desc') => {
      const texts: string[] = [];
      const query = { limit: 2, ...(order && { order }) };
      for await (const item of client.responses.inputItems.list(id, query)) {
        if (item.type !== 'message') continue;
        const [part] = item.content;
        expect(item.id).toMatch(/^msg_[0-9a-f]{48}$/);
        texts.push(part?.type === 'input_text' ? part.text : '');
      }
      return texts;
    };
    expect(await listed('asc')).toEqual(words);
    expect(await listed()).toEqual(words.toReversed());
    const page = await client.responses.inputItems.list(id, { limit: 2 });
    expect([page.data.length, page.has_more]).toEqual([2, true]);
    await expect(client.responses.inputItems.list(id, { limit: 101 })).rejects.toBeInstanceOf(BadRequestError);
    await expect(client.responses.inputItems.list(id, { after: 'msg_0' })).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.responses.inputItems.list(unknownId)).rejects.toMatchObject(notFound);
  });

  it('fails as scripted', async () => {
    const { id } = await client.responses.create({ model, input: 'Hello' });
    simulator.script({ status: 500 }, { when: ({ method }) => method === 'GET' });
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(InternalServerError);
    simulator.script({ status: 500 }, { when: ({ method }) => method === 'DELETE' });
    await expect(client.responses.delete(id)).rejects.toBeInstanceOf(InternalServerError);
    expect((await client.responses.retrieve(id)).id).toBe(id);
  });
});

describe('a response in the background', () => {
  it('is queued, in progress and then completed', async () => {
    const { id, status, output } = await client.responses.create({ model, input: 'Hello', background: true });
    expect([status, output]).toEqual(['queued', []]);
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'in_progress', output: [], usage: null });
    const ended = await client.responses.retrieve(id);
    expect(ended).toMatchObject({ id, status: 'completed', background: true, error: null });
    expect(ended.output_text).toContain('simulated');
    expect((await client.responses.cancel(id)).status).toBe('completed');
  });

  it('is cancelled before its end, and only in the background', async () => {
    const { id } = await client.responses.create({ model, input: 'Hello', background: true });
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'cancelled', output: [] });
    expect((await client.responses.cancel(id)).status).toBe('cancelled');
    expect((await client.responses.retrieve(id)).status).toBe('cancelled');
    const synchronous = await client.responses.create({ model, input: 'Hello' });
    const refused = { status: 400, message: '400 Cannot cancel a synchronous response.' };
    await expect(client.responses.cancel(synchronous.id)).rejects.toMatchObject(refused);
    await expect(client.responses.cancel(unknownId)).rejects.toMatchObject(notFound);
  });

  it('streams, and streams again after an event', async () => {
    const made = await Array.fromAsync(
      await client.responses.create({ model, input: 'Hello', background: true, stream: true }),
    );
    expect(made.slice(0, 3).map(({ type }) => type)).toEqual([
      ...['response.created', 'response.queued', 'response.in_progress'],
    ]);
    const [first] = made;
    if (first?.type !== 'response.created') throw new Error('a stream begins with the response');
    const { id } = first.response;
    const later = await Array.fromAsync(await client.responses.retrieve(id, { stream: true, starting_after: 4 }));
    expect(later).toEqual(made.slice(5));
    expect((await client.responses.stream({ response_id: id }).finalResponse()).status).toBe('completed');
    const whole = await client.responses.create({ model, input: 'Hello' });
    await expect(client.responses.retrieve(whole.id, { stream: true })).rejects.toBeInstanceOf(BadRequestError);
  });
});

describe('beside responses', () => {
  it('counts the tokens of an input', async () => {
    const params = { model, input: 'How many cups?', instructions: 'Be brief.' };
    const { usage } = await client.responses.create(params);
    const counted = await client.responses.inputTokens.count(params);
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: usage?.input_tokens });
    const unknown = client.responses.inputTokens.count({ ...params, model: 'gpt-none' });
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
  });

  it('compacts a conversation, which continues from there', async () => {
    const input: OpenAI.Responses.ResponseInputItem[] = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Good day.' },
    ];
    const compacted = await client.responses.compact({ model: 'gpt-5.1', input });
    expect(compacted).toMatchObject({ object: 'response.compaction', usage: { output_tokens: 16 } });
    const [hello, rest] = compacted.output;
    expect(hello).toMatchObject({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] });
    if (rest?.type !== 'compaction') throw new Error('the conversation is compacted');
    const next = (encrypted_content: string) =>
      client.responses.create({
        model: 'gpt-5.1',
        input: [
          { ...rest, encrypted_content },
          { role: 'user', content: 'And?' },
        ],
      });
    expect((await next(rest.encrypted_content)).status).toBe('completed');
    await expect(next('gAAAAABforeign')).rejects.toMatchObject({ code: 'invalid_encrypted_content' });
  });

  it.each([
    ['GET', '/responses', 405],
    ['PUT', `/responses/${unknownId}`, 405],
    ['GET', `/responses/${unknownId}/cancel`, 405],
    ['GET', `/responses/${unknownId}/outputs`, 404],
  ])('refuses %s %s', async (method, path, status) => {
    const headers = { authorization: 'Bearer sk-sim-conformance' };
    const response = await fetch(simulator.baseUrls['gpt-provider'] + path, { method, headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

describe('the store', () => {
  const stored = (number: number): StoredResponse => ({
    ...{ id: `resp_${number}`, account: 'sk-sim-a', background: false, status: 'completed' },
    ...{ opened: {}, response: { output: [] }, events: () => [], input: [], readsLeft: 2 },
  });

  it('drops the oldest responses above its bounds', () => {
    const many = createResponseStore();
    for (let number = 0; number <= 1_000; number += 1) many.add(stored(number), 1);
    expect(many.find('sk-sim-a', 'resp_0')).toBeUndefined();
    expect(many.find('sk-sim-a', 'resp_1')).toBeDefined();
    const large = createResponseStore();
    for (const number of [1, 2, 3]) large.add(stored(number), 30 * 1024 * 1024);
    expect([1, 2, 3].map((number) => large.find('sk-sim-a', `resp_${number}`) !== undefined)).toEqual([
      ...[false, true, true],
    ]);
    large.remove('sk-sim-a', 'resp_2');
    large.add(stored(4), 30 * 1024 * 1024);
    expect(large.find('sk-sim-a', 'resp_3')).toBeDefined();
    large.add(stored(5), 100 * 1024 * 1024);
    expect(large.find('sk-sim-a', 'resp_4')).toBeUndefined();
    expect(large.find('sk-sim-a', 'resp_5')).toBeDefined();
  });
});
