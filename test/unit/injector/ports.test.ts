// Which ports a sidecar uses: none that applications are known for, and none that a container of its pod declares.
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

/** Returns the traffic and the admin port of the sidecar, after a check of where the app is pointed. */
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
  it('are 15400 and 15490, so that an application on 8080 and 9090 keeps its ports', () => {
    const pod = appPod({ container: declaring(8080, 9090) });
    expect(portsOf(injected(pod))).toEqual([15_400, 15_490]);
    expect(warningsOf(pod)).toEqual([]);
    expect(injected(pod).metadata.annotations).toEqual({ 'model-gateway.io/injected': '0.1.0' });
  });

  it.each([
    ['the port', declaring(15_400), [15_401, 15_490], 'port'],
    ['the port, by TCP in words', declaring([15_400, 'TCP']), [15_401, 15_490], 'port'],
    ['the admin port', declaring(15_490), [15_400, 15_401], 'admin-port'],
  ] as const)('move when a container declares %s, with a warning and an annotation', (_, container, ports, name) => {
    const pod = appPod({ container });
    const after = injected(pod);
    expect(portsOf(after)).toEqual(ports);
    const moved = name === 'port' ? ports[0] : ports[1];
    expect(warningsOf(pod)).toEqual([
      `the sidecar’s ${name.replace('-', ' ')} is ${moved}: container "app" has ${name === 'port' ? 15_400 : 15_490}`,
    ]);
    expect(after.metadata.annotations).toMatchObject({ [`model-gateway.io/${name}`]: String(moved) });
    expect(patchOf(after)).toEqual([]);
  });

  it('move past ports that init containers and other containers declare', () => {
    const spec = { initContainers: [{ name: 'warm', ...declaring(15_400, 15_401) }] };
    expect(portsOf(injected(appPod({ spec, container: declaring(15_402, 15_490) })))).toEqual([15_403, 15_404]);
  });

  it('stay when a port is declared for UDP only', () => {
    expect(portsOf(injected(appPod({ container: declaring([15_400, 'UDP']) })))).toEqual([15_400, 15_490]);
  });

  it('are never moved when the pod chooses them', () => {
    expect(portsOf(injected(choosing({ port: '8081', 'admin-port': '15450' })))).toEqual([8081, 15_450]);
    expect(refusalOf(choosing({ port: '8080' }, { container: declaring(8080) }))).toBe(
      'container "app" has the port 8080, as the sidecar; the annotation model-gateway.io/port moves the sidecar’s',
    );
    expect(refusalOf(choosing({ 'admin-port': '9090' }, { container: declaring(9090) }))).toContain(
      'the annotation model-gateway.io/admin-port moves the sidecar’s',
    );
  });

  it('make room for each other when the pod chooses one’s default for the other', () => {
    const pod = choosing({ 'admin-port': '15400' });
    expect(portsOf(injected(pod))).toEqual([15_401, 15_400]);
    expect(warningsOf(pod)).toEqual(['the sidecar’s port is 15401: its admin port was set to 15400']);
  });

  it('are refused when the pod declares all of them', () => {
    const all = Array.from({ length: 91 }, (_, index) => 15_400 + index);
    expect(refusalOf(appPod({ container: declaring(...all) }))).toBe(
      'the pod declares every port from 15401 to 15489: none is left for the sidecar',
    );
    const butTwo = all.filter((port) => port < 15_488 || port > 15_489);
    expect(portsOf(injected(appPod({ container: declaring(...butTwo) })))).toEqual([15_488, 15_489]);
  });
});

describe('a pod that already has its sidecar', () => {
  const with_ = (pod: TestPod, container: object) => ({
    ...pod,
    spec: { ...pod.spec, containers: [...pod.spec.containers, { name: 'late', ...container }] },
  });

  it('is refused when a new container declares the sidecar’s port', () => {
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

  it('gives a later container the port of its sidecar, even if a new sidecar would get another', () => {
    const moved = injected(appPod({ container: declaring(15_400) }));
    const { 'model-gateway.io/port': _, ...annotations } = moved.metadata.annotations ?? {};
    const after = injected(with_({ ...moved, metadata: { ...moved.metadata, annotations } }, {}));
    expect(environmentOf(after.spec.containers[1])).toMatchObject({
      OPENAI_BASE_URL: 'http://127.0.0.1:15401/v1',
    });
  });
});

describe('the sidecar’s list of containers', () => {
  it('contains names and users, of the container or of the pod, to report which container took its port', () => {
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

  it('stays short in a pod with many containers', () => {
    const containers = Array.from({ length: 200 }, (_, index) => ({ name: `c-${index}` }));
    const value = environmentOf(sidecarOf(injected(appPod({ spec: { containers } })))).GATEWAY_POD_CONTAINERS;
    expect(String(value).split(',')).toHaveLength(50);
  });
});
