// The official SDK of generateContent as a client of all five vendors: what it reads, and what each vendor gets.
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  Type,
} from '@google/genai';
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { png } from '../support/png.ts';
import { ownHeaders } from '../support/vendors.ts';
import { keyWithout, modelAt, useScene } from './clients/scene.ts';

const clients = useScene();
const { sent } = clients;
const client = (apiVersion = 'v1beta', apiKey = clients.scene.key) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: clients.scene.gateway.proxy.url, apiVersion } });
const generate = (vendor: VendorName, contents: Content[] | string, config: GenerateContentConfig = {}) =>
  client().models.generateContent({ model: modelAt(vendor), contents, config });
async function streamed(vendor: VendorName, contents: Content[] | string, config: GenerateContentConfig = {}) {
  const pieces: GenerateContentResponse[] = [];
  const stream = await client().models.generateContentStream({ model: modelAt(vendor), contents, config });
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}
const partsOf = (pieces: readonly GenerateContentResponse[]): Part[] =>
  pieces.flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? []);
const thrown = (pending: Promise<unknown>) => pending.catch((error: unknown) => error);

const weather = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
};
const tools = [{ functionDeclarations: [weather] }];

describe.each(vendorNames)('a model of %s', (vendor) => {
  it.each(['v1beta', 'v1'])('returns text with its usage, at %s', async (version) => {
    const response = await client(version).models.generateContent({
      model: modelAt(vendor),
      contents: 'Hello',
      ...(version === 'v1beta' && { config: { systemInstruction: 'Be brief.', maxOutputTokens: 100 } }),
    });
    expect(response.text).toContain('simulated');
    expect(response.candidates?.[0]).toMatchObject({ finishReason: 'STOP', content: { role: 'model' } });
    const { promptTokenCount = 0, candidatesTokenCount = 0, totalTokenCount } = response.usageMetadata ?? {};
    expect(promptTokenCount).toBeGreaterThan(0);
    expect(candidatesTokenCount).toBeGreaterThan(0);
    expect(totalTokenCount).toBeGreaterThanOrEqual(promptTokenCount + candidatesTokenCount);
    expect(response.responseId).toBeTruthy();
    expect(response.sdkHttpResponse?.headers?.['x-svc-provider']).toBe(vendor);
    if (version === 'v1beta') expect(sent()).toContain('Be brief.');
  });

  it('streams its text, and the end with the usage in the last piece', async () => {
    const pieces = await streamed(vendor, 'Hello', { maxOutputTokens: 100 });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map(({ text }) => text ?? '').join('')).toContain('simulated');
    const reasons = pieces.map(({ candidates }) => candidates?.[0]?.finishReason);
    expect(reasons.filter((reason) => reason !== undefined)).toEqual(['STOP']);
    expect(reasons.at(-1)).toBe('STOP');
    expect(pieces.at(-1)?.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
  });

  it.each(['whole', 'streamed'])('calls tools in parallel and reads their results, %s', async (form) => {
    clients.scene.gateway.simulator.script({
      toolCalls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city":"Rome"}' },
      ],
    });
    const hello: Content = { role: 'user', parts: [{ text: 'Hello' }] };
    const pieces =
      form === 'whole' ? [await generate(vendor, [hello], { tools })] : await streamed(vendor, [hello], { tools });
    const calls = pieces.flatMap(({ functionCalls = [] }) => functionCalls);
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['weather', { city: 'Oslo' }],
      ['weather', { city: 'Rome' }],
    ]);
    const results = ['rain', 'sun'].map((output, index) => ({
      functionResponse: { ...ofCall(calls[index]), name: 'weather', response: { output } },
    }));
    // The gateway folds the pieces of a stream; the vendor itself leaves that to the client.
    const turns =
      vendor === 'search-provider'
        ? [{ role: 'model', parts: partsOf(pieces) }]
        : pieces.flatMap(({ candidates }) => candidates?.[0]?.content ?? []);
    const second = await generate(
      vendor,
      [hello, ...turns, { role: 'user', parts: [...results, { text: 'Where is it dry?' }] }],
      { tools },
    );
    expect(second.text).toContain('simulated');
    const body = sent();
    expect(body.indexOf('rain')).toBeLessThan(body.indexOf('sun'));
    expect(body).toContain('Where is it dry?');
  });

  it('reads calls and results without ids', async () => {
    const call = (city: string) => ({ functionCall: { name: 'weather', args: { city } } });
    const result = (output: string) => ({ functionResponse: { name: 'weather', response: { output } } });
    const response = await generate(
      vendor,
      [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [call('Oslo'), call('Rome')] },
        { role: 'user', parts: [result('rain'), result('sun')] },
      ],
      { tools },
    );
    expect(response.text).toContain('simulated');
    expect(sent().indexOf('rain')).toBeLessThan(sent().indexOf('sun'));
  });

  it('sees images', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: png } };
    await generate(vendor, [{ role: 'user', parts: [{ text: 'Look' }, image] }]);
    expect(sent()).toContain(png);
  });

  it.each(['responseSchema', 'responseJsonSchema'])('responds in the form of a %s', async (field) => {
    const schema =
      field === 'responseSchema'
        ? { type: Type.OBJECT, properties: { a: { type: Type.NUMBER } }, required: ['a'] }
        : { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };
    const { text } = await generate(vendor, 'Hello', { responseMimeType: 'application/json', [field]: schema });
    expect(JSON.parse(text ?? '')).toHaveProperty('a');
    expect(sent()).toMatch(/"properties\\?":\{\\?"a\\?"/);
  });

  it('must call a tool if it has to', async () => {
    const mode = FunctionCallingConfigMode.ANY;
    const { functionCalls = [] } = await generate(vendor, 'Hello', {
      tools,
      toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: ['weather'] } },
    });
    expect(functionCalls.map(({ name }) => name)).toEqual(['weather']);
  });

  it('stops at a text', async () => {
    await generate(vendor, 'Hello', { stopSequences: ['END'] });
    expect(sent()).toContain('"END"');
  });

  it('fails with the error that the SDK knows', async () => {
    clients.scene.gateway.simulator.script({ status: 400, error: { message: 'the request is wrong' } });
    const error = await thrown(generate(vendor, 'Hello'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('the request is wrong') });
  });

  it('ends a cut stream with an error, not with an end', async () => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    await expect(streamed(vendor, 'Hello')).rejects.toThrow();
  });

  it('streams a JSON array without alt=sse', async () => {
    const response = await fetchStream(vendor);
    expect(response.headers.get('content-type')).toBe('application/json');
    const pieces = (await response.json()) as GenerateContentResponse[];
    const text = partsOf(pieces).map((part) => part.text ?? '');
    expect(text.join('')).toContain('simulated');
    expect(pieces.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { candidatesTokenCount: expect.any(Number) },
    });
  });

  it('ends a cut array with the error and without its end', async () => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    const body = await readCut(await fetchStream(vendor));
    expect(body).toMatch(/^\[\{/);
    expect(body).toMatch(/,\r\n\{"error":\{"code":\d+.*\}$/);
  });
});

/** Older models of the vendor give no ids. */
function ofCall({ id }: { readonly id?: string } = {}): { readonly id?: string } {
  return id === undefined ? {} : { id };
}

function fetchStream(vendor: VendorName): Promise<Response> {
  return fetch(`${clients.scene.gateway.proxy.url}/v1beta/models/${modelAt(vendor)}:streamGenerateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': clients.scene.key, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  });
}

/** Everything that arrived before the connection was cut. */
async function readCut({ body }: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    return text;
  }
  throw new Error('the stream was not cut');
}

describe('the vendor of the format', () => {
  const vendor = 'search-provider';
  const path = (method: string) => `/v1beta/models/gemini-2.5-flash:${method}`;
  const call = (body: string, method = 'generateContent', headers: Record<string, string> = {}) =>
    fetch(clients.scene.gateway.proxy.url + path(method), {
      method: 'POST',
      headers: { 'x-goog-api-key': clients.scene.key, 'content-type': 'application/json', ...headers },
      body,
    });
  const text = (fields = '') =>
    `{ "generationConfig": {"temperature": 1e0},\n "contents":[{"role":"user","parts":[{"text":"caf\\u00e9"}]}]${fields} }`;

  it('gets the bytes of a bare model’s request', async () => {
    const response = await call(text());
    expect(response.status).toBe(200);
    expect(sent()).toBe(text());
  });

  it('responds with its own bytes', async () => {
    const method = 'streamGenerateContent?alt=sse';
    const direct = await fetch(clients.scene.gateway.simulator.baseUrls[vendor] + path(method), {
      method: 'POST',
      headers: { 'x-goog-api-key': 'AIzaSimOwn-0123456789', 'content-type': 'application/json' },
      body: text(),
    });
    const withoutIds = (events: string) => events.replaceAll(/"responseId": ?"[^"]+"/g, '');
    expect(withoutIds(await (await call(text(), method)).text())).toBe(withoutIds(await direct.text()));
  });

  it('is not offered tools that it would run itself, and the response names them', async () => {
    const fields = ', "tools": [{"googleSearch":{}}, {"url_context":{}, "function_declarations":[{"name":"f"}]}]';
    const response = await call(text(fields));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped-params')).toBe('tools.googleSearch,tools.urlContext');
    expect(sent()).toContain('"tools": [{"functionDeclarations":[{"name":"f"}]}]');
  });

  it.each([
    ['cachedContent', ', "cachedContent": "cachedContents/1"'],
    ['cachedContent', ', "cached_content": "cachedContents/1"'],
    ['fileData', ', "systemInstruction": {"parts":[{"file_data":{"file_uri":"https://x.example/files/1"}}]}'],
  ])('is not sent %s with a stored key', async (param, fields) => {
    const response = await call(text(fields));
    expect(response.status).toBe(400);
    expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
    expect(await response.text()).toContain(param);
  });

  it('gets the caller’s own key and everything that it can reach', async () => {
    const own = {
      'x-svc-vk': clients.scene.key,
      'x-svc-direct-key': 'true',
      'x-goog-api-key': ownHeaders[vendor].authorization,
    };
    await call(text(', "cachedContent": "cachedContents/1"'), 'generateContent', own);
    expect(sent()).toContain('cachedContents/1');
  });

  it.each(['text/plain', 'image/svg+xml', 'application/json'])('gets no data of the type %s', async (mimeType) => {
    const body = { contents: [{ parts: [{ inlineData: { mimeType, data: 'aGVsbG8=' } }] }] };
    const response = await call(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('contents[0].parts[0].inlineData.mimeType');
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

describe('a signature of a call', () => {
  const model = 'search-provider/gemini-3-pro-preview';
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const result = { functionResponse: { name: 'weather', response: { output: 'rain' } } };
  /** The parts of a response with one call, in the form that is not the vendor's own. */
  async function arrayParts(): Promise<Part[]> {
    clients.scene.gateway.simulator.script({ toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] });
    const response = await fetch(`${clients.scene.gateway.proxy.url}/v1beta/models/${model}:streamGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': clients.scene.key, 'content-type': 'application/json' },
      body: JSON.stringify({ contents, tools }),
    });
    return partsOf((await response.json()) as GenerateContentResponse[]);
  }
  const withResult = (parts: Part[]): Content[] => {
    const id = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall?.id;
    const functionResponse = { ...result.functionResponse, ...ofCall(id === undefined ? {} : { id }) };
    return [...contents, { role: 'model', parts }, { role: 'user', parts: [{ functionResponse }] }];
  };

  it('returns to its model as the model made it', async () => {
    const parts = await arrayParts();
    const signature = parts.find(({ functionCall }) => functionCall !== undefined)?.thoughtSignature ?? '';
    expect(signature).toMatch(/^gw1_/);
    const own = Buffer.from(signature.slice('gw1_'.length), 'base64url').toString().split(' ').at(-1) ?? '';
    const response = await client().models.generateContent({ model, contents: withResult(parts), config: { tools } });
    expect(response.text).toContain('simulated');
    expect(own).toMatch(/.{20}/);
    expect(sent()).toContain(own);
    expect(sent()).not.toContain('gw1_');
  });

  it.each(vendorNames)('does not reach %s', async (vendor) => {
    const parts = await arrayParts();
    const response = await generate(vendor, withResult(parts), { tools });
    expect(response.text).toContain('simulated');
    expect(sent()).not.toContain('gw1_');
  });
});

describe('refusals', () => {
  it('name the field as the client wrote it', async () => {
    const error = await thrown(generate('gpt-provider', 'Hello', { temperature: 'hot' as never }));
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('generationConfig.temperature') });
  });

  it('of a name that nobody lists have the nearest names', async () => {
    const key = await keyWithout('search-provider', ['gpt-provider/gpt-4o-mini'], clients);
    const { models } = client('v1beta', key);
    const error = await thrown(models.generateContent({ model: 'gpt-4o-mimi', contents: 'Hello' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 404 });
    expect(JSON.parse((error as ApiError).message)).toMatchObject({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: expect.stringMatching(/the nearest that this key may call: gpt-provider\/gpt-4o-mini$/),
        details: [{ reason: 'model_not_found' }],
      },
    });
  });

  it('of what only the vendor of the format has', async () => {
    const error = await thrown(generate('assistant-provider', 'Hello', { cachedContent: 'cachedContents/1' }));
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('cachedContent') });
  });

  it('of a key are the SDK’s own errors', async () => {
    const stranger = new GoogleGenAI({
      apiKey: 'vk_live_0123456789abcdefghijklmnopqrstuv',
      httpOptions: { baseUrl: clients.scene.gateway.proxy.url },
    });
    const error = await thrown(stranger.models.generateContent({ model: 'x', contents: 'Hello' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 401 });
  });
});
