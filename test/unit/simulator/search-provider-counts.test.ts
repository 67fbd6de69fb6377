// Token counts, safety ratings, citations and blocked responses of the simulated search vendor, and the errors that a
// test scripts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, type Simulator, startSimulator } from '../../../simulator/index.ts';
import { generated, post, valid } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const responseTo = (change: object = {}, model?: string) => generated(simulator, change, model);

describe('token counts of the search provider', () => {
  it('add up: thoughts are beside the candidates, cached tokens are within the prompt', async () => {
    const body = {
      cachedContent: 'cachedContents/sim-a',
      contents: [{ parts: [{ text: 'hello' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
    };
    const { usageMetadata } = await responseTo(body);
    expect(usageMetadata).toEqual({
      promptTokenCount: 2 + 2_048 + 258,
      cachedContentTokenCount: 2_048,
      candidatesTokenCount: 34,
      thoughtsTokenCount: 64,
      totalTokenCount: 2_308 + 34 + 64,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 2_050 },
        { modality: 'IMAGE', tokenCount: 258 },
      ],
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 2_048 }],
    });
  });

  it('include the results of a search', async () => {
    const { usageMetadata: usage } = await responseTo({ tools: [{ googleSearch: {} }] });
    expect(usage.toolUsePromptTokenCount).toBe(32);
    expect(usage.totalTokenCount).toBe(2 + 32 + 34 + 64);
  });

  it('are the scripted ones, or missing', async () => {
    simulator.script({
      usage: { promptTokenCount: 520, cachedContentTokenCount: 400, candidatesTokenCount: 7 },
    });
    expect((await responseTo({}, 'gemini-2.0-flash')).usageMetadata).toMatchObject({
      promptTokenCount: 520,
      cachedContentTokenCount: 400,
      candidatesTokenCount: 7,
      totalTokenCount: 527,
    });
    simulator.script({ usage: null });
    expect(await responseTo()).not.toHaveProperty('usageMetadata');
  });

  it('of a prompt are returned without a response to it', async () => {
    const request = (body: object) => post(simulator, { method: 'countTokens', body });
    expect(JSON.parse((await request(valid)).text)).toEqual({
      totalTokens: 2,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 2 }],
    });
    const whole = {
      model: 'models/gemini-2.5-flash',
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      ...valid,
    };
    expect(JSON.parse((await request({ generateContentRequest: whole })).text)).toMatchObject({
      totalTokens: 4,
    });
    for (const wrong of [
      {},
      { ...valid, tools: [] },
      { ...valid, generateContentRequest: whole },
      { generateContentRequest: valid },
    ]) {
      expect((await request(wrong)).status).toBe(400);
    }
  });
});

describe('filters and sources of the search provider', () => {
  it('can block a prompt, which leaves no candidates', async () => {
    simulator.script({ blocked: 'PROHIBITED_CONTENT' });
    const response = await responseTo();
    expect(response).not.toHaveProperty('candidates');
    expect(response).toMatchObject({
      promptFeedback: {
        blockReason: 'PROHIBITED_CONTENT',
        safetyRatings: [{ probability: 'HIGH', blocked: true }],
      },
      usageMetadata: { promptTokenCount: expect.any(Number) },
      modelVersion: 'gemini-2.5-flash',
    });
    expect(response.usageMetadata).not.toHaveProperty('candidatesTokenCount');
  });

  it('can block a response: a candidate without content', async () => {
    simulator.script({ finishReason: 'SAFETY' });
    expect((await responseTo({}, 'gemini-2.0-flash')).candidates).toEqual([
      {
        finishReason: 'SAFETY',
        index: 0,
        safetyRatings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }],
      },
    ]);
    simulator.script({ finishReason: 'MALFORMED_FUNCTION_CALL' });
    expect((await responseTo()).candidates).toEqual([{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }]);
  });

  it('can cut off a response, whose text so far stays', async () => {
    simulator.script({ finishReason: 'RECITATION', text: 'Call me' });
    expect((await responseTo({}, 'gemini-2.0-flash')).candidates[0]).toMatchObject({
      finishReason: 'RECITATION',
      content: { parts: [{ text: 'Call me' }] },
    });
  });

  it('rate the categories of the request', async () => {
    const safetySettings = ['HARM_CATEGORY_HARASSMENT', 'HARM_CATEGORY_HATE_SPEECH'].map((category) => ({
      category,
      threshold: 'BLOCK_NONE',
    }));
    const [candidate] = (await responseTo({ safetySettings })).candidates;
    expect(candidate.safetyRatings).toEqual(
      safetySettings.map(({ category }) => ({ category, probability: 'NEGLIGIBLE' })),
    );
  });

  it('cite by byte positions', async () => {
    simulator.script({
      text: '🍵 Tee für alle',
      citations: [{ uri: 'https://a.test/', text: 'für' }, { uri: 'https://b.test/' }],
    });
    const [candidate] = (await responseTo()).candidates;
    expect(candidate.citationMetadata).toEqual({
      citationSources: [
        { startIndex: 9, endIndex: 13, uri: 'https://a.test/', license: '' },
        { endIndex: 18, uri: 'https://b.test/', license: '' },
      ],
    });
  });

  it('ground the results of a search by byte positions', async () => {
    const tools = [{ googleSearch: {} }];
    simulator.script({
      text: '🍵 Tee',
      citations: [{ uri: 'https://a.test/', title: 'a.test', text: 'Tee' }],
    });
    const [candidate] = (await responseTo({ tools })).candidates;
    expect(candidate.groundingMetadata).toEqual({
      webSearchQueries: ['simulated'],
      searchEntryPoint: { renderedContent: expect.any(String) },
      groundingChunks: [{ web: { uri: 'https://a.test/', title: 'a.test' } }],
      groundingSupports: [
        {
          segment: { startIndex: 5, endIndex: 8, text: 'Tee' },
          groundingChunkIndices: [0],
          confidenceScores: [0.9],
        },
      ],
    });
    expect((await responseTo({ tools })).candidates[0].groundingMetadata).toMatchObject({
      groundingChunks: [{}],
    });
    simulator.script({ citations: [] });
    expect((await responseTo({ tools })).candidates[0]).not.toHaveProperty('groundingMetadata');
    expect((await responseTo()).candidates[0]).not.toHaveProperty('citationMetadata');
  });
});

describe('errors of the search provider', () => {
  const failed = async (behaviour: Behaviour) => {
    simulator.script(behaviour);
    const response = await post(simulator);
    return [response.status, JSON.parse(response.text).error];
  };

  it.each([
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [409, 'ABORTED'],
    [429, 'RESOURCE_EXHAUSTED'],
    [499, 'CANCELLED'],
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
    [418, 'UNKNOWN'],
  ])('of status %i are %s', async (status, name) => {
    expect(await failed({ status })).toMatchObject([
      status,
      { code: status, status: name, message: expect.any(String) },
    ]);
  });

  it('report a quota and when to retry', async () => {
    const [, error] = await failed({ status: 429 });
    expect(error.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: expect.any(String),
            quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
            quotaValue: '3',
          },
        ],
      },
      { '@type': 'type.googleapis.com/google.rpc.Help', links: [expect.any(Object)] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '20s' },
    ]);
    const daily = { quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', retryDelay: null };
    const [, other] = await failed({ status: 429, error: { message: 'as scripted', ...daily } });
    expect(other).toMatchObject({
      message: 'as scripted',
      details: [{ violations: [{ quotaId: daily.quotaId }] }, {}],
    });
    expect(other.details).toHaveLength(2);
  });

  it('have another status and reason when scripted', async () => {
    const [, error] = await failed({
      status: 400,
      error: { status: 'FAILED_PRECONDITION', reason: 'BILLING_DISABLED' },
    });
    expect(error).toMatchObject({
      code: 400,
      status: 'FAILED_PRECONDITION',
      details: [{ reason: 'BILLING_DISABLED' }],
    });
  });
});
