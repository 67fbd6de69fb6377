import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, messageWith, post, request, responseTo, text, user, valid } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const responseFor = (change: object = {}) => responseTo(simulator, change);

describe('usage of the assistant provider', () => {
  const cached = (words: string, cache_control: object = { type: 'ephemeral' }) => ({
    ...text(words),
    cache_control,
  });
  const long = 'x'.repeat(8_000);
  const usage = async (change: object) => (await responseFor(change)).usage;

  it('counts the tokens of the request', async () => {
    expect(await usage({})).toMatchObject({
      input_tokens: 3 + 3 + 2,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      service_tier: 'standard',
    });
  });

  it('counts tokens written to the cache apart from other input', async () => {
    const counts = await usage({ system: [cached(long)] });
    expect(counts).toMatchObject({
      input_tokens: 2,
      cache_creation_input_tokens: 2_006,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 2_006, ephemeral_1h_input_tokens: 0 },
    });
  });

  it('counts tokens cached for an hour apart from those cached for minutes', async () => {
    const counts = await usage({ system: [cached(long, { type: 'ephemeral', ttl: '1h' }), cached(long)] });
    expect(counts.cache_creation).toEqual({
      ephemeral_5m_input_tokens: 2_000,
      ephemeral_1h_input_tokens: 2_006,
    });
  });

  it('reads from the cache the blocks before the latest response', async () => {
    const counts = await usage({
      system: [cached(long)],
      messages: [user, messageWith('x'), request([cached(long)])],
    });
    expect(counts).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 2_012,
      cache_creation_input_tokens: 2_003,
    });
  });

  it('counts the last block as cached when the request enables automatic caching', async () => {
    const counts = await usage({ cache_control: { type: 'ephemeral' }, messages: [request(long)] });
    expect(counts).toMatchObject({ input_tokens: 0, cache_creation_input_tokens: 2_006 });
  });

  it('counts nothing as cached that is too short for the model', async () => {
    const short = await usage({ system: [cached('x'.repeat(4_000))] });
    expect(short).toMatchObject({ input_tokens: 1_008, cache_creation_input_tokens: 0 });
    const less = await usage({ model: 'claude-opus-4-6', system: [cached(long)] });
    expect(less).toMatchObject({ input_tokens: 2_008, cache_creation_input_tokens: 0 });
  });

  it('is the scripted one, or missing', async () => {
    simulator.script({ usage: { input_tokens: 1_000_000, cache_read_input_tokens: 9 } });
    expect(await usage({})).toMatchObject({ input_tokens: 1_000_000, cache_read_input_tokens: 9 });
    simulator.script({ usage: null });
    expect(await responseFor()).not.toHaveProperty('usage');
  });

  it('is the same as the count of the token counting route', async () => {
    const { max_tokens: _, ...countable } = { ...valid, tools: [boil], system: 'Be brief.' };
    const response = await post(simulator, countable, { path: '/v1/messages/count_tokens' });
    expect(response.json()).toEqual({ input_tokens: (await usage(countable)).input_tokens });
    for (const change of [{ max_tokens: 5 }, { stream: true }, { temperature: 1 }]) {
      const refused = await post(simulator, { ...countable, ...change }, { path: '/v1/messages/count_tokens' });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Extra inputs')]);
    }
  });
});
