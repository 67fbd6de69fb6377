// The parts of a pod that the injector reads, from JSON that was not validated yet: the API server calls webhooks
// before it validates the pod. Other parts stay unchanged.
import { sidecarName } from '../common/cluster-names.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { amountOf, type Resource, resourceNames } from './quantity.ts';
import { shown } from './shown.ts';

export interface Pod {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly hasAnnotations: boolean;
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly hasInitContainers: boolean;
  readonly volumeNames: readonly string[];
  readonly hasVolumes: boolean;
  readonly hostNetwork: boolean;
  readonly hostPid: boolean;
  readonly sharedProcesses: boolean;
  readonly isWindows: boolean;
  /** The pod as a whole has resources, into which the sidecar's must fit. */
  readonly hasResources: boolean;
  /** Undefined: Kubernetes' default. */
  readonly graceSeconds: number | undefined;
}

export interface Container {
  /** Steps of a JSON Patch path. */
  readonly at: readonly (string | number)[];
  readonly name: string;
  /** TCP ports. */
  readonly ports: readonly number[];
  /** By name; undefined for a value from a reference. */
  readonly env: ReadonlyMap<string, string | undefined>;
  readonly hasEnv: boolean;
  readonly hasEnvFrom: boolean;
  /** Names of the mounted volumes. */
  readonly mounts: readonly string[];
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** An init container that keeps running beside the app. */
  readonly isSidecar: boolean;
  /** The container's, otherwise the pod's; undefined: the image decides. */
  readonly runAsUser: number | undefined;
}

/** Thousandths of a core, or bytes; absent if unset or invalid. */
export type Amounts = Readonly<Partial<Record<Resource, number>>>;

/** The object does not have the shape of a pod. The message is one sentence for its author. */
export class PodError extends Error {
  override readonly name = 'PodError';
}

/** @throws PodError */
export function readPod(object: unknown): Pod {
  const pod = objectAt(object, 'the object');
  const metadata = objectAt(pod.metadata, 'metadata');
  const spec = objectAt(pod.spec, 'spec');
  return {
    labels: textsAt(metadata, 'labels', 'label'),
    annotations: textsAt(metadata, 'annotations', 'annotation'),
    hasAnnotations: isThere(metadata.annotations),
    containers: containersAt(spec, 'containers'),
    initContainers: containersAt(spec, 'initContainers'),
    hasInitContainers: isThere(spec.initContainers),
    volumeNames: namesAt(spec.volumes, 'spec.volumes'),
    hasVolumes: isThere(spec.volumes),
    hostNetwork: flagAt(spec, 'hostNetwork'),
    hostPid: flagAt(spec, 'hostPID'),
    sharedProcesses: flagAt(spec, 'shareProcessNamespace'),
    isWindows: isWindows(spec),
    hasResources: isThere(spec.resources),
    graceSeconds: graceOf(spec),
  };
}

/** All containers except the sidecar. */
export function othersOf({ initContainers, containers }: Pod): readonly Container[] {
  return [...initContainers, ...containers].filter(({ name }) => name !== sidecarName);
}

/** Labels or annotations. */
function textsAt(metadata: JsonObject, field: string, one: string): Readonly<Record<string, string>> {
  if (!isThere(metadata[field])) return {};
  const texts = Object.entries(objectAt(metadata[field], `metadata.${field}`)).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    throw new PodError(`the ${one} ${shown(name)} is not a text`);
  });
  return Object.fromEntries(texts);
}

/** Far more than a node can run; bounds the time of a review. */
const containersMax = 500;

function containersAt(spec: JsonObject, list: 'containers' | 'initContainers'): readonly Container[] {
  const containers = listAt(spec[list], `spec.${list}`);
  if (containers.length > containersMax) throw new PodError(`spec.${list} contains more than ${containersMax}`);
  const podUser = userOf(spec, 'spec');
  return containers.map((value, index) => {
    const where = `spec.${list}[${index}]`;
    const container = objectAt(value, where);
    return {
      at: ['spec', list, index],
      name: nameOf(container, where),
      ports: portsOf(container, where),
      env: environmentOf(container, where),
      hasEnv: isThere(container.env),
      hasEnvFrom: listAt(container.envFrom, `${where}.envFrom`).length > 0,
      mounts: namesAt(container.volumeMounts, `${where}.volumeMounts`),
      ...resourcesOf(container, where),
      isSidecar: list === 'initContainers' && container.restartPolicy === 'Always',
      runAsUser: userOf(container, where) ?? podUser,
    };
  });
}

function resourcesOf(container: JsonObject, where: string): Pick<Container, 'requests' | 'limits'> {
  const at = `${where}.resources`;
  const resources = isThere(container.resources) ? objectAt(container.resources, at) : {};
  return { requests: amountsAt(resources, 'requests', at), limits: amountsAt(resources, 'limits', at) };
}

function amountsAt(resources: JsonObject, field: string, at: string): Amounts {
  const list = isThere(resources[field]) ? objectAt(resources[field], `${at}.${field}`) : {};
  const amounts = resourceNames.map((name) => [name, amountOf(name, list[name])] as const);
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== undefined));
}

function userOf({ securityContext }: JsonObject, where: string): number | undefined {
  const context = isThere(securityContext) ? objectAt(securityContext, `${where}.securityContext`) : {};
  return typeof context.runAsUser === 'number' ? context.runAsUser : undefined;
}

function portsOf(container: JsonObject, where: string): readonly number[] {
  return listAt(container.ports, `${where}.ports`).flatMap((value, index) => {
    const { containerPort, protocol = 'TCP' } = objectAt(value, `${where}.ports[${index}]`);
    if (typeof containerPort !== 'number' || !Number.isInteger(containerPort)) {
      throw new PodError(`${where}.ports[${index}].containerPort is not a whole number`);
    }
    return protocol === 'TCP' ? [containerPort] : [];
  });
}

function environmentOf(container: JsonObject, where: string): ReadonlyMap<string, string | undefined> {
  const entries = listAt(container.env, `${where}.env`).map((value, index) => {
    const at = `${where}.env[${index}]`;
    const entry = objectAt(value, at);
    const isPlain = !isThere(entry.valueFrom);
    // An entry with neither has an empty value.
    return [nameOf(entry, at), isPlain ? optionalTextAt(entry.value, `${at}.value`) : undefined] as const;
  });
  return new Map(entries);
}

function isWindows(spec: JsonObject): boolean {
  const os = isThere(spec.os) ? objectAt(spec.os, 'spec.os').name : undefined;
  const selector = isThere(spec.nodeSelector) ? objectAt(spec.nodeSelector, 'spec.nodeSelector') : {};
  return os === 'windows' || selector['kubernetes.io/os'] === 'windows';
}

function graceOf(spec: JsonObject): number | undefined {
  const grace = spec.terminationGracePeriodSeconds;
  if (!isThere(grace)) return undefined;
  if (typeof grace === 'number' && Number.isInteger(grace)) return grace;
  throw new PodError('spec.terminationGracePeriodSeconds is not a whole number');
}

function flagAt(spec: JsonObject, name: string): boolean {
  const value = spec[name];
  if (!isThere(value)) return false;
  if (typeof value === 'boolean') return value;
  throw new PodError(`spec.${name} is neither true nor false`);
}

/** Go sometimes writes an absent value as null. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function objectAt(value: unknown, where: string): JsonObject {
  if (isObject(value)) return value;
  throw new PodError(`${where} is not an object`);
}

function listAt(value: unknown, where: string): readonly unknown[] {
  if (!isThere(value)) return [];
  if (Array.isArray(value)) return value;
  throw new PodError(`${where} is not a list`);
}

function namesAt(value: unknown, where: string): readonly string[] {
  return listAt(value, where).map((item, index) => nameOf(item, `${where}[${index}]`));
}

function nameOf(value: unknown, where: string): string {
  return textAt(objectAt(value, where).name, `${where}.name`);
}

function optionalTextAt(value: unknown, where: string): string {
  return isThere(value) ? textAt(value, where) : '';
}

function textAt(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw new PodError(`${where} is not a text`);
}
