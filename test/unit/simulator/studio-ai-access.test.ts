import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import type { SentHeaders } from './post-chat.ts';
import { apiKey, badRequest, expectResponse, messages, plainBearer, studio, token } from './post-studio.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, keys: ['listed-key'] });
});
afterAll(() => simulator.close());
const { at, dated, v1 } = studio(() => simulator);

const invalidKey = {
  error: { code: '401', message: expect.stringMatching(/^Access denied due to invalid subscription key or/) },
};
const invalidToken = {
  statusCode: 401,
  message: expect.stringMatching(/^Unauthorized. Access token is missing/),
};
const noDeployment = {
  error: { code: 'DeploymentNotFound', message: expect.stringMatching(/^The API deployment for this/) },
};
const noResource = { error: { code: '404', message: 'Resource not found' } };
describe('credentials of the studio', () => {
  const datedPath = '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21';
  const inferencePath = '/models/chat/completions?api-version=2024-05-01-preview';

  it.each<readonly [string, string, SentHeaders, number, object]>([
    ['no key at a deployment', datedPath, {}, 401, invalidToken],
    ['another key at a deployment', datedPath, { 'api-key': 'sk-other' }, 401, invalidKey],
    ['a plain key as bearer at a deployment', datedPath, plainBearer, 401, invalidToken],
    ['another token at a deployment', datedPath, { authorization: 'Bearer eyJh.eyJh.other' }, 401, invalidToken],
    ['another key beside a right token', datedPath, { ...token, 'api-key': 'x' }, 401, invalidKey],
    ['the vendor’s own header', datedPath, { 'x-api-key': 'sk-sim-test' }, 401, invalidToken],
    ['a plain key as bearer at the inference API', inferencePath, plainBearer, 401, invalidToken],
    ['another key at the inference API', inferencePath, { 'api-key': 'sk-svc-x' }, 401, invalidKey],
    ['no key at v1', '/openai/v1/chat/completions', {}, 401, invalidToken],
    ['another key as bearer at v1', '/openai/v1/chat/completions', { authorization: 'Bearer x' }, 401, invalidKey],
    [
      'a key in a header at a host of one model',
      '/chat/completions',
      apiKey,
      400,
      { status: expect.stringMatching(/^Auth token must/) },
    ],
    [
      'another key at a host of one model',
      '/chat/completions',
      { authorization: 'Bearer x' },
      401,
      { status: 'Invalid auth token' },
    ],
  ])('refuse %s', async (...[, path, headers, ...refusal]) => {
    await expectResponse(await at(path, { model: 'gpt-4o', messages }, headers), ...refusal);
  });

  it.each<readonly [string, string, SentHeaders]>([
    ['a key at a deployment', datedPath, apiKey],
    ['a listed key at a deployment', datedPath, { 'api-key': 'listed-key' }],
    ['a token at a deployment', datedPath, token],
    ['a key beside a useless bearer', datedPath, { ...apiKey, ...plainBearer }],
    ['a key at the inference API', inferencePath, apiKey],
    ['the same key in both headers, as its client sends it', inferencePath, { ...apiKey, ...plainBearer }],
    ['a token at the inference API', inferencePath, token],
    ['a key at v1', '/openai/v1/chat/completions', apiKey],
    ['a plain key as bearer at v1', '/openai/v1/chat/completions', plainBearer],
    ['a token at v1', '/openai/v1/chat/completions', token],
    ['a plain key as bearer at a host of one model', '/chat/completions', plainBearer],
    ['a token at a host of one model', '/chat/completions', token],
  ])('accept %s', async (_name, path, headers) => {
    expect((await at(path, { model: 'gpt-4o', messages }, headers)).status).toBe(200);
  });
});

describe('paths and versions of the studio', () => {
  it.each<readonly [string, string, number, object]>([
    ['a deployment without a version', '/openai/deployments/gpt-4o/chat/completions', 404, noResource],
    ['an unknown version', '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-22', 404, noResource],
    ['a retired version', '/openai/deployments/gpt-4o/chat/completions?api-version=2023-05-15', 404, noResource],
    [
      'the undated version at a deployment',
      '/openai/deployments/gpt-4o/chat/completions?api-version=v1',
      404,
      noResource,
    ],
    ['an unknown deployment', '/openai/deployments/nope/chat/completions?api-version=2024-10-21', 404, noDeployment],
    [
      'a deployment that cannot be decoded',
      '/openai/deployments/%E0/chat/completions?api-version=2024-10-21',
      404,
      noDeployment,
    ],
    [
      'a deployment of another make',
      '/openai/deployments/Phi-4/chat/completions?api-version=2024-10-21',
      404,
      noDeployment,
    ],
    ['another operation', '/openai/deployments/gpt-4o/completions?api-version=2024-10-21', 404, noResource],
    [
      'a dated version at v1',
      '/openai/v1/chat/completions?api-version=2024-10-21',
      400,
      badRequest('api-version query parameter is not allowed when using /v1 path'),
    ],
    ['another operation at v1', '/openai/v1/responses', 404, noResource],
    [
      'no version at the inference API',
      '/models/chat/completions',
      400,
      badRequest('Missing required query parameter: api-version'),
    ],
    [
      'an unknown version at the inference API',
      '/models/chat/completions?api-version=2024-10-21',
      400,
      badRequest('API version not supported'),
    ],
    ['another operation at the inference API', '/models/embeddings?api-version=2024-05-01-preview', 404, noResource],
  ])('refuse %s', async (_name, path, status, body) => {
    await expectResponse(await at(path, { model: 'gpt-4o', messages }), status, body);
  });

  it('accept only their methods', async () => {
    const statusOf = async (method: string, path: string) =>
      (
        await fetch(`${simulator.baseUrls['studio-ai']}${path}`, {
          method,
          headers: { ...apiKey, ...plainBearer },
        })
      ).status;
    expect(await statusOf('GET', '/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21')).toBe(404);
    expect(await statusOf('GET', '/openai/v1/chat/completions')).toBe(404);
    expect(await statusOf('POST', '/openai/v1/models')).toBe(404);
    expect(await statusOf('POST', '/openai/models?api-version=2024-10-21')).toBe(404);
    expect(await statusOf('GET', '/models/chat/completions?api-version=2024-05-01-preview')).toBe(404);
    expect(await statusOf('GET', '/chat/completions')).toBe(405);
    expect(await statusOf('GET', '/anything')).toBe(404);
  });

  it('accept the undated and the preview version at v1, any version at a host of one model, and an encoded deployment', async () => {
    expect((await v1({}, '?api-version=preview')).status).toBe(200);
    expect((await v1({}, '?api-version=v1')).status).toBe(200);
    expect((await dated('gpt%2D4o', { messages })).status).toBe(200);
    expect((await at('/chat/completions?api-version=whatever', { messages }, plainBearer)).status).toBe(200);
  });

  it('refuse an embedding model for chat', async () => {
    const body = {
      error: {
        code: 'OperationNotSupported',
        message: expect.stringMatching(
          /^The chatCompletion operation does not work with the specified model, text-embedding-3-small/,
        ),
      },
    };
    await expectResponse(await dated('text-embedding-3-small', { messages }), 400, body);
    await expectResponse(await v1({ model: 'text-embedding-3-small' }), 400, body);
  });
});
