import OpenAI from 'openai';
import type { ModerationCreateResponse } from 'openai/resources/moderations';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { post } from './post-chat.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

const client = () => new OpenAI({ apiKey: 'sk-sim-test', baseURL: simulator.baseUrls['gpt-provider'], maxRetries: 0 });
const moderate = (body: object, headers = { authorization: 'Bearer sk-sim-test' }) =>
  post(`${simulator.baseUrls['gpt-provider']}/moderations`, body, headers);

const flagged = ({ results }: ModerationCreateResponse) =>
  results.map(({ categories }) =>
    Object.entries(categories).flatMap(([category, isFlagged]) => (isFlagged === true ? [category] : [])),
  );

describe('moderation through the official SDK', () => {
  it('flags the categories that a text names, and keeps the order of the texts', async () => {
    const response = await client().moderations.create({
      model: 'omni-moderation-latest',
      input: ['quiet', 'flag:violence and flag:self-harm/intent', 'flag:hate=0.49', 'flag:hate=0.5'],
    });
    expect(flagged(response)).toEqual([[], ['self-harm/intent', 'violence'], [], ['hate']]);
    expect(response.results.map((result) => result.flagged)).toEqual([false, true, false, true]);
    expect(response.results[2]?.category_scores.hate).toBe(0.49);
    expect(response).toMatchObject({
      id: expect.stringMatching(/^modr-/),
      model: 'omni-moderation-2024-09-26',
    });
    const { categories = {}, category_scores, category_applied_input_types } = response.results[0] ?? {};
    expect(Object.keys(categories)).toHaveLength(13);
    expect(Object.keys(category_scores ?? {})).toEqual(Object.keys(categories));
    expect(Object.keys(category_applied_input_types ?? {})).toEqual(Object.keys(categories));
  });

  it('accepts a single text, and classifies parts together', async () => {
    const one = await client().moderations.create({ input: 'flag:violence' });
    const image = { type: 'image_url', image_url: { url: 'https://images.example.com/one.png' } } as const;
    const parts = await client().moderations.create({
      input: [image, { type: 'text', text: 'flag:hate' }, { type: 'text', text: 'flag:sexual' }],
    });
    expect([flagged(one), flagged(parts)]).toEqual([[['violence']], [['sexual', 'hate']]]);
  });

  it('returns a scripted error in the vendor’s envelope', async () => {
    simulator.script({ status: 429 });
    await expect(client().moderations.create({ input: 'x' })).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
    });
  });
});

describe('moderation refuses', () => {
  it.each([
    ['no input', {}, 'input', 'missing_required_parameter'],
    ['an empty text', { input: '' }, 'input', 'empty_string'],
    ['an empty list', { input: [] }, 'input', 'empty_array'],
    ['an empty text in a list', { input: ['a', ''] }, 'input[1]', 'empty_string'],
    ['33 texts', { input: Array(33).fill('a') }, 'input', 'array_above_max_length'],
    ['texts among parts', { input: ['a', { type: 'text', text: 'b' }] }, 'input[0]', 'invalid_type'],
    ['a number', { input: 7 }, 'input', 'invalid_type'],
    ['a part of another type', { input: [{ type: 'audio' }] }, 'input[0].type', 'invalid_value'],
    ['another model', { input: 'a', model: 'gpt-4o' }, 'model', 'invalid_value'],
    ['an unknown parameter', { input: 'a', user: 'me' }, 'user', 'unknown_parameter'],
    [
      'two images',
      { input: Array(2).fill({ type: 'image_url', image_url: { url: 'https://images.example.com/a.png' } }) },
      'input',
      'too_many_images',
    ],
  ])('%s', async (_what, body, param, code) => {
    const response = await moderate(body);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param, code } });
    expect(response.status).toBe(400);
  });

  it('32 texts never', async () => {
    expect((await moderate({ input: Array(32).fill('a') })).status).toBe(200);
  });

  it('another key', async () => {
    const response = await moderate({ input: 'a' }, { authorization: 'Bearer sk-other' });
    expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
  });

  it('another method', async () => {
    const url = `${simulator.baseUrls['gpt-provider']}/moderations`;
    expect((await fetch(url, { headers: { authorization: 'Bearer sk-sim-test' } })).status).toBe(405);
  });
});
