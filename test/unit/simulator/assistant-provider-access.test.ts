import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { expectAcceptance, expectRefusal, post, valid } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, keys: ['sk-listed-key'] });
});
afterAll(() => simulator.close());

describe('authentication, headers and paths of the assistant provider', () => {
  const unauthorized = 'authentication_error';

  it.each<readonly [string, Record<string, string>, string]>([
    ['no key', { 'x-api-key': '' }, 'x-api-key header is required'],
    ['an unknown key', { 'x-api-key': 'sk-ant-api03-x' }, 'invalid x-api-key'],
    ['a key of another vendor’s form', { 'x-api-key': 'sk-sim2-x' }, 'invalid x-api-key'],
    ['a virtual key of the gateway', { 'x-api-key': `sk-svc-${'a'.repeat(49)}` }, 'invalid x-api-key'],
    [
      'an unknown key before a known bearer',
      { 'x-api-key': 'sk-other', authorization: 'Bearer sk-ant-sim-x' },
      'invalid x-api-key',
    ],
  ])('refuses %s', async (_name, headers, message) => {
    const response = await post(simulator, valid, { headers });
    expect([response.status, response.json()]).toEqual([
      401,
      {
        type: 'error',
        error: { type: unauthorized, message },
        request_id: response.headers.get('request-id'),
      },
    ]);
  });

  const ask = (headers: Record<string, string>) =>
    fetch(`${simulator.baseUrls['assistant-provider']}/v1/models`, {
      headers: { 'anthropic-version': '2023-06-01', ...headers },
    });

  it('accepts keys in either header', async () => {
    for (const headers of [
      { 'x-api-key': 'sk-sim-x' },
      { authorization: 'Bearer sk-ant-sim-x' },
      { authorization: 'bearer sk-listed-key' },
      { 'x-api-key': 'sk-sim-x', authorization: 'Bearer other' },
    ] as Record<string, string>[]) {
      expect((await ask(headers)).status).toBe(200);
    }
    expect((await ask({ authorization: 'Bearer other' })).status).toBe(401);
    expect((await ask({ authorization: 'sk-ant-sim-x' })).status).toBe(401);
  });

  it('requires a version that it knows', async () => {
    const refusal = async (headers: Record<string, string>) => {
      const response = await fetch(`${simulator.baseUrls['assistant-provider']}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'sk-sim-x', ...headers },
      });
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    expect(await refusal({})).toEqual([400, 'anthropic-version: header is required']);
    for (const version of ['2023-01-01', '2024-01-01', 'latest']) {
      expect(await refusal({ 'anthropic-version': version })).toEqual([
        400,
        `anthropic-version: "${version}" is not a valid version`,
      ]);
    }
  });

  it('accepts betas by the form of their names', async () => {
    const headers = { 'anthropic-beta': 'files-api-2025-04-14, context-1m-2025-08-07' };
    await expectAcceptance(simulator, {}, { headers });
    const wrong = { headers: { 'anthropic-beta': 'everything' } };
    await expectRefusal(simulator, ['', {}, /^Unexpected value\(s\) `everything` for the `anthropic-beta`/], wrong);
  });

  it.each<readonly [string, unknown, Record<string, string>, string]>([
    ['no JSON', '{"model":', {}, 'The request body is not valid JSON.'],
    ['nothing', '', {}, 'The request body is not valid JSON.'],
    ['no object', '[]', {}, 'The request body must be a JSON object.'],
    [
      'another content type',
      JSON.stringify(valid),
      { 'content-type': 'text/plain' },
      'content-type: must be application/json',
    ],
  ])('refuses a body that is %s', async (_name, body, headers, message) => {
    const response = await post(simulator, body, { headers });
    expect([response.status, response.json().error.message]).toEqual([400, message]);
  });

  it('refuses bodies of more than 32 MiB', async () => {
    const response = await post(simulator, ' '.repeat(32 * 1024 * 1024 + 1));
    expect([response.status, response.json().error.type]).toEqual([413, 'request_too_large']);
  });

  it('serves its paths with their methods only', async () => {
    const headers = { 'x-api-key': 'sk-sim-x', 'anthropic-version': '2023-06-01' };
    const status = async (method: string, path: string) =>
      (await fetch(`${simulator.baseUrls['assistant-provider']}${path}`, { method, headers })).status;
    expect(await status('GET', '/v1/messages')).toBe(405);
    expect(await status('GET', '/v1/messages/count_tokens')).toBe(405);
    expect(await status('POST', '/v1/models')).toBe(405);
    expect(await status('POST', '/v1/models/claude-opus-5')).toBe(405);
    expect(await status('POST', '/v1/complete')).toBe(404);
    expect(await status('GET', '/v1/v1/models')).toBe(404);
    expect(await status('GET', '/v1/models/a/b')).toBe(404);
    expect(await status('GET', '/v1/models/%E0%A4%A')).toBe(404);
    expect(await status('GET', '/v1/models/claude%2Dopus-5')).toBe(200);
    expect((await post(simulator, valid, { path: '/v1/messages?beta=true' })).status).toBe(200);
  });
});
