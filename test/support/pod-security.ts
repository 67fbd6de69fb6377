// The Pod Security Standard "restricted" for the pods of this project, after
// https://kubernetes.io/docs/concepts/security/pod-security-standards/: the violations of a container, one per line.
import { isObject, type JsonObject } from '../../common/json.ts';

/** Kinds of volumes that the standard allows. */
const volumeKinds = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'],
];

/** @param spec of a pod @param only names of the containers to check; default all */
export function restrictedViolations(spec: unknown, only?: readonly string[]): readonly string[] {
  const pod = objectOf(spec);
  const containers = ['initContainers', 'containers', 'ephemeralContainers']
    .flatMap((list) => listOf(pod[list]))
    .filter(({ name }) => only === undefined || only.includes(String(name)));
  return [
    ...['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => pod[field] === true),
    ...listOf(pod.volumes).flatMap((volume) =>
      Object.keys(volume)
        .filter((kind) => kind !== 'name' && !volumeKinds.includes(kind))
        .map((kind) => `volume ${volume.name}: ${kind}`),
    ),
    ...containers.flatMap((container) =>
      containerViolations(container, objectOf(pod.securityContext)).map((what) => `${container.name}: ${what}`),
    ),
  ];
}

function containerViolations(container: JsonObject, pod: JsonObject): readonly string[] {
  const own = objectOf(container.securityContext);
  const capabilities = objectOf(own.capabilities);
  const added = Array.isArray(capabilities.add) ? capabilities.add : [];
  const dropped = Array.isArray(capabilities.drop) ? capabilities.drop : [];
  const seccomp = objectOf(own.seccompProfile ?? pod.seccompProfile).type;
  const problems: Readonly<Record<string, boolean>> = {
    privileged: own.privileged === true,
    'privilege escalation': own.allowPrivilegeEscalation !== false,
    'may be root': (own.runAsNonRoot ?? pod.runAsNonRoot) !== true,
    'is root': (own.runAsUser ?? pod.runAsUser) === 0,
    'keeps capabilities': !dropped.includes('ALL') || added.some((one) => one !== 'NET_BIND_SERVICE'),
    'no seccomp profile': seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost',
    'a port of the node': listOf(container.ports).some(({ hostPort = 0 }) => hostPort !== 0),
  };
  return Object.keys(problems).filter((problem) => problems[problem]);
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
