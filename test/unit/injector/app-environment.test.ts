// How SDKs in the app's containers are pointed at the sidecar, and what is left as the container has it.
import { describe, expect, it } from 'vitest';
import { appPod, environmentOf, injected, type PodParts, warningsOf } from '../../support/injection.ts';

describe('the environment of the app', () => {
  const ofApp = (parts: PodParts) => environmentOf(injected(appPod(parts)).spec.containers[0]);
  const pointed = {
    OPENAI_BASE_URL: 'http://127.0.0.1:15400/v1',
    OPENAI_API_KEY: 'attached-by-model-gateway',
  };

  it.each([[undefined], [null], [[]], [[{ name: 'A', value: 'b' }]]])('is there beside %o', (env) => {
    expect(ofApp({ container: env === undefined ? {} : { env } })).toMatchObject(pointed);
  });

  it('comes first, so that the container’s own variables may refer to it', () => {
    const own = [{ name: 'URL', value: '$(OPENAI_BASE_URL)/models' }];
    const env = injected(appPod({ container: { env: own } })).spec.containers[0]?.env ?? [];
    expect(env.map(({ name }) => name)).toEqual(['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'URL']);
  });

  it.each(['http://127.0.0.1:15400/v1', 'http://localhost:15400/v1/', 'http://[::1]:15400'])(
    'has a key where the container points at the sidecar itself: %s',
    (value) => {
      expect(ofApp({ container: { env: [{ name: 'OPENAI_BASE_URL', value }] } })).toEqual({
        OPENAI_BASE_URL: value,
        OPENAI_API_KEY: pointed.OPENAI_API_KEY,
      });
    },
  );

  it.each([
    { value: 'https://models.example.com/v1' },
    { value: 'http://127.0.0.1:8081/v1' },
    { value: 'nonsense' },
    { value: '' },
    { valueFrom: { configMapKeyRef: { name: 'app', key: 'url' } } },
  ])('is left alone where the container points elsewhere, for its key may come by envFrom: %o', (source) => {
    const parts = {
      container: { env: [{ name: 'OPENAI_BASE_URL', ...source }], envFrom: [{ secretRef: { name: 'x' } }] },
    };
    expect(Object.keys(ofApp(parts))).toEqual(['OPENAI_BASE_URL']);
    expect(warningsOf(appPod(parts))).toEqual([expect.stringContaining('do not go through the sidecar')]);
  });

  it('is nothing in containers that the pod excludes, and a name that no container has is told', () => {
    const parts = { annotations: { 'model-gateway.io/exclude-containers': ' app, ghost,' } };
    expect(ofApp(parts)).toEqual({});
    expect(warningsOf(appPod(parts))).toEqual(['there is no container "ghost" to exclude']);
  });

  it.each([
    [[{ name: 'http_proxy', value: 'http://web-proxy:3128' }], 1],
    [
      [
        { name: 'HTTP_PROXY', valueFrom: {} },
        { name: 'NO_PROXY', value: 'localhost,.svc' },
      ],
      1,
    ],
    [
      [
        { name: 'HTTP_PROXY', value: 'x' },
        { name: 'NO_PROXY', value: 'localhost,127.0.0.1' },
      ],
      0,
    ],
    [
      [
        { name: 'ALL_PROXY', value: 'x' },
        { name: 'no_proxy', value: '*' },
      ],
      0,
    ],
    [[{ name: 'NO_PROXY', value: '' }], 0],
  ])('comes with a word about a web proxy that would see it: %o', (env, warnings) => {
    expect(warningsOf(appPod({ container: { env } }))).toHaveLength(warnings);
  });
});
