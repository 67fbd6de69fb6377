// The sidecar container with its environment and volumes. It needs only a loopback port of the pod: no root, no
// writable file except the journal of the full mode, no token of the pod's service account.
import { sidecarName } from '../common/cluster-names.ts';
import type { Choices } from './choices.ts';
import { adminPortName, volumePrefix } from './labels.ts';
import type { Container } from './pod.ts';
import { listenNames, type Ports } from './ports.ts';
import type { Sizes } from './sizes.ts';

/** Settings of the cluster's operator. */
export interface SidecarSettings {
  /** Undefined: not known yet. */
  readonly image: string | undefined;
  readonly egressUrl: string;
  /** PEM of the authorities that sign the egress gateway's certificate; undefined: the system's. */
  readonly egressCa: string | undefined;
  /** host:port, for the full mode. */
  readonly controlPlane: string;
}

type EnvVar =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: { readonly secretKeyRef: SecretKeyRef } };

interface SecretKeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: true;
}

export interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

/** The paths of the sidecar's files. */
const mounts = {
  key: '/var/run/model-gateway/key',
  tls: '/var/run/model-gateway/tls',
  proxy: '/var/run/model-gateway/proxy',
  token: '/var/run/secrets/kubernetes.io/serviceaccount',
  journal: '/var/lib/model-gateway/journal',
} as const;

type VolumeName = keyof typeof mounts;

const user = 65_532;

/** The decided values of one sidecar. */
export interface Sidecar {
  readonly image: string;
  readonly choices: Choices;
  readonly ports: Ports;
  readonly sizes: Sizes;
  /** terminationGracePeriodSeconds of the pod. */
  readonly graceSeconds: number | undefined;
  /** The pod's other containers, which the sidecar names in a message if one has its port. */
  readonly beside: readonly Pick<Container, 'name' | 'runAsUser'>[];
}

export function sidecarContainer(sidecar: Sidecar, settings: SidecarSettings) {
  const { choices, ports } = sidecar;
  const livez = { httpGet: { path: '/livez', port: ports.adminPort } };
  return {
    name: sidecarName,
    image: sidecar.image,
    // Makes it a native sidecar: started and probed before later containers, stopped after the app.
    restartPolicy: 'Always',
    env: sidecarEnvironment(sidecar, settings),
    ports: [{ name: adminPortName, containerPort: ports.adminPort }],
    startupProbe: { ...livez, periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...livez, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    // No readinessProbe, because the app's readiness would depend on the gateway's.
    resources: resourcesOf(sidecar.sizes),
    // Shows in the pod's status why the sidecar did not start, such as a port in use or a malformed key.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: volumesOf(choices).map((name) => ({
      name: volumePrefix + name,
      mountPath: mounts[name],
      ...(name !== 'journal' && { readOnly: true }),
    })),
  };
}

function sidecarEnvironment(sidecar: Sidecar, settings: SidecarSettings): readonly EnvVar[] {
  const { choices, ports } = sidecar;
  return [
    { name: listenNames.port, value: `127.0.0.1:${ports.port}` },
    // The kubelet probes the pod's address.
    { name: listenNames.adminPort, value: `0.0.0.0:${ports.adminPort}` },
    { name: 'GATEWAY_DRAIN_GRACE', value: `${drainSeconds(sidecar.graceSeconds)}s` },
    { name: 'GATEWAY_POD_CONTAINERS', value: neighbours(sidecar.beside) },
    ...(choices.logLevel === undefined ? [] : [{ name: 'GATEWAY_LOG_LEVEL', value: choices.logLevel }]),
    { name: 'GATEWAY_ATTACH_KEY_FILE', value: `${mounts.key}/virtual-key` },
    ...(choices.mode === 'forward' ? forwardEnvironment(settings) : fullEnvironment(choices, settings)),
  ];
}

/** Containers in the variable; enough to name one in a message. */
const neighboursMax = 50;

function neighbours(containers: Sidecar['beside']): string {
  return containers
    .slice(0, neighboursMax)
    .map(({ name, runAsUser }) => `${name}:${runAsUser ?? ''}`)
    .join(',');
}

export function sidecarVolumes(choices: Choices): readonly Volume[] {
  return volumesOf(choices).map((name) => ({ name: volumePrefix + name, ...volumeSource(name, choices) }));
}

function forwardEnvironment({ egressUrl, egressCa }: SidecarSettings): readonly EnvVar[] {
  return [
    { name: 'GATEWAY_FORWARD_TO', value: egressUrl },
    // As text, because a pod cannot mount Secrets and ConfigMaps of the gateway's namespace.
    ...(egressCa === undefined ? [] : [{ name: 'GATEWAY_FORWARD_CA', value: egressCa }]),
    { name: 'GATEWAY_FORWARD_CERT_FILE', value: `${mounts.tls}/tls.crt` },
    { name: 'GATEWAY_FORWARD_KEY_FILE', value: `${mounts.tls}/tls.key` },
  ];
}

function fullEnvironment({ proxySecret: name }: Choices, settings: SidecarSettings): readonly EnvVar[] {
  const fromSecret = (variable: string, key: string) => ({
    name: variable,
    valueFrom: { secretKeyRef: { name, key } },
  });
  const ifThere = (variable: string, key: string) => ({
    name: variable,
    valueFrom: { secretKeyRef: { name, key, optional: true as const } },
  });
  return [
    { name: 'GATEWAY_CONTROL_PLANE', value: settings.controlPlane },
    { name: 'GATEWAY_CONTROL_PLANE_TLS', value: 'true' },
    { name: 'GATEWAY_CONTROL_PLANE_CA_FILE', value: `${mounts.proxy}/ca.crt` },
    fromSecret('GATEWAY_PROXY_TOKEN', 'proxy-token'),
    ifThere('REDIS_URL', 'redis-url'),
    ifThere('GATEWAY_CACHE_KEY', 'cache-key'),
    ifThere('GATEWAY_REDIS_PREFIX', 'redis-prefix'),
    ifThere('GATEWAY_RECORD_KEYS', 'record-keys'),
    { name: 'GATEWAY_ORGANIZATION_SHARE', value: '100' },
    { name: 'GATEWAY_JOURNAL_DIR', value: mounts.journal },
  ];
}

function volumesOf({ mode }: Choices): readonly VolumeName[] {
  return mode === 'forward' ? ['key', 'tls', 'token'] : ['key', 'proxy', 'token', 'journal'];
}

function volumeSource(name: VolumeName, choices: Choices): object {
  switch (name) {
    case 'key':
      return secretFiles(choices.keySecret, ['virtual-key']);
    case 'tls':
      return secretFiles(choices.tlsSecret, ['tls.crt', 'tls.key']);
    case 'proxy':
      return secretFiles(choices.proxySecret, ['ca.crt']);
    case 'token':
      // The ServiceAccount plugin runs again after webhooks and mounts the pod's token into added containers, unless
      // something else is mounted there. In memory, because other empty directories keep the cluster autoscaler from
      // moving a pod.
      return { emptyDir: { medium: 'Memory', sizeLimit: '4Ki' } };
    case 'journal':
      // Outlives the container, not the pod. In memory for the same reason. A journal is rewritten above 8 MiB.
      return { emptyDir: { medium: 'Memory', sizeLimit: '32Mi' } };
  }
}

/** Root owns the files and the sidecar is not root. No other container mounts them. */
const readableByAll = 0o444;

function secretFiles(secretName: string, keys: readonly string[]): object {
  const items = keys.map((key) => ({ key, path: key }));
  return { secret: { secretName, defaultMode: readableByAll, items } };
}

function resourcesOf({ cpuRequest, cpuLimit, memoryRequest, memoryLimit }: Sizes): object {
  return {
    requests: { cpu: cpuRequest.text, memory: memoryRequest.text },
    limits: { cpu: cpuLimit.text, memory: memoryLimit.text },
  };
}

const defaultGraceSeconds = 30;
/** For the time after the drain: settling, flushing, the kubelet's own delay. */
const reservedSeconds = 5;
/** No request lasts longer. */
const drainSecondsMax = 620;

function drainSeconds(graceSeconds = defaultGraceSeconds): number {
  return Math.min(Math.max(graceSeconds - reservedSeconds, 1), drainSecondsMax);
}
