// Pure decision about a pod: from the pod in the request to the patch that adds the sidecar, or to the reason against
// it. Injecting twice changes nothing.
import { injectName, isOurs, namespaceLabels, sidecarName } from '../common/cluster-names.ts';
import type { NamespaceSizes } from '../common/hand-over.ts';
import { SettingsError } from '../common/settings.ts';
import { appEnvironment } from './app-environment.ts';
import { type Defaults, podAnnotations, readChoices } from './choices.ts';
import { type Addition, addition } from './json-patch.ts';
import { injectedAnnotation, notInjectedAnnotation, volumePrefix } from './labels.ts';
import { othersOf, type Pod, PodError, readPod } from './pod.ts';
import { isGuaranteed } from './pod-totals.ts';
import { choosePorts, type MovedPort, refuseSharedPorts, sidecarPorts } from './ports.ts';
import { cut, shown } from './shown.ts';
import { type Sidecar, type SidecarSettings, sidecarContainer, sidecarVolumes } from './sidecar.ts';
import { chooseSizes, type Sizes } from './sizes.ts';
import { unknownNamespaceWord, wishOf } from './wish.ts';

export interface InjectionSettings extends SidecarSettings, Defaults {
  /** The reason why the image is undefined. */
  readonly imageProblem?: string | undefined;
}

/** The namespace in which the pod is created. */
export interface Surroundings {
  readonly sizes?: NamespaceSizes | undefined;
  /** The namespace's name, if its inject label has an unknown value. */
  readonly unknownWordOf?: string | undefined;
}

export const outcomes = ['injected', 'already_injected', 'opted_out', 'not_injected', 'refused'] as const;
export type Outcome = (typeof outcomes)[number];

export type Injection = (Decision | Refusal) & {
  /** The pod already had a mark of the injector in the request. */
  readonly wasMarked: boolean;
};

export interface Decision {
  readonly outcome: Exclude<Outcome, 'refused'>;
  /** Empty: no change. */
  readonly patch: readonly Addition[];
  readonly warnings: readonly string[];
}

export interface Refusal {
  readonly outcome: 'refused';
  readonly message: string;
}

const messageLengthMax = 1024;

/** @param object the pod as JSON, not validated yet */
export function inject(object: unknown, settings: InjectionSettings, surroundings: Surroundings = {}): Injection {
  let wasMarked = false;
  try {
    const pod = readPod(object);
    wasMarked = isInjected(pod) || pod.annotations[notInjectedAnnotation] !== undefined;
    return { ...decide(pod, settings, surroundings), wasMarked };
  } catch (error) {
    if (!(error instanceof PodError || error instanceof SettingsError)) throw error;
    const message = error instanceof SettingsError ? error.mistakes.join('; ') : error.message;
    return { outcome: 'refused', message: cut(message, messageLengthMax), wasMarked };
  }
}

function decide(pod: Pod, settings: InjectionSettings, surroundings: Surroundings): Decision {
  const wish = wishOf(pod);
  if (wish === 'disabled') return { outcome: 'opted_out', patch: [], warnings: [] };
  if (isMirror(pod)) {
    // A mirror pod is the kubelet's copy of a static pod. The kubelet deletes it repeatedly if it differs from its
    // file.
    const why = 'a static pod cannot be injected';
    return { outcome: 'not_injected', patch: [], warnings: [`no model-gateway sidecar: ${why}`] };
  }
  if (wish === undefined && surroundings.unknownWordOf !== undefined)
    throw new PodError(unknownNamespaceWord(surroundings.unknownWordOf));
  refuseUnknownNames(pod);
  if (isInjected(pod)) return again(pod, settings);
  const why = whyNot(pod);
  if (why !== undefined) {
    const patch = annotate(pod, { [notInjectedAnnotation]: why });
    return { outcome: 'not_injected', patch, warnings: [`no model-gateway sidecar: ${why}`] };
  }
  refuseWhatIsTaken(pod);
  return withSidecar(pod, settings, surroundings);
}

function isMirror(pod: Pod): boolean {
  return pod.annotations['kubernetes.io/config.mirror'] !== undefined;
}

function isInjected(pod: Pod): boolean {
  const hasSidecar = pod.initContainers.some(({ name }) => name === sidecarName);
  return hasSidecar && pod.annotations[injectedAnnotation] !== undefined;
}

/**
 * The API server reinvokes the webhook after another one, which may have added containers. They get the environment for
 * the existing sidecar.
 */
function again(pod: Pod, settings: InjectionSettings): Decision {
  const { excluded } = readChoices(pod.annotations, settings);
  const sidecar = pod.initContainers.find(({ name }) => name === sidecarName);
  const ports = sidecarPorts(sidecar);
  refuseSharedPorts(othersOf(pod), { ports, annotations: portAnnotations });
  return { outcome: 'already_injected', ...appEnvironment(pod, { excluded, port: ports.port }) };
}

function whyNot(pod: Pod): string | undefined {
  if (pod.hostNetwork) return 'hostNetwork: the loopback of the node is shared with other pods';
  if (pod.hostPid) return 'hostPID: processes of the node could read the key in the sidecar';
  if (pod.sharedProcesses) return 'shareProcessNamespace: the app could read the key in the sidecar';
  if (pod.isWindows) return 'Windows: the sidecar is a Linux container';
  return undefined;
}

function refuseWhatIsTaken(pod: Pod): void {
  const containers = [...pod.initContainers, ...pod.containers];
  if (containers.some(({ name }) => name === sidecarName)) {
    throw new PodError(`a container of the pod is named ${sidecarName}, which is the sidecar’s name`);
  }
  // Mounts count even without a volume: such an app would mount the sidecar's volume, with the key in it.
  const names = [...pod.volumeNames, ...containers.flatMap(({ mounts }) => mounts)];
  const volume = names.find((name) => name.startsWith(volumePrefix));
  if (volume !== undefined) {
    throw new PodError(`the volume ${shown(volume)} has a name of the sidecar’s: ${volumePrefix}…`);
  }
}

const portAnnotations = { port: podAnnotations.port.name, adminPort: podAnnotations.adminPort.name };

function withSidecar(pod: Pod, settings: InjectionSettings, { sizes: namespace }: Surroundings): Decision {
  const choices = readChoices(pod.annotations, settings);
  const beside = othersOf(pod);
  const { moved, ...ports } = choosePorts(beside, { ports: choices.ports, annotations: portAnnotations });
  const { sizes, warnings } = chooseSizes(pod, {
    chosen: choices.sizes,
    defaults: settings.resources,
    namespace,
  });
  const image = imageOf(settings);
  const app = appEnvironment(pod, { excluded: choices.excluded, port: ports.port });
  const { graceSeconds } = pod;
  const sidecar: Sidecar = { image, choices, ports, sizes, graceSeconds, beside };
  const marks = {
    [injectedAnnotation]: tagOf(image),
    ...Object.fromEntries(moved.map(({ name, to }) => [portAnnotations[name], String(to)])),
  };
  return {
    outcome: 'injected',
    patch: [
      // Before the sidecar, which shifts the indexes of the other init containers.
      ...app.patch,
      ...added(pod, sidecar, settings),
      ...annotate(pod, marks),
    ],
    warnings: [...moved.map(movedWarning), ...warnings, ...podWarnings(pod, sizes), ...app.warnings],
  };
}

/** @throws PodError if the image is unknown: every call of a pod without its sidecar would fail */
function imageOf({ image, imageProblem }: InjectionSettings): string {
  if (image !== undefined) return image;
  throw new PodError(imageProblem ?? 'the sidecar’s image is not known yet');
}

function added(pod: Pod, sidecar: Sidecar, settings: SidecarSettings): readonly Addition[] {
  const volumes = sidecarVolumes(sidecar.choices);
  const container = sidecarContainer(sidecar, settings);
  return [
    ...(pod.hasVolumes
      ? volumes.map((volume) => addition(['spec', 'volumes', '-'], volume))
      : [addition(['spec', 'volumes'], volumes)]),
    // First, so that later init containers can call models too.
    pod.hasInitContainers
      ? addition(['spec', 'initContainers', 0], container)
      : addition(['spec', 'initContainers'], [container]),
  ];
}

function movedWarning({ name, from, to, container }: MovedPort): string {
  const [what, other] = name === 'port' ? ['port', 'admin port'] : ['admin port', 'port'];
  const why = container === undefined ? `its ${other} was set to ${from}` : `container ${shown(container)} has ${from}`;
  return `the sidecar’s ${what} is ${to}: ${why}`;
}

function podWarnings(pod: Pod, sizes: Sizes): readonly string[] {
  const isEven =
    sizes.cpuRequest.amount === sizes.cpuLimit.amount && sizes.memoryRequest.amount === sizes.memoryLimit.amount;
  const losesClass = !pod.hasResources && !isEven && isGuaranteed(pod);
  return [
    ...(pod.hasResources ? ['the pod has resources as a whole: those of the sidecar have to fit into them'] : []),
    ...(losesClass
      ? [
          `the pod is Burstable with its sidecar, and was Guaranteed without it: let the sidecar’s requests equal its limits (${podAnnotations.cpuRequest.name} and the like)`,
        ]
      : []),
    ...misplacedLabels(pod),
  ];
}

function annotate(pod: Pod, marks: Readonly<Record<string, string>>): readonly Addition[] {
  const fresh = Object.entries(marks).filter(([name, value]) => pod.annotations[name] !== value);
  if (fresh.length === 0) return [];
  if (!pod.hasAnnotations) return [addition(['metadata', 'annotations'], Object.fromEntries(fresh))];
  return fresh.map(([name, value]) => addition(['metadata', 'annotations', name], value));
}

/** "0.1.0" of "host:5000/model-gateway/proxy:0.1.0@sha256:…"; for an image without a tag, its digest. */
function tagOf(image: string): string {
  const [name = '', digest] = image.split('@');
  return /:([^:/]+)$/.exec(name)?.[1] ?? digest ?? image;
}

type Marks = Pick<Pod, 'labels' | 'annotations'>;

const annotationNames = new Set<string>([
  ...[injectedAnnotation, notInjectedAnnotation],
  ...Object.values(podAnnotations).map(({ name }) => name),
]);

/**
 * Refuses labels and annotations of a pod that have the injector's prefix but no effect. The message suggests the right
 * name if it can.
 * @throws PodError
 */
function refuseUnknownNames({ labels, annotations }: Marks): void {
  const annotation = Object.keys(annotations).find((name) => isOurs(name) && !annotationNames.has(name));
  if (annotation !== undefined) {
    throw new PodError(`there is no annotation ${shown(annotation)}${rightName(annotation)}`);
  }
  const label = Object.keys(labels).find((name) => isOurs(name) && !namespaceLabels.includes(name));
  if (label === undefined) return;
  const right = annotationNames.has(label) ? '; it is an annotation' : rightName(label);
  throw new PodError(`there is no label ${shown(label)}${right}`);
}

/** Warnings for the pod's author. */
function misplacedLabels({ labels }: Marks): readonly string[] {
  return namespaceLabels
    .filter((name) => name !== injectName && Object.hasOwn(labels, name))
    .map((name) => `${name} is a label of namespaces; on a pod it does nothing`);
}

function rightName(name: string): string {
  return /inject|able|sidecar/i.test(name) ? `; ${injectName} requests a sidecar` : '';
}
