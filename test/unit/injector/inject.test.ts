// Injection of a pod. The patch is applied as the API server applies it, and the patched pod is injected again.
import { describe, expect, it } from 'vitest';
import { type InjectionSettings, inject } from '../../../injector/inject.ts';
import { proxySettings } from '../../../proxy/settings.ts';
import {
  annotatedPod,
  appPod,
  environmentOf,
  injected,
  injectionSettings,
  type PodParts,
  patchOf,
  refusalOf,
  sidecarOf,
  type TestPod,
  warningsOf,
} from '../../support/injection.ts';
import { validateObject } from '../../support/kubernetes-schemas.ts';
import { restrictedViolations } from '../../support/pod-security.ts';

const outcomeOf = (pod: TestPod, settings?: InjectionSettings) => inject(pod, settings ?? injectionSettings()).outcome;

describe('a pod without special choices', () => {
  const pod = injected(appPod());

  it('is a valid pod afterwards, with a sidecar that the restricted standard allows', () => {
    expect(validateObject(pod)).toEqual([]);
    expect(restrictedViolations(pod.spec, ['model-gateway'])).toEqual([]);
  });

  it('has the sidecar as the first init container, which Kubernetes starts first and stops last', () => {
    expect(sidecarOf(pod)).toMatchObject({ name: 'model-gateway', restartPolicy: 'Always' });
  });

  it('is not changed by a second injection', () => {
    expect(inject(pod, injectionSettings())).toEqual({
      outcome: 'already_injected',
      patch: [],
      warnings: [],
      wasMarked: true,
    });
  });

  it('is annotated with the version of the sidecar', () => {
    expect(pod.metadata.annotations).toEqual({ 'model-gateway.io/injected': '0.1.0' });
  });

  it('has a sidecar that is probed on its admin port and does not affect the pod’s readiness', () => {
    const livez = { httpGet: { path: '/livez', port: 15490 } };
    expect(sidecarOf(pod)).toMatchObject({ startupProbe: livez, livenessProbe: livez });
    expect(sidecarOf(pod)).not.toHaveProperty('readinessProbe');
    expect(sidecarOf(pod).ports).toEqual([{ name: 'gateway-admin', containerPort: 15490 }]);
  });

  it('is copied, not modified', () => {
    const before = appPod({
      annotations: {},
      spec: { volumes: [], initContainers: [] },
      container: { env: [] },
    });
    const copy = structuredClone(before);
    inject(before, injectionSettings());
    expect(before).toEqual(copy);
  });
});

describe('the sidecar’s environment', () => {
  it('in forward mode contains the egress gateway and the files that prove its identity, and no secret', () => {
    expect(environmentOf(sidecarOf(injected(appPod())))).toEqual({
      GATEWAY_LISTEN: '127.0.0.1:15400',
      GATEWAY_ADMIN_LISTEN: '0.0.0.0:15490',
      GATEWAY_DRAIN_GRACE: '25s',
      GATEWAY_POD_CONTAINERS: 'app:',
      GATEWAY_ATTACH_KEY_FILE: '/var/run/model-gateway/key/virtual-key',
      GATEWAY_FORWARD_TO: 'https://egress-gateway.model-gateway.svc:8443',
      GATEWAY_FORWARD_CA: injectionSettings().egressCa,
      GATEWAY_FORWARD_CERT_FILE: '/var/run/model-gateway/tls/tls.crt',
      GATEWAY_FORWARD_KEY_FILE: '/var/run/model-gateway/tls/tls.key',
    });
  });

  it('in full mode contains the control plane, and refers to Secrets for secrets', () => {
    const fromSecret = (key: string, optional?: true) => ({
      secretKeyRef: { name: 'model-gateway-proxy', key, ...(optional && { optional }) },
    });
    expect(environmentOf(sidecarOf(injected(annotatedPod({ mode: 'full' }))))).toEqual({
      GATEWAY_LISTEN: '127.0.0.1:15400',
      GATEWAY_ADMIN_LISTEN: '0.0.0.0:15490',
      GATEWAY_DRAIN_GRACE: '25s',
      GATEWAY_POD_CONTAINERS: 'app:',
      GATEWAY_ATTACH_KEY_FILE: '/var/run/model-gateway/key/virtual-key',
      GATEWAY_CONTROL_PLANE: 'control-plane.model-gateway.svc:50051',
      GATEWAY_CONTROL_PLANE_TLS: 'true',
      GATEWAY_CONTROL_PLANE_CA_FILE: '/var/run/model-gateway/proxy/ca.crt',
      GATEWAY_PROXY_TOKEN: fromSecret('proxy-token'),
      REDIS_URL: fromSecret('redis-url', true),
      GATEWAY_CACHE_KEY: fromSecret('cache-key', true),
      GATEWAY_REDIS_PREFIX: fromSecret('redis-prefix', true),
      GATEWAY_RECORD_KEYS: fromSecret('record-keys', true),
      GATEWAY_ORGANIZATION_SHARE: '100',
      GATEWAY_JOURNAL_DIR: '/var/lib/model-gateway/journal',
    });
  });

  it.each(['forward', 'full'])('in mode %s contains only settings that the proxy knows', (mode) => {
    const known = Object.values(proxySettings).flatMap(({ name }) => [name, `${name}_FILE`]);
    expect(known).toEqual(
      expect.arrayContaining(Object.keys(environmentOf(sidecarOf(injected(annotatedPod({ mode })))))),
    );
  });

  it('contains no authorities when the operator configures none, so the system’s are used', () => {
    const pod = injected(appPod(), injectionSettings({ egressCa: undefined }));
    expect(environmentOf(sidecarOf(pod))).not.toHaveProperty('GATEWAY_FORWARD_CA');
  });

  it.each([
    [undefined, '25s'],
    [-5, '1s'],
    [0, '1s'],
    [5, '1s'],
    [6, '1s'],
    [7, '2s'],
    [120, '115s'],
    [625, '620s'],
    [626, '620s'],
    [2 ** 53, '620s'],
  ])(
    'of a pod with a grace of %s drains for %s: never longer than the grace or than a request takes',
    (grace, drain) => {
      const pod = appPod({ spec: { ...(grace !== undefined && { terminationGracePeriodSeconds: grace }) } });
      expect(environmentOf(sidecarOf(injected(pod)))).toMatchObject({ GATEWAY_DRAIN_GRACE: drain });
    },
  );
});

describe('volumes of the sidecar', () => {
  const secretsOf = (pod: TestPod) =>
    (pod.spec.volumes ?? []).map(({ name, secret }) => [name, secret && Reflect.get(secret, 'secretName')]);

  it('are the key and the client certificate in forward mode', () => {
    expect(secretsOf(injected(appPod()))).toEqual([
      ['model-gateway-key', 'model-gateway-key'],
      ['model-gateway-tls', 'model-gateway-sidecar-tls'],
      ['model-gateway-token', undefined],
    ]);
  });

  it('are the key and the authorities of the control plane in full mode, from the Secrets that the pod names', () => {
    const names = { 'key-secret': 'my-key', 'proxy-secret': 'my.proxy' };
    expect(secretsOf(injected(annotatedPod({ mode: 'full', ...names })))).toEqual([
      ['model-gateway-key', 'my-key'],
      ['model-gateway-proxy', 'my.proxy'],
      ['model-gateway-token', undefined],
      ['model-gateway-journal', undefined],
    ]);
  });

  it.each([
    ['forward', []],
    ['full', [{ name: 'model-gateway-journal', mountPath: '/var/lib/model-gateway/journal' }]],
  ])('in mode %s are writable by the sidecar only, and only its journal', (mode, writable) => {
    const pod = injected(annotatedPod({ mode }));
    const mounts = (sidecarOf(pod)?.volumeMounts ?? []) as { readonly readOnly?: boolean }[];
    expect(mounts.filter(({ readOnly }) => readOnly !== true)).toEqual(writable);
    expect(pod.spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts)).toEqual([]);
  });
});

describe('a pod that cannot be injected', () => {
  it.each([
    ['hostNetwork', { hostNetwork: true }],
    ['hostPID', { hostPID: true }],
    ['shareProcessNamespace', { shareProcessNamespace: true }],
    ['Windows', { os: { name: 'windows' } }],
    ['Windows', { nodeSelector: { 'kubernetes.io/os': 'windows' } }],
  ])('is admitted without a sidecar, with the reason: %s', (reason, spec) => {
    const pod = appPod({ spec });
    const after = injected(pod);
    expect(after.spec).toEqual(pod.spec);
    expect(after.metadata.annotations?.['model-gateway.io/not-injected']).toMatch(new RegExp(`^${reason}: `));
    expect(warningsOf(pod)).toEqual([expect.stringContaining(`no model-gateway sidecar: ${reason}: `)]);
    expect(patchOf(after)).toEqual([]);
  });

  it('is admitted unchanged when it is the mirror of a static pod, which the kubelet would delete', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'd5f8' };
    expect(inject(appPod({ annotations }), injectionSettings())).toMatchObject({
      ...{ outcome: 'not_injected', patch: [] },
      warnings: ['no model-gateway sidecar: a static pod cannot be injected'],
    });
  });

  it.each([
    ['hostNetwork', { hostNetwork: false, hostPID: null }],
    ['Linux', { os: { name: 'linux' }, nodeSelector: { 'kubernetes.io/os': 'linux' } }],
  ])('is not one that states the default explicitly: %s', (_, spec) => {
    expect(outcomeOf(appPod({ spec }))).toBe('injected');
  });
});

describe('a pod that conflicts with the sidecar', () => {
  const named = (name: string) => ({ name, image: 'example/app:1' });
  const refused: readonly (readonly [what: string, parts: PodParts, message: string])[] = [
    ['a container of its name', { container: named('model-gateway') }, 'a container of the pod is named model-gateway'],
    [
      'an init container of its name',
      { spec: { initContainers: [named('model-gateway')] } },
      'a container of the pod is named model-gateway',
    ],
    [
      'a volume of its names',
      { spec: { volumes: [{ name: 'model-gateway-data', emptyDir: {} }] } },
      'the volume "model-gateway-data" has a name of the sidecar’s',
    ],
    [
      'a mount of the volume that the sidecar brings',
      { container: { volumeMounts: [{ name: 'model-gateway-key', mountPath: '/key' }] } },
      'the volume "model-gateway-key" has a name of the sidecar’s',
    ],
  ];

  it.each(refused)('is refused with advice: %s', (_, parts, message) => {
    expect(refusalOf(appPod(parts))).toContain(message);
  });
});

describe('a pod with resources at pod level', () => {
  it('is injected, with a warning that the API server may find its resources too small', () => {
    const pod = appPod({ spec: { resources: { requests: { cpu: '1' } } } });
    expect(outcomeOf(pod)).toBe('injected');
    expect(warningsOf(pod)).toEqual([expect.stringContaining('have to fit into them')]);
  });
});

describe('a pod that was injected before', () => {
  it('gets the environment in containers that were added since', () => {
    const before = injected(appPod());
    const grown = {
      ...before,
      spec: { ...before.spec, containers: [...before.spec.containers, { name: 'late' }] },
    };
    const after = injected(grown);
    expect(environmentOf(after.spec.containers[1])).toHaveProperty('OPENAI_BASE_URL');
    expect(after.spec.initContainers).toEqual(before.spec.initContainers);
  });

  it('is not recognized by its annotation alone, which a template copied from a pod has too', () => {
    const pod = injected(
      appPod({ annotations: { 'model-gateway.io/injected': '0.0.9', 'model-gateway.io/not-injected': 'x' } }),
    );
    expect(sidecarOf(pod)).toBeDefined();
    expect(pod.metadata.annotations).toMatchObject({ 'model-gateway.io/injected': '0.1.0' });
  });

  it('keeps its sidecar when the injector has another version', () => {
    const pod = injected(appPod());
    expect(patchOf(pod, injectionSettings({ image: 'model-gateway/proxy:0.2.0' }))).toEqual([]);
  });
});

describe('the annotated version', () => {
  const digest = `sha256:${'0f'.repeat(32)}`;
  it.each([
    ['model-gateway/proxy:0.1.0', '0.1.0'],
    ['images.example:5000/model-gateway/proxy:0.1.0', '0.1.0'],
    [`images.example:5000/model-gateway/proxy:0.1.0@${digest}`, '0.1.0'],
    [`images.example:5000/model-gateway/proxy@${digest}`, digest],
  ])('of %s is %s', (image, version) => {
    const pod = injected(appPod(), injectionSettings({ image }));
    expect(pod.metadata.annotations).toEqual({ 'model-gateway.io/injected': version });
  });
});

describe('a null in a pod, as Go writes it', () => {
  it('means the same as an absent field', () => {
    const pod = appPod({
      spec: {
        initContainers: null,
        volumes: null,
        terminationGracePeriodSeconds: null,
        os: null,
        nodeSelector: null,
      },
      container: { env: null, envFrom: null, ports: null },
    });
    const withNull = { ...pod, metadata: { ...pod.metadata, annotations: null } };
    const { outcome } = inject(withNull, injectionSettings());
    expect(outcome).toBe('injected');
    expect(sidecarOf(injected(pod)).name).toBe('model-gateway');
  });
});
