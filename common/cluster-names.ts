// Names by which the programs that run in a cluster know each other on objects of Kubernetes.

export const prefix = 'model-gateway.io/';

/** Label of namespaces; label or annotation of pods. */
export const injectName = `${prefix}inject`;

/** What it may say. */
export const wishes = {
  enabled: ['enabled', 'true'],
  disabled: ['disabled', 'false'],
} as const;
/** For messages. */
export const wishWords = 'enabled or true, disabled or false';

/** Labels of namespaces; only the first is one of pods too. */
export const namespaceLabels: readonly string[] = [
  injectName,
  ...['tenant', 'monitoring', 'operators', 'full-mode'].map((name) => prefix + name),
];

/** A label's or annotation's name in our domain, in another spelling of it, or without one as those of other injectors are. */
export function isOurs(name: string): boolean {
  return /^(?:(?:[\w.-]+\.)?model-gateway\.io\/|model-gateway\/|model-gateway-inject)/.test(name);
}

/** The sidecar's container, in app pods and in the PodTemplate that says which image it has. */
export const sidecarName = 'model-gateway';

/** Annotations of pods and of namespaces: what a sidecar asks for and gets at most. */
export const sizeNames = {
  cpuRequest: `${prefix}cpu-request`,
  cpuLimit: `${prefix}cpu-limit`,
  memoryRequest: `${prefix}memory-request`,
  memoryLimit: `${prefix}memory-limit`,
} as const;

export type SizeName = keyof typeof sizeNames;
