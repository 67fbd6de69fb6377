import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../../../common/secret.ts';
import { callOf, sent, sentOf, urls } from './ask.ts';

const azure = 'https://golden.openai.azure.com';
const studio = 'https://golden.services.ai.azure.com';
const dated = (path: string, version: string) =>
  `${azure}/openai/deployments/${path}/chat/completions?api-version=${version}`;

describe('the URL of a request to the studio', () => {
  it.each([
    [urls.inference, `${urls.inference}/chat/completions?api-version=2024-05-01-preview`],
    [`${urls.inference}/`, `${urls.inference}/chat/completions?api-version=2024-05-01-preview`],
    [`${studio}/api/models`, `${studio}/api/models/chat/completions?api-version=2024-05-01-preview`],
    [studio, `${studio}/models/chat/completions?api-version=2024-05-01-preview`],
    [urls.undated, `${azure}/openai/v1/chat/completions`],
    [`${studio}/openai/v1/`, `${studio}/openai/v1/chat/completions`],
    [azure, `${azure}/openai/v1/chat/completions`],
    [
      'https://golden.cognitiveservices.azure.com/',
      'https://golden.cognitiveservices.azure.com/openai/v1/chat/completions',
    ],
    [urls.dated, dated('gpt-4o', '2025-04-01-preview')],
    [`${azure}/openai/deployments/`, dated('gpt-4o', '2025-04-01-preview')],
    [`${azure}/openai/deployments/team-chat`, dated('team-chat', '2025-04-01-preview')],
    [urls.hostOfOneModel, `${urls.hostOfOneModel}/chat/completions`],
    ['https://gateway.example/prefix', 'https://gateway.example/prefix/chat/completions'],
    [
      'https://gateway.example/prefix/openai',
      'https://gateway.example/prefix/openai/deployments/gpt-4o/chat/completions?api-version=2025-04-01-preview',
    ],
    ['https://gateway.example', 'https://gateway.example/chat/completions'],
  ])('is derived from the base URL %s', (baseUrl, url) => {
    expect(sent({}, { baseUrl }).url).toBe(url);
  });

  it.each([
    [urls.inference, `${urls.inference}/chat/completions?api-version=a%2Fb`],
    [urls.undated, `${urls.undated}/chat/completions?api-version=a%2Fb`],
    [urls.dated, dated('gpt-4o', 'a%2Fb')],
    [urls.hostOfOneModel, `${urls.hostOfOneModel}/chat/completions?api-version=a%2Fb`],
  ])('contains the version of the provider key for the base URL %s', (baseUrl, url) => {
    expect(sent({}, { baseUrl, apiVersion: 'a/b' }).url).toBe(url);
  });

  it('a deployment’s name is one encoded segment of the path', () => {
    expect(sent({ model: 'a/b:c@d' }, { baseUrl: urls.dated }).url).toBe(dated('a%2Fb%3Ac%40d', '2025-04-01-preview'));
  });

  it('the inference API is called in a later version only for the GPT vendor’s reasoning models', () => {
    const version = (model: string) => new URL(sent({ model }).url).searchParams.get('api-version');
    for (const model of ['o1', 'o4-mini', 'gpt-5', 'gpt-5.1']) expect(version(model)).toBe('2025-04-01');
    for (const model of ['gpt-4o', 'grok-3-mini', 'DeepSeek-R1', 'gpt-oss-120b', 'team-chat']) {
      expect(version(model)).toBe('2024-05-01-preview');
    }
  });

  it('the usage of a stream is requested in every version that supports the field', () => {
    const requests = (apiVersion: string) =>
      'stream_options' in sent({ stream: true }, { baseUrl: urls.dated, apiVersion }).body;
    expect(['2024-02-01', '2024-06-01', '2024-08-01-preview'].map(requests)).toEqual([false, false, false]);
    expect(['2024-09-01-preview', '2024-10-21', '2025-04-01-preview'].map(requests)).toEqual([true, true, true]);
    expect('stream_options' in sent({ stream: true }, { baseUrl: urls.undated, apiVersion: 'preview' }).body).toBe(
      true,
    );
  });
});

describe('the key of a request to the studio', () => {
  const keys = (key: string, baseUrl: string, ownKey: boolean) => {
    const call = callOf({}, { baseUrl, ownKey });
    const { authorization, 'api-key': apiKey } = sentOf({
      ...call,
      target: { ...call.target, credential: { apiKey: new Secret(key) } },
    }).headers;
    return { authorization, 'api-key': apiKey };
  };
  const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJzaW0ifQ.sk-sim';
  const plain = { authorization: undefined, 'api-key': 'sk-sim' };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}`, 'api-key': undefined });

  it.each([urls.inference, urls.undated, urls.dated])('%s gets a stored key in its own header', (url) => {
    expect(keys('sk-sim', url, false)).toEqual(plain);
  });

  it.each([urls.inference, urls.undated, urls.dated])(
    '%s gets the caller’s key in its own header and as bearer',
    (url) => {
      expect(keys('sk-sim', url, true)).toEqual({ ...bearer('sk-sim'), 'api-key': 'sk-sim' });
    },
  );

  it.each(Object.values(urls))('%s gets a token as bearer', (url) => {
    for (const ownKey of [true, false]) expect(keys(token, url, ownKey)).toEqual(bearer(token));
  });

  it('a host of one model gets any key as bearer', () => {
    for (const ownKey of [true, false]) expect(keys('sk-sim', urls.hostOfOneModel, ownKey)).toEqual(bearer('sk-sim'));
  });

  it('a target without a key is refused', () => {
    const call = callOf();
    const keyless = { ...call, target: { ...call.target, credential: { apiKey: undefined } } };
    expect(() => sentOf(keyless)).toThrow(expect.objectContaining({ code: 'no_healthy_target' }));
  });
});
