// Streams of the simulated search vendor: server-sent events, or a JSON list that grows. The content of each response,
// and streams that break off.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { eventsOf, type Generated, generated, post, streamed, valid } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const raw = (query: string, body: object = valid, model = 'gemini-2.5-flash') =>
  post(simulator, { method: 'streamGenerateContent', query, body, model });
const textOf = (events: readonly Generated[]) =>
  events
    .flatMap((event) => event.candidates[0].content?.parts ?? [])
    .map((part) => (part.thought ? '' : (part.text ?? '')))
    .join('');

/** Replaces all values that vary by fixed ones, so that only the framing is compared. */
const shapeOf = (text: string) =>
  text
    .replace(/,"promptTokensDetails":\[[^\]]*\]/g, '')
    .replace(/:"[^"]*"/g, ':""')
    .replace(/:\d+/g, ':0');

describe('event streams of the search provider', () => {
  it('equal the vendor’s bytes except for texts and counts', async () => {
    const theirs = await readFile(new URL('../../transcripts/search-provider.sse', import.meta.url), 'utf8');
    simulator.script({
      reasoning: 'Weighing kettles.',
      text: 'On_it.',
      toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }],
      usage: {
        promptTokenCount: 520,
        cachedContentTokenCount: 400,
        candidatesTokenCount: 19,
        thoughtsTokenCount: 12,
      },
    });
    const body = {
      ...valid,
      safetySettings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'BLOCK_NONE' }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    };
    const response = await raw('?alt=sse', body, 'gemini-3.5-flash');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(shapeOf(response.text)).toBe(shapeOf(theirs));
    const totals = (text: string) => eventsOf(text).map((event) => (event as Generated).usageMetadata.totalTokenCount);
    expect([totals(response.text)[0], totals(response.text)[2]]).toEqual([totals(theirs)[0], totals(theirs)[2]]);
  });

  it('contain the same text and usage as the response without streaming', async () => {
    const whole = await generated(simulator, {}, 'gemini-2.0-flash');
    const events = await streamed(simulator, {}, 'gemini-2.0-flash');
    expect(events.length).toBeGreaterThan(5);
    expect(textOf(events)).toBe(whole.candidates[0].content?.parts?.[0]?.text);
    expect(events.at(-1)?.usageMetadata).toEqual(whole.usageMetadata);
    expect(events.map((event) => event.candidates[0].finishReason)).toEqual([
      ...events.slice(1).map(() => undefined),
      'STOP',
    ]);
  });

  it('have one id and model, and counts that only grow', async () => {
    const events = await streamed(simulator);
    expect(new Set(events.map((event) => event.responseId)).size).toBe(1);
    expect(new Set(events.map((event) => event.modelVersion))).toEqual(new Set(['gemini-2.5-flash']));
    const totals = events.map((event) => event.usageMetadata.totalTokenCount);
    expect(totals).toEqual([...totals].sort((a, b) => a - b));
  });

  it('contain each call whole, and the finish reason with the last one', async () => {
    simulator.script({ toolCalls: ['boil', 'stir'].map((name) => ({ name, arguments: '{"cups":2}' })) });
    const events = await streamed(simulator, {}, 'gemini-3.5-flash');
    expect(
      events.map(({ candidates: [one] }) => [one.content?.parts?.[0]?.functionCall?.name, one.finishReason]),
    ).toEqual([
      ['boil', undefined],
      ['stir', 'STOP'],
    ]);
    expect(events.map(({ candidates: [one] }) => one.content?.parts?.[0]?.thoughtSignature === undefined)).toEqual([
      false,
      true,
    ]);
  });

  it('end a signed text with a separate signature', async () => {
    const events = await streamed(simulator, {}, 'gemini-3.5-flash');
    expect(events.at(-1)?.candidates[0]).toEqual({
      content: { role: 'model', parts: [{ text: '', thoughtSignature: expect.any(String) }] },
      finishReason: 'STOP',
      index: 0,
    });
  });

  it('end with only a finish reason when the limit leaves room for thoughts only', async () => {
    const config = { generationConfig: { maxOutputTokens: 3, thinkingConfig: { includeThoughts: true } } };
    const events = await streamed(simulator, config);
    expect(events.map((event) => event.candidates[0])).toEqual([
      { content: { role: 'model', parts: [{ text: 'A simulated ', thought: true }] }, index: 0 },
      { content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 },
    ]);
  });

  it('have one event when the filter blocks', async () => {
    simulator.script({ blocked: 'SAFETY' });
    expect(await streamed(simulator)).toMatchObject([{ promptFeedback: { blockReason: 'SAFETY' } }]);
    simulator.script({ finishReason: 'SAFETY' });
    expect(await streamed(simulator, {}, 'gemini-2.0-flash')).toMatchObject([
      { candidates: [{ finishReason: 'SAFETY' }] },
    ]);
  });

  it('report sources together with the finish reason', async () => {
    simulator.script({ text: 'Tea for all', citations: [{ uri: 'https://a.test/', text: 'all' }] });
    const events = await streamed(simulator, {}, 'gemini-2.0-flash');
    expect(events.map((event) => 'citationMetadata' in event.candidates[0])).toEqual([false, false, true]);
    expect(events.at(-1)?.candidates[0].citationMetadata).toMatchObject({
      citationSources: [{ startIndex: 8, endIndex: 11 }],
    });
  });

  it('contain the log probabilities of the text of each event', async () => {
    const config = { generationConfig: { responseLogprobs: true } };
    const [first] = await streamed(simulator, config, 'gemini-2.0-flash');
    expect(first?.candidates[0].logprobsResult).toMatchObject({ chosenCandidates: [{ token: 'This ' }] });
  });

  it('break off with an error as one more event', async () => {
    simulator.script({ tokens: 10, errorAfterEvents: 2, error: { message: 'broken' } });
    const events = eventsOf((await raw('?alt=sse')).text);
    expect(events).toHaveLength(3);
    expect(events[2]).toEqual({ error: { code: 503, message: 'broken', status: 'UNAVAILABLE' } });
  });
});

describe('a stream as a JSON list', () => {
  it('grows by one response after another', async () => {
    const response = await raw('', valid, 'gemini-2.0-flash');
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(response.text.startsWith('[{\n  "candidates"')).toBe(true);
    expect(response.text.split(',\r\n{').length).toBeGreaterThan(5);
    expect(response.text.endsWith('}]')).toBe(true);
    expect(textOf(JSON.parse(response.text))).toBe(textOf(await streamed(simulator, {}, 'gemini-2.0-flash')));
  });

  it('breaks off with an error as one more element', async () => {
    simulator.script({ tokens: 10, errorAfterEvents: 1 });
    expect(JSON.parse((await raw('?alt=json')).text)).toMatchObject([{ candidates: [{}] }, { error: { code: 503 } }]);
  });
});

describe('errors before a stream', () => {
  const bad = { contents: [] };

  it('are an object in a list, or JSON with the content type of events', async () => {
    const inList = await raw('', bad);
    expect([inList.status, inList.headers.get('content-type')]).toEqual([400, 'application/json; charset=UTF-8']);
    expect(JSON.parse(inList.text)).toMatchObject([{ error: { status: 'INVALID_ARGUMENT' } }]);
    const inEvents = await raw('?alt=sse', bad);
    expect([inEvents.status, inEvents.headers.get('content-type')]).toEqual([400, 'text/event-stream']);
    expect(JSON.parse(inEvents.text)).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
    simulator.script({ status: 429 });
    expect(JSON.parse((await raw('')).text)).toMatchObject([{ error: { code: 429 } }]);
  });

  it('about the key are plain JSON, also for event streams', async () => {
    const headers = { 'x-goog-api-key': 'wrong' };
    const response = await post(simulator, { method: 'streamGenerateContent', query: '?alt=sse', headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json; charset=UTF-8']);
    expect(JSON.parse(response.text)).toMatchObject({
      error: { details: [{ reason: 'API_KEY_INVALID' }, {}] },
    });
  });
});
