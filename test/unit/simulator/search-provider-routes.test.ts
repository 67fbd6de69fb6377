// Authentication and paths of the simulated search vendor.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { post, valid } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, keys: ['AIza-listed'] });
});
afterAll(() => simulator.close());

describe('a caller of the search provider', () => {
  const error = async (headers: Record<string, string>, query = '') => {
    const response = await post(simulator, { headers, query });
    return [response.status, JSON.parse(response.text).error];
  };

  it('is refused without a key', async () => {
    expect(await error({ 'x-goog-api-key': '' })).toEqual([
      403,
      {
        code: 403,
        message: expect.stringContaining("Method doesn't allow unregistered callers"),
        status: 'PERMISSION_DENIED',
      },
    ]);
  });

  it.each(['AIzaSyReal', 'sk-proj-1', `sk-svc-${'a'.repeat(49)}`])(
    'is refused with the invalid key %s',
    async (key) => {
      const message = 'API key not valid. Please pass a valid API key.';
      const metadata = { service: 'generativelanguage.googleapis.com' };
      expect(await error({ 'x-goog-api-key': key })).toEqual([
        400,
        {
          code: 400,
          message,
          status: 'INVALID_ARGUMENT',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'API_KEY_INVALID',
              domain: 'googleapis.com',
              metadata,
            },
            { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
          ],
        },
      ]);
    },
  );

  it('is refused with a bearer token, even beside a valid key', async () => {
    expect(await error({ authorization: 'Bearer AIzaSimTest' })).toMatchObject([
      401,
      { status: 'UNAUTHENTICATED', details: [{ reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED' }] },
    ]);
  });

  it('can use a listed key, one of the simulator’s own, or a key in the query', async () => {
    for (const key of ['AIza-listed', 'sk-sim-x']) {
      expect((await post(simulator, { headers: { 'x-goog-api-key': key } })).status).toBe(200);
    }
    const inQuery = { headers: { 'x-goog-api-key': '' }, query: '?key=AIzaSimTest' };
    expect((await post(simulator, inQuery)).status).toBe(200);
    const url = `${simulator.baseUrls['search-provider']}/v1beta/models?key=AIzaSimTest`;
    expect((await fetch(url)).status).toBe(200);
  });
});

describe('a path of the search provider', () => {
  const missing = (name: string, version = 'v1beta', method = 'generateContent') => ({
    error: {
      code: 404,
      message: `models/${name} is not found for API version ${version}, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`,
      status: 'NOT_FOUND',
    },
  });

  it.each(['gemini-99', 'toString', 'gemini-embedding-001', 'models'])('has no model %s', async (model) => {
    const response = await post(simulator, { model });
    expect([response.status, JSON.parse(response.text)]).toEqual([404, missing(model)]);
  });

  it.each(['gemini-flash-latest', 'gemini-3.1-pro-preview'])('under v1 has no model %s', async (model) => {
    const response = await post(simulator, { model, version: 'v1' });
    expect([response.status, JSON.parse(response.text)]).toEqual([404, missing(model, 'v1')]);
    expect((await post(simulator, { model })).status).toBe(200);
  });

  it('under v1 supports everything else of v1beta, and its types have the name of v1', async () => {
    const body = { ...valid, systemInstruction: { parts: [{ text: 'a' }] }, tools: [{ googleSearch: {} }] };
    expect((await post(simulator, { body, version: 'v1' })).status).toBe(200);
    const wrong = await post(simulator, { body: { contents: 'a' }, version: 'v1' });
    expect(JSON.parse(wrong.text).error.message).toContain('generativelanguage.v1.Content');
  });

  it('can contain an encoded model name', async () => {
    expect((await post(simulator, { model: 'gemini-2%2E5-flash' })).status).toBe(200);
    expect((await post(simulator, { model: 'google%2Fgemini-2.5-flash' })).status).toBe(404);
    expect((await post(simulator, { model: '%E0%A4%A' })).status).toBe(404);
    const url = `${simulator.baseUrls['search-provider']}/v1beta/models/gemini-2.5-flash%3AgenerateContent`;
    const headers = { 'x-goog-api-key': 'AIzaSimTest', 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(valid) })).status).toBe(200);
  });

  it.each([
    ['GET', '/v1beta/models/gemini-2.5-flash:generateContent'],
    ['POST', '/v1beta/models'],
    ['POST', '/v1beta/models/gemini-2.5-flash:embedContent'],
    ['POST', '/v1beta/models/google/gemini-2.5-flash:generateContent'],
    ['POST', '/v1alpha/models/gemini-2.5-flash:generateContent'],
    ['GET', '/v1beta/models/a/b'],
    ['GET', '/v1beta/'],
  ])('does not exist: %s %s', async (method, path) => {
    const response = await fetch(simulator.baseUrls['search-provider'] + path, { method });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
    expect(await response.text()).toContain('<!DOCTYPE html>');
  });

  it('has only the known query parameters', async () => {
    expect((await post(simulator, { query: '?prettyPrint=false&alt=json' })).status).toBe(200);
    for (const query of ['?stream=true', '?alt=sse', '?alt=xml']) {
      const response = await post(simulator, { query });
      expect([query, response.status]).toEqual([query, 400]);
    }
  });
});
