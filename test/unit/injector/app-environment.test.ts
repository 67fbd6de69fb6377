// How SDKs in the app's containers are pointed at the sidecar, and which variables of a container stay unchanged.
import { describe, expect, it } from 'vitest';
import { appPod, environmentOf, injected, type PodParts, pointedAt, warningsOf } from '../../support/injection.ts';

describe('the injected environment of the app', () => {
  const ofApp = (parts: PodParts) => environmentOf(injected(appPod(parts)).spec.containers[0]);
  const pointed = pointedAt(15_400);
  const without = (...names: readonly string[]) =>
    Object.fromEntries(Object.entries(pointed).filter(([name]) => !names.includes(name)));

  it.each([[undefined], [null], [[]], [[{ name: 'A', value: 'b' }]]])(
    'is added to a container with the environment %o',
    (env) => {
      expect(ofApp({ container: env === undefined ? {} : { env } })).toMatchObject(pointed);
    },
  );

  it('comes first, so that the container’s own variables can refer to it', () => {
    const own = [{ name: 'URL', value: '$(OPENAI_BASE_URL)/models' }];
    const env = injected(appPod({ container: { env: own } })).spec.containers[0]?.env ?? [];
    expect(env.map(({ name }) => name)).toEqual([...Object.keys(pointed), 'URL']);
  });

  it.each([
    ['OPENAI_BASE_URL', 'http://127.0.0.1:15400/v1'],
    ['OPENAI_BASE_URL', 'http://localhost:15400/v1/'],
    ['OPENAI_BASE_URL', 'http://[::1]:15400'],
    // Vercel's SDK wants the version in it.
    ['ANTHROPIC_BASE_URL', 'http://127.0.0.1:15400/v1'],
    ['GOOGLE_GEMINI_BASE_URL', 'http://localhost:15400'],
  ])('includes a key when the container itself points at the sidecar: %s=%s', (name, value) => {
    expect(ofApp({ container: { env: [{ name, value }] } })).toEqual({ ...pointed, [name]: value });
  });

  it.each([
    ['OPENAI_API_KEY', 'OPENAI_API_KEY'],
    ['ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY'],
    ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'],
    ['GEMINI_API_KEY', 'GEMINI_API_KEY'],
    ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  ])('has no placeholder beside the container’s own key: %s', (name, placeholder) => {
    const parts = { container: { env: [{ name, value: 'own' }] } };
    expect(ofApp(parts)).toEqual({ ...without(placeholder), [name]: 'own' });
    expect(warningsOf(appPod(parts))).toEqual([
      `container "app" sets ${name} itself: that key is sent along to the gateway`,
    ]);
  });

  it('leaves alone what different clients read differently, or what makes frameworks choose a vendor', () => {
    expect(Object.keys(ofApp({})).filter((name) => /^(?:AWS|AZURE|GOOGLE_API|GOOGLE_GENAI)/.test(name))).toEqual([]);
  });

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
      expect(ofApp(parts)).toEqual({
        ...without('OPENAI_BASE_URL', 'OPENAI_API_KEY'),
        OPENAI_BASE_URL: 'value' in source ? source.value : source.valueFrom,
      });
      expect(warningsOf(appPod(parts))).toEqual([
        'container "app" sets OPENAI_BASE_URL itself: its requests do not go through the sidecar',
        expect.stringContaining('ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY'),
      ]);
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
