import { describe, expect, it } from 'vitest';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { clientFormatOf, findTarget, matchRoute, routeForm } from '../../../../proxy/http/match.ts';
import { gptProvider } from '../../../../proxy/providers/gpt-provider.ts';

const studio = { ...gptProvider, name: 'studio-ai', defaultBaseUrl: 'https://{endpoint}.test/models' };
const providers = new Map([
  ['gpt-provider', gptProvider],
  ['openai', gptProvider],
  ['studio-ai', studio],
]);
const generic = { home: 'gpt-provider', provider: undefined, endpoint: undefined };
const messages = {
  kind: 'chat',
  format: 'messages',
  home: 'assistant-provider',
  provider: undefined,
  endpoint: undefined,
};
const generate = {
  kind: 'chat',
  format: 'generate_content',
  home: 'search-provider',
  provider: undefined,
  endpoint: undefined,
};
const cloud = {
  kind: 'chat',
  home: 'managed-cloud-models',
  provider: undefined,
  endpoint: undefined,
};
const studios = {
  kind: 'chat',
  format: 'chat_completions',
  home: 'studio-ai',
  provider: undefined,
  endpoint: undefined,
};
const match = (method: string, target: string) => matchRoute(method, findTarget(target), providers);

describe('the router of methods and paths', () => {
  it.each([
    ['POST', '/v1/chat/completions', { kind: 'chat', format: 'chat_completions', ...generic }],
    ['POST', '/v1/chat/completions?api-version=1', { kind: 'chat', format: 'chat_completions', ...generic }],
    [
      'POST',
      '/v1/gpt-provider/chat/completions',
      { kind: 'chat', format: 'chat_completions', home: 'gpt-provider', provider: gptProvider, endpoint: undefined },
    ],
    [
      'POST',
      '/v1/openai/chat/completions',
      { kind: 'chat', format: 'chat_completions', home: 'gpt-provider', provider: gptProvider, endpoint: undefined },
    ],
    [
      'POST',
      '/v1/studio-ai/my-hub/chat/completions',
      { kind: 'chat', format: 'chat_completions', home: 'gpt-provider', provider: studio, endpoint: 'my-hub' },
    ],
    [
      'POST',
      '/v1/studio-ai/a%2fb/chat/completions',
      { kind: 'chat', format: 'chat_completions', home: 'gpt-provider', provider: studio, endpoint: 'a%2fb' },
    ],
    ['POST', '/openai/v1/chat/completions', studios],
    ['POST', '/openai/deployments/my-4o/chat/completions?api-version=2024-10-21', { ...studios, model: 'my-4o' }],
    ['POST', '/v1/deployments/my-4o/chat/completions', { ...studios, model: 'my-4o' }],
    ['POST', '/openai/deployments/openai%2Fgpt-4o/chat/completions', { ...studios, model: 'openai/gpt-4o' }],
    ['POST', '/openai/deployments/a%253A/chat/completions', { ...studios, model: 'a%3A' }],
    ['POST', '/model/a%2Fb/converse', { ...cloud, format: 'converse', model: 'a/b', stream: false }],
    ['POST', '/model/a/b/converse-stream', { ...cloud, format: 'converse', model: 'a/b', stream: true }],
    ['POST', '/model/x/count-tokens', { ...cloud, format: 'converse', model: 'x', stream: false, counts: true }],
    ['POST', '/model/a%3A0/invoke', { ...cloud, format: 'invoke', model: 'a:0', stream: false }],
    [
      'POST',
      '/model/converse/invoke-with-response-stream',
      { ...cloud, format: 'invoke', model: 'converse', stream: true },
    ],
    ['POST', '/v1/messages?beta=true', messages],
    ['POST', '/messages', messages],
    ['POST', '/v1/responses', { kind: 'chat', format: 'responses', ...generic }],
    ['POST', '/openai/responses?api-version=preview', { ...studios, format: 'responses' }],
    ['POST', '/openai/v1/responses', { ...studios, format: 'responses' }],
    ['POST', '/v1/responses/input_tokens', { kind: 'chat', format: 'responses', ...generic, counts: true }],
    ['POST', '/openai/responses/input_tokens', { ...studios, format: 'responses', counts: true }],
    ['POST', '/openai/v1/responses/input_tokens', { ...studios, format: 'responses', counts: true }],
    [
      'POST',
      '/v1beta/models/gemini-2.5-flash:generateContent',
      { ...generate, model: 'gemini-2.5-flash', stream: false },
    ],
    ['POST', '/v1/models/models/a:generateContent', { ...generate, model: 'a', stream: false }],
    ['POST', '/v1/models/a/b%3A1:0%2Fc:generateContent', { ...generate, model: 'a/b:1:0/c', stream: false }],
    ['POST', '/v1/models/a:streamGenerateContent', { ...generate, model: 'a', stream: true, framing: 'json_array' }],
    ['POST', '/v1/models/a:streamGenerateContent?alt=sse', { ...generate, model: 'a', stream: true, framing: 'sse' }],
    ['POST', '/v1beta/models/a:countTokens', { ...generate, model: 'a', stream: false, counts: true }],
    ['GET', '/v1beta/models/a:embedContent', { kind: 'model', id: 'a:embedContent' }],
    ['GET', '/v1/models', { kind: 'models', query: new URLSearchParams() }],
    ['GET', '/v1beta/models?pageSize=3', { kind: 'models', query: new URLSearchParams('pageSize=3') }],
    ['GET', '/v1beta/models/openai/gpt-4o', { kind: 'model', id: 'openai/gpt-4o' }],
    ['GET', '/v1/models/gpt-provider/gpt-4o', { kind: 'model', id: 'gpt-provider/gpt-4o' }],
    ['GET', '/v1/models/gpt-provider%2Fgpt-4o', { kind: 'model', id: 'gpt-provider/gpt-4o' }],
  ])('finds the route of %s %s', (method, target, route) => {
    expect(match(method, target)).toEqual(route);
  });

  it.each([
    '/',
    '',
    '*',
    '/v1',
    '/v1/',
    '/v1/models/',
    '/v1/responses/',
    '/v1/responses/resp_1/',
    '/v1/responses/resp_1/compact',
    '//v1/chat/completions',
    '/v1//chat/completions',
    '/v1/chat//completions',
    '/v1/chat/completions/',
    '/v1/./chat/completions',
    '/v1/x/../chat/completions',
    '/v1%2fchat/completions',
    '/v1/chat%2fcompletions',
    '/V1/chat/completions',
    '/v1/unknown/chat/completions',
    '/openai/chat/completions',
    '/openai/deployments/chat/completions',
    '/openai/deployments//chat/completions',
    '/openai/deployments/openai/gpt-4o/chat/completions',
    '/v1/studio-ai/chat/completions',
    '/v1/studio-ai//chat/completions',
    '/v1/studio-ai/a/b/chat/completions',
    '/v1/gpt-provider/endpoint/chat/completions',
    '/v1/__proto__/chat/completions',
    'http://other.example/v1/chat/completions',
  ])('refuses a path that is not exactly a route: %s', (target) => {
    expect(() => match('POST', target)).toThrow(expect.objectContaining({ code: 'route_not_found' }));
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['HEAD', '/v1/models', 'GET'],
    ['DELETE', '/v1/models/gpt-provider/x', 'GET'],
    ['GET', '/v1beta/models/a:generateContent', 'POST'],
    ['POST', '/v1beta/models/a:embedContent', 'GET'],
    ['POST', '/v1/responses/resp_1', 'GET, DELETE'],
    ['GET', '/v1/responses/input_tokens', 'POST'],
  ])('refuses %s %s with 405 and the allowed method', (method, target, allow) => {
    expect(() => match(method, target)).toThrow(expect.objectContaining({ code: 'method_not_allowed', allow }));
  });

  it.each(['/v1/models?key=AIza0', '/v1beta/models?pageSize=2&key=AIza0', '/v1/chat/completions?%6bey=x'])(
    'refuses a key in the query of %s, and does not repeat it',
    (target) => {
      const method = target.includes('chat') ? 'POST' : 'GET';
      expect(() => match(method, target)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: expect.not.stringContaining('AIza0') }),
      );
    },
  );

  it.each([
    ['/v1/models', [], 'chat_completions'],
    ['/v1/models', ['anthropic-version', '2023-06-01'], 'messages'],
    ['/v1/models/x?limit=1', ['anthropic-version', '2026-10-21'], 'messages'],
    ['/v1/models', ['x-goog-api-client', 'google-genai-sdk/3.1.0'], 'generate_content'],
    ['/v1beta/models/x', [], 'generate_content'],
    ['/v1/models/x:generateContent', ['anthropic-version', '2023-06-01'], 'generate_content'],
    ['/v1/chat/completions', ['anthropic-version', '2023-06-01'], 'chat_completions'],
    ['/model/a/converse', [], 'converse'],
    ['/model/a/b/invoke', [], 'invoke'],
    ['/nowhere', ['anthropic-version', '2023-06-01'], 'chat_completions'],
  ])('reads %s with the headers %j as a request in %s', (target, headers, format) => {
    expect(clientFormatOf(findTarget(target), new RequestHeaders(headers))).toBe(format);
  });

  it('refuses a model id with invalid percent-encoding', () => {
    expect(() => match('GET', '/v1/models/%zz')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('the route form of a path in forward mode', () => {
  it.each([
    ['/v1/chat/completions', 'chat'],
    ['/v1/chat/completions?api-version=1', 'chat'],
    ['/v1/gpt-provider/chat/completions', 'provider chat'],
    ['/v1/studio-ai/my-hub/chat/completions?x=1', 'provider chat'],
    ['/v1/unknown/chat/completions', 'provider chat'],
    ['/v1beta/models/a/b:generateContent', 'chat'],
    ['/v1/models/a:streamGenerateContent?alt=sse', 'chat'],
    ['/model/a%2Fb/converse-stream', 'chat'],
    ['/model/converse', 'none'],
    ['/v1/models', 'models'],
    ['/v1/models/gpt-provider%2Fgpt-4o', 'model'],
    ['/v1/chat/completions/', 'none'],
    ['//v1/chat/completions', 'none'],
    ['/metrics', 'none'],
  ])('of %s is %s', (target, form) => {
    expect(routeForm(target)).toBe(form);
  });

  it('is known for every route', () => {
    for (const name of providers.keys()) {
      const target = name === 'studio-ai' ? '/v1/studio-ai/hub/chat/completions' : `/v1/${name}/chat/completions`;
      expect(match('POST', target)).toMatchObject({ kind: 'chat' });
      expect(routeForm(target)).toBe('provider chat');
    }
  });
});
