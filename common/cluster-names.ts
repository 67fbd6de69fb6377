// Names of labels, annotations and containers by which the programs in a cluster recognize each other's Kubernetes
// objects.

export const prefix = 'model-gateway.io/';

/** A label of namespaces, and a label or annotation of pods. */
export const injectName = `${prefix}inject`;

/** The values of that label or annotation. */
export const wishes = {
  enabled: ['enabled', 'true'],
  disabled: ['disabled', 'false'],
} as const;
/** The accepted values, for messages. */
export const wishWords = 'enabled or true, disabled or false';

/** Labels of namespaces. Only the first is also a label of pods. */
export const namespaceLabels: readonly string[] = [
  injectName,
  ...['tenant', 'monitoring', 'operators', 'full-mode'].map((name) => prefix + name),
];

/**
 * Whether a label or annotation belongs to the gateway: in its domain, in another spelling of the domain, or without a
 * domain as other injectors write theirs.
 */
export function isOurs(name: string): boolean {
  return /^(?:(?:[\w.-]+\.)?model-gateway\.io\/|model-gateway\/|model-gateway-inject)/.test(name);
}

/** Name of the sidecar's container, in app pods and in the PodTemplate that names its image. */
export const sidecarName = 'model-gateway';

/** Annotations of pods and namespaces with the requests and limits of a sidecar. */
export const sizeNames = {
  cpuRequest: `${prefix}cpu-request`,
  cpuLimit: `${prefix}cpu-limit`,
  memoryRequest: `${prefix}memory-request`,
  memoryLimit: `${prefix}memory-limit`,
} as const;

export type SizeName = keyof typeof sizeNames;
