// What becomes of a pod: pure, from the pod as it was asked for to the patch that adds the sidecar, or the reason why not.
// A second application changes nothing.
import { SettingsError } from '../common/settings.ts';
import { type AppEnvironment, appEnvironment } from './app-environment.ts';
import { type Choices, type Defaults, isOptedOut, podAnnotations, readChoices } from './choices.ts';
import { type Addition, addition } from './json-patch.ts';
import { injectedAnnotation, notInjectedAnnotation, sidecarName, volumePrefix } from './labels.ts';
import { type Pod, PodError, readPod } from './pod.ts';
import { cut, shown } from './shown.ts';
import { type SidecarSettings, sidecarContainer, sidecarVolumes } from './sidecar.ts';

export type InjectionSettings = SidecarSettings & Defaults;

export const outcomes = ['injected', 'already_injected', 'opted_out', 'not_injected', 'refused'] as const;
export type Outcome = (typeof outcomes)[number];

export type Injection =
  | {
      readonly outcome: Exclude<Outcome, 'refused'>;
      /** Empty: nothing changes. */
      readonly patch: readonly Addition[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'refused'; readonly message: string };

const messageLengthMax = 1024;

/** @param object the pod as JSON, not validated yet */
export function inject(object: unknown, settings: InjectionSettings): Injection {
  try {
    return decide(readPod(object), settings);
  } catch (error) {
    if (!(error instanceof PodError || error instanceof SettingsError)) throw error;
    const message = error instanceof SettingsError ? error.mistakes.join('; ') : error.message;
    return { outcome: 'refused', message: cut(message, messageLengthMax) };
  }
}

function decide(pod: Pod, settings: InjectionSettings): Injection {
  if (isOptedOut(pod.annotations)) return { outcome: 'opted_out', patch: [], warnings: [] };
  if (isMirror(pod)) {
    // The kubelet's copy of a static pod: whatever differs from its file is deleted, again and again.
    const why = 'a static pod cannot be injected';
    return { outcome: 'not_injected', patch: [], warnings: [`no model-gateway sidecar: ${why}`] };
  }
  if (isInjected(pod)) {
    // Asked again after another webhook, which may have added containers.
    return { outcome: 'already_injected', ...appEnvironment(pod, readChoices(pod.annotations, settings)) };
  }
  const why = whyNot(pod);
  if (why !== undefined) {
    const patch = annotate(pod, notInjectedAnnotation, why);
    return { outcome: 'not_injected', patch, warnings: [`no model-gateway sidecar: ${why}`] };
  }
  const choices = readChoices(pod.annotations, settings);
  refuseWhatIsTaken(pod, choices);
  return { outcome: 'injected', ...withSidecar(pod, choices, settings) };
}

function isMirror(pod: Pod): boolean {
  return pod.annotations['kubernetes.io/config.mirror'] !== undefined;
}

function isInjected(pod: Pod): boolean {
  const hasSidecar = pod.initContainers.some(({ name }) => name === sidecarName);
  return hasSidecar && pod.annotations[injectedAnnotation] !== undefined;
}

function whyNot(pod: Pod): string | undefined {
  if (pod.hostNetwork) return 'hostNetwork: the loopback of the node is shared with other pods';
  if (pod.hostPid) return 'hostPID: processes of the node could read the key in the sidecar';
  if (pod.sharedProcesses) return 'shareProcessNamespace: the app could read the key in the sidecar';
  if (pod.isWindows) return 'Windows: the sidecar is a Linux container';
  return undefined;
}

function refuseWhatIsTaken(pod: Pod, choices: Choices): void {
  const containers = [...pod.initContainers, ...pod.containers];
  if (containers.some(({ name }) => name === sidecarName)) {
    throw new PodError(`a container of the pod is named ${sidecarName}, which is the sidecar’s name`);
  }
  // A mount without a volume as well: it would be the sidecar's volume that the app mounts, the key in it.
  const names = [...pod.volumeNames, ...containers.flatMap(({ mounts }) => mounts)];
  const volume = names.find((name) => name.startsWith(volumePrefix));
  if (volume !== undefined) {
    throw new PodError(`the volume ${shown(volume)} has a name of the sidecar’s: ${volumePrefix}…`);
  }
  for (const setting of ['port', 'adminPort'] as const) {
    const port = choices[setting];
    const taken = containers.find(({ ports }) => ports.includes(port));
    if (taken === undefined) continue;
    throw new PodError(
      `container ${shown(taken.name)} has the port ${port}; the annotation ${podAnnotations[setting].name} moves the sidecar’s`,
    );
  }
}

function withSidecar(pod: Pod, choices: Choices, settings: InjectionSettings): AppEnvironment {
  const app = appEnvironment(pod, choices);
  const sidecar = sidecarContainer(choices, settings, pod.graceSeconds);
  const volumes = sidecarVolumes(choices);
  const patch = [
    // Before the sidecar, which moves the other init containers.
    ...app.patch,
    ...(pod.hasVolumes
      ? volumes.map((volume) => addition(['spec', 'volumes', '-'], volume))
      : [addition(['spec', 'volumes'], volumes)]),
    // First, so that init containers after it can call models too.
    pod.hasInitContainers
      ? addition(['spec', 'initContainers', 0], sidecar)
      : addition(['spec', 'initContainers'], [sidecar]),
    ...annotate(pod, injectedAnnotation, tagOf(settings.image)),
  ];
  const warnings = pod.hasResources
    ? ['the pod has resources as a whole: those of the sidecar have to fit into them', ...app.warnings]
    : app.warnings;
  return { patch, warnings };
}

function annotate(pod: Pod, name: string, value: string): readonly Addition[] {
  if (pod.annotations[name] === value) return [];
  if (!pod.hasAnnotations) return [addition(['metadata', 'annotations'], { [name]: value })];
  return [addition(['metadata', 'annotations', name], value)];
}

/** "0.1.0" of "host:5000/model-gateway/proxy:0.1.0@sha256:…"; of an image without a tag its digest. */
function tagOf(image: string): string {
  const [name = '', digest] = image.split('@');
  return /:([^:/]+)$/.exec(name)?.[1] ?? digest ?? image;
}
