// Which ports a sidecar takes: none that applications are known for, and none that a container of its pod declares.
import { describe, expect, it } from 'vitest';
import { inject } from '../../../injector/inject.ts';
import {
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

const declaring = (...ports: readonly (number | readonly [number, string])[]) => ({
  ports: ports.map((port) =>
    typeof port === 'number' ? { containerPort: port } : { containerPort: port[0], protocol: port[1] },
  ),
});

/** Traffic and admin port of the sidecar, and where the app is pointed. */
function portsOf(pod: TestPod) {
  const { GATEWAY_LISTEN, GATEWAY_ADMIN_LISTEN } = environmentOf(sidecarOf(pod));
  const { OPENAI_BASE_URL } = environmentOf(pod.spec.containers[0]);
  const [{ containerPort } = { containerPort: 0 }] = sidecarOf(pod).ports as { containerPort: number }[];
  expect(GATEWAY_ADMIN_LISTEN).toBe(`0.0.0.0:${containerPort}`);
  expect(OPENAI_BASE_URL).toBe(`http://${GATEWAY_LISTEN}/v1`);
  return [Number(String(GATEWAY_LISTEN).replace('127.0.0.1:', '')), containerPort];
}

const choosing = (annotations: Readonly<Record<string, string>>, parts: PodParts = {}) =>
  appPod({
    ...parts,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [`model-gateway.io/${name}`, value]),
    ),
  });

describe('the ports of a sidecar', () => {
  it('are 15400 and 15490, so that an application on 8080 and 9090 keeps its own', () => {
    const pod = appPod({ container: declaring(8080, 9090) });
    expect(portsOf(injected(pod))).toEqual([15_400, 15_490]);
    expect(warningsOf(pod)).toEqual([]);
    expect(injected(pod).metadata.annotations).toEqual({ 'model-gateway.io/injected': '0.1.0' });
  });

  it.each([
    ['the port', declaring(15_400), [15_401, 15_490], 'port'],
    ['the port, by TCP in words', declaring([15_400, 'TCP']), [15_401, 15_490], 'port'],
    ['the admin port', declaring(15_490), [15_400, 15_401], 'admin-port'],
  ] as const)(
    'move where a container declares %s, which its author reads twice',
    (_, container, ports, name) => {
      const pod = appPod({ container });
      const after = injected(pod);
      expect(portsOf(after)).toEqual(ports);
      const moved = name === 'port' ? ports[0] : ports[1];
      expect(warningsOf(pod)).toEqual([
        `the sidecar’s ${name.replace('-', ' ')} is ${moved}: container "app" has ${name === 'port' ? 15_400 : 15_490}`,
      ]);
      expect(after.metadata.annotations).toMatchObject({ [`model-gateway.io/${name}`]: String(moved) });
      expect(patchOf(after)).toEqual([]);
    },
  );

  it('move past what is declared in init containers and by others', () => {
    const spec = { initContainers: [{ name: 'warm', ...declaring(15_400, 15_401) }] };
    expect(portsOf(injected(appPod({ spec, container: declaring(15_402, 15_490) })))).toEqual([
      15_403, 15_404,
    ]);
  });

  it('stay where a port is declared by UDP alone', () => {
    expect(portsOf(injected(appPod({ container: declaring([15_400, 'UDP']) })))).toEqual([15_400, 15_490]);
  });

  it('are what the pod chooses, which is never moved', () => {
    expect(portsOf(injected(choosing({ port: '8081', 'admin-port': '15450' })))).toEqual([8081, 15_450]);
    expect(refusalOf(choosing({ port: '8080' }, { container: declaring(8080) }))).toBe(
      'container "app" has the port 8080, as the sidecar; the annotation model-gateway.io/port moves the sidecar’s',
    );
    expect(refusalOf(choosing({ 'admin-port': '9090' }, { container: declaring(9090) }))).toContain(
      'the annotation model-gateway.io/admin-port moves the sidecar’s',
    );
  });

  it('make room for each other where the pod gives one of them the other’s number', () => {
    const pod = choosing({ 'admin-port': '15400' });
    expect(portsOf(injected(pod))).toEqual([15_401, 15_400]);
    expect(warningsOf(pod)).toEqual(['the sidecar’s port is 15401: 15400 is taken by choice']);
  });

  it('are refused where the pod declares all there are', () => {
    const all = Array.from({ length: 91 }, (_, index) => 15_400 + index);
    expect(refusalOf(appPod({ container: declaring(...all) }))).toBe(
      'the pod declares every port from 15401 to 15489: none is left for the sidecar',
    );
    const butTwo = all.filter((port) => port < 15_488 || port > 15_489);
    expect(portsOf(injected(appPod({ container: declaring(...butTwo) })))).toEqual([15_488, 15_489]);
  });
});

describe('a pod that has its sidecar already', () => {
  const with_ = (pod: TestPod, container: object) => ({
    ...pod,
    spec: { ...pod.spec, containers: [...pod.spec.containers, { name: 'late', ...container }] },
  });

  it('is asked about anew with a container that has the sidecar’s port, and refused', () => {
    const { outcome, ...rest } = inject(with_(injected(appPod()), declaring(15_400)), injectionSettings());
    expect([outcome, rest]).toEqual([
      'refused',
      {
        message:
          'container "late" has the port 15400, as the sidecar; the annotation model-gateway.io/port moves the sidecar’s',
        wasMarked: true,
      },
    ]);
  });

  it('gives a later container the port that this sidecar has, though a new one would have another', () => {
    const moved = injected(appPod({ container: declaring(15_400) }));
    const { 'model-gateway.io/port': _, ...annotations } = moved.metadata.annotations ?? {};
    const after = injected(with_({ ...moved, metadata: { ...moved.metadata, annotations } }, {}));
    expect(environmentOf(after.spec.containers[1])).toMatchObject({
      OPENAI_BASE_URL: 'http://127.0.0.1:15401/v1',
    });
  });
});

describe('what a sidecar knows of its neighbours', () => {
  it('is their names and users, of the container or of the pod, to name one that has its port', () => {
    const pod = appPod({
      container: { securityContext: { runAsUser: 1000 } },
      spec: {
        securityContext: { runAsUser: 2000 },
        containers: [
          { name: 'app', securityContext: { runAsUser: 1000 } },
          { name: 'web', securityContext: {} },
        ],
        initContainers: [{ name: 'warm' }],
      },
    });
    expect(environmentOf(sidecarOf(injected(pod)))).toMatchObject({
      GATEWAY_POD_CONTAINERS: 'warm:2000,app:1000,web:2000',
    });
  });

  it('stays short in a pod of very many', () => {
    const containers = Array.from({ length: 200 }, (_, index) => ({ name: `c-${index}` }));
    const value = environmentOf(sidecarOf(injected(appPod({ spec: { containers } })))).GATEWAY_POD_CONTAINERS;
    expect(String(value).split(',')).toHaveLength(50);
  });
});
