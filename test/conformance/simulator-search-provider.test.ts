// The vendor's own SDK directly against the simulator: the SDK accepts the simulator's responses, on which the
// gateway's tests rely.
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type FunctionDeclaration,
  GoogleGenAI,
  type HttpOptions,
  ThinkingLevel,
} from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';

let simulator: Simulator;
let client: GoogleGenAI;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientWith('AIzaSimConformance');
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientWith(apiKey: string, options: HttpOptions = {}): GoogleGenAI {
  return new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: simulator.baseUrls['search-provider'], ...options },
  });
}

async function all<T>(stream: Promise<AsyncIterable<T>> | AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of await stream) items.push(item);
  return items;
}

const model = 'gemini-3.5-flash';
const contents = 'hello';
const boil: FunctionDeclaration = {
  name: 'boil',
  parametersJsonSchema: {
    type: 'object',
    properties: { cups: { type: 'integer', minimum: 1 } },
    required: ['cups'],
  },
};
const tools = [{ functionDeclarations: [boil] }];
const forced = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };

describe('the SDK of the search company', () => {
  it('generates with its own version of the API and with the version before', async () => {
    for (const [apiVersion, path] of [
      [undefined, '/v1/'],
      ['v1beta', '/v1beta/'],
    ] as const) {
      simulator.reset();
      const response = await clientWith('sk-sim-x', apiVersion && { apiVersion }).models.generateContent({
        model,
        contents,
      });
      expect(response.text).toContain('simulated');
      expect(simulator.requests[0]?.target).toBe(`/search-provider${path}models/${model}:generateContent`);
    }
  });

  it('reads every part of a response and its usage', async () => {
    simulator.script({ reasoning: 'Weighing kettles.', text: 'On it.' });
    const response = await client.models.generateContent({
      model,
      contents,
      config: { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW } },
    });
    expect(response.candidates?.[0]?.content?.parts).toMatchObject([
      { text: 'Weighing kettles.', thought: true },
      { text: 'On it.', thoughtSignature: expect.any(String) },
    ]);
    expect(response).toMatchObject({ text: 'On it.', modelVersion: model, responseId: expect.any(String) });
    expect(response.usageMetadata).toMatchObject({
      promptTokenCount: 2,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 5,
      totalTokenCount: 9,
    });
  });

  it('streams the response that it generates', async () => {
    const whole = await client.models.generateContent({ model, contents });
    const chunks = await all(client.models.generateContentStream({ model, contents }));
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.map((chunk) => chunk.text ?? '').join('')).toBe(whole.text);
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata);
  });

  it('sends all of its configuration', async () => {
    const response = await client.models.generateContent({
      model,
      contents: [{ text: 'look' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
      config: {
        systemInstruction: 'Be brief.',
        temperature: 0.2,
        topP: 0.9,
        topK: 40,
        seed: 1,
        stopSequences: [' output'],
        safetySettings: [],
        serviceTier: 'flex' as never,
      },
    });
    expect(response.text).toBe('This is a simulated');
    expect(response.usageMetadata?.promptTokensDetails).toContainEqual({
      modality: 'IMAGE',
      tokenCount: 258,
    });
    expect(response.sdkHttpResponse?.headers).toMatchObject({ 'x-gemini-service-tier': 'flex' });
  });

  it('reports that a response was cut at its limit', async () => {
    const config = { maxOutputTokens: 5, thinkingConfig: { thinkingLevel: ThinkingLevel.MINIMAL } };
    const response = await client.models.generateContent({ model, contents, config });
    expect([response.text, response.candidates?.[0]?.finishReason]).toEqual(['This is a simulated ', 'MAX_TOKENS']);
  });

  it.each(['responseSchema', 'responseJsonSchema'])('gets a response in a %s', async (field) => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, cups: { type: 'integer' } },
      required: ['name', 'cups'],
    };
    const config = { responseMimeType: 'application/json', [field]: schema };
    const response = await client.models.generateContent({ model, contents, config });
    expect(JSON.parse(response.text ?? '')).toEqual({ name: 'simulated', cups: 0 });
  });

  it('reports a blocked prompt and a blocked response', async () => {
    simulator.script({ blocked: 'SAFETY' });
    const prompt = await client.models.generateContent({ model, contents });
    expect([prompt.candidates, prompt.promptFeedback?.blockReason]).toEqual([undefined, 'SAFETY']);
    simulator.script({ finishReason: 'SAFETY' });
    const response = await client.models.generateContent({ model, contents });
    expect(response.candidates?.[0]).toMatchObject({
      finishReason: 'SAFETY',
      safetyRatings: [{ blocked: true }],
    });
    expect(response.text).toBeUndefined();
  });

  it('reads the grounding of a response', async () => {
    const response = await client.models.generateContent({
      model,
      contents,
      config: { tools: [{ googleSearch: {} }] },
    });
    expect(response.candidates?.[0]?.groundingMetadata?.groundingSupports?.[0]).toMatchObject({
      segment: { endIndex: response.text?.length },
      groundingChunkIndices: [0],
    });
    simulator.script({ text: 'Call me', citations: [{ uri: 'https://a.test/', text: 'me' }] });
    const cited = await client.models.generateContent({ model, contents });
    expect(cited.candidates?.[0]?.citationMetadata?.citations).toMatchObject([{ startIndex: 5, endIndex: 7 }]);
  });

  it('counts tokens, lists models and gets one', async () => {
    expect((await client.models.countTokens({ model, contents })).totalTokens).toBe(2);
    const names = (await all(client.models.list({ config: { pageSize: 3 } }))).map((one) => one.name);
    expect(names).toContain(`models/${model}`);
    expect(await client.models.get({ model })).toMatchObject({ name: `models/${model}`, thinking: true });
    const beta = clientWith('AIzaSimX', { apiVersion: 'v1beta' });
    expect((await all(beta.models.list())).length).toBeGreaterThan(names.length);
  });
});

describe('the SDK’s tools', () => {
  it("are called, and their results are sent back with the model's signature", async () => {
    const config = { tools, toolConfig: forced };
    const request = await client.models.generateContent({ model, contents, config });
    expect(request.functionCalls).toEqual([{ id: expect.any(String), name: 'boil', args: { cups: 1 } }]);
    const [{ id, name } = {}] = request.functionCalls ?? [];
    const turn = request.candidates?.[0]?.content;
    const history = (content: Content | undefined): Content[] => [
      { role: 'user', parts: [{ text: 'hello' }] },
      content ?? {},
      {
        role: 'user',
        parts: [{ functionResponse: { id: id ?? '', name: name ?? '', response: { output: 'done' } } }],
      },
    ];
    const response = await client.models.generateContent({
      model,
      contents: history(turn),
      config: { tools },
    });
    expect(response.text).toContain('3 turns');
    const unsigned = { role: 'model', parts: [{ functionCall: { ...request.functionCalls?.[0] } }] };
    await expect(client.models.generateContent({ model, contents: history(unsigned) })).rejects.toThrow(
      /missing a thought_signature/,
    );
  });

  it('are called several at once, streamed', async () => {
    simulator.script({ toolCalls: ['boil', 'stir'].map((name) => ({ name, arguments: '{"cups":2}' })) });
    const chunks = await all(client.models.generateContentStream({ model, contents, config: { tools } }));
    expect(chunks.flatMap((chunk) => chunk.functionCalls ?? [])).toMatchObject([
      { name: 'boil', args: { cups: 2 } },
      { name: 'stir', args: { cups: 2 } },
    ]);
    const [first, second] = chunks.flatMap((chunk) => chunk.functionCalls ?? []);
    expect(first?.id).not.toBe(second?.id);
  });

  it('run until the model returns text', async () => {
    simulator.script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const cups: unknown[] = [];
    const response = await client.models.generateContent({
      model,
      contents,
      config: {
        tools: [
          {
            tool: async () => ({ functionDeclarations: [boil] }),
            callTool: async (calls) => {
              cups.push(...calls.map((call) => call.args?.cups));
              return calls.map(({ id, name }) => ({
                functionResponse: {
                  ...(id && { id }),
                  ...(name && { name }),
                  response: { output: 'boiling' },
                },
              }));
            },
          },
        ],
      },
    });
    expect([response.text?.includes('simulated'), cups, simulator.requests.length]).toEqual([true, [2], 2]);
  });

  it('run in a chat that keeps its history, streamed or not', async () => {
    const chat = client.chats.create({ model, config: { tools } });
    await all(chat.sendMessageStream({ message: 'hello' }));
    simulator.script({ text: 'On it.', toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const chunks = await all(chat.sendMessageStream({ message: 'boil two cups' }));
    const call = chunks.flatMap((chunk) => chunk.functionCalls ?? [])[0];
    const functionResponse = { id: call?.id ?? '', name: 'boil', response: { output: 'done' } };
    const response = await chat.sendMessage({ message: { functionResponse } });
    expect(response.text).toContain('simulated');
  });
});

describe('the SDK’s errors', () => {
  const failure = (pending: Promise<unknown>) => pending.then(() => undefined).catch((error: unknown) => error);

  it.each([400, 401, 403, 404, 409, 429, 500, 503, 504])('have status %i, streamed or not', async (status) => {
    simulator.script({ status, error: { message: 'as scripted' } }, { times: 2 });
    for (const request of [client.models.generateContent, client.models.generateContentStream]) {
      const error = await failure(request({ model, contents }));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, message: expect.stringContaining('as scripted') });
    }
  });

  it('report a wrong key, an unknown model and a wrong field without a script', async () => {
    const wrong = clientWith('AIzaSyWrong');
    expect(await failure(wrong.models.generateContent({ model, contents }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('API_KEY_INVALID'),
    });
    const alias = 'gemini-flash-latest';
    expect(await failure(client.models.generateContent({ model: alias, contents }))).toMatchObject({
      status: 404,
      message: expect.stringContaining(`models/${alias} is not found for API version v1,`),
    });
    const config = { httpOptions: { extraBody: { nonsense: true } } };
    expect(await failure(client.models.generateContent({ model, contents, config }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('Unknown name'),
    });
    expect(await failure(client.models.countTokens({ model: 'gpt-4o', contents }))).toMatchObject({
      status: 404,
    });
  });

  it('report an error in a stream', async () => {
    simulator.script({ tokens: 5, pieceDelayMs: 5, errorAfterEvents: 2 });
    const chunks: unknown[] = [];
    const stream = await client.models.generateContentStream({ model, contents });
    const error = await failure(
      (async () => {
        for await (const chunk of stream) chunks.push(chunk);
      })(),
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 503, message: expect.stringContaining('UNAVAILABLE') });
  });

  it('report a stream that was cut, and a connection that was reset', async () => {
    simulator.script({ tokens: 50, stop: { by: 'cut', afterPieces: 10 } });
    expect(await failure(all(client.models.generateContentStream({ model, contents })))).toBeInstanceOf(Error);
    simulator.script({ tokens: 50, stop: { by: 'end', afterBytes: 1_000 } });
    expect(await failure(all(client.models.generateContentStream({ model, contents })))).toMatchObject({
      message: expect.stringContaining('Incomplete JSON segment'),
    });
    simulator.script({ stop: { by: 'reset', beforeHead: true } });
    expect(await failure(client.models.generateContent({ model, contents }))).toBeInstanceOf(Error);
  });

  it('are not thrown when a retry succeeds', async () => {
    simulator.script({ status: 503 });
    const patient = clientWith('AIzaSimX', { retryOptions: { attempts: 2, initialDelay: 0.001 } });
    expect((await patient.models.generateContent({ model, contents })).text).toContain('simulated');
    expect(simulator.requests.map((request) => request.status)).toEqual([503, 200]);
  });
});
