// How SDKs in the app's containers are pointed at the sidecar, and which variables of a container stay unchanged.
import { describe, expect, it } from 'vitest';
import { appPod, environmentOf, injected, type PodParts, warningsOf } from '../../support/injection.ts';

describe('the injected environment of the app', () => {
  const ofApp = (parts: PodParts) => environmentOf(injected(appPod(parts)).spec.containers[0]);
  const pointed = {
    OPENAI_BASE_URL: 'http://127.0.0.1:15400/v1',
    OPENAI_API_KEY: 'attached-by-model-gateway',
  };

  it.each([[undefined], [null], [[]], [[{ name: 'A', value: 'b' }]]])(
    'is added to a container with the environment %o',
    (env) => {
      expect(ofApp({ container: env === undefined ? {} : { env } })).toMatchObject(pointed);
    },
  );

  it('comes first, so that the container’s own variables can refer to it', () => {
    const own = [{ name: 'URL', value: '$(OPENAI_BASE_URL)/models' }];
    const env = injected(appPod({ container: { env: own } })).spec.containers[0]?.env ?? [];
    expect(env.map(({ name }) => name)).toEqual(['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'URL']);
  });

  it.each(['http://127.0.0.1:15400/v1', 'http://localhost:15400/v1/', 'http://[::1]:15400'])(
    'includes a key when the container itself points at the sidecar: %s',
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
  ])(
    'leaves the key alone when the container points elsewhere, because its key may come from envFrom: %o',
    (source) => {
      const parts = {
        container: { env: [{ name: 'OPENAI_BASE_URL', ...source }], envFrom: [{ secretRef: { name: 'x' } }] },
      };
      expect(Object.keys(ofApp(parts))).toEqual(['OPENAI_BASE_URL']);
      expect(warningsOf(appPod(parts))).toEqual([expect.stringContaining('do not go through the sidecar')]);
    },
  );

  it('is left out of containers that the pod excludes, and an unknown container name gets a warning', () => {
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
  ])('comes with a warning about a web proxy that would see the traffic: %o', (env, warnings) => {
    expect(warningsOf(appPod({ container: { env } }))).toHaveLength(warnings);
  });
});
