// Runs a container of a pod as a kubelet does: its environment, volumes as folders, its user. Secrets are written as
// the kubelet writes them: a new folder, and one rename that changes all files at once.
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerSpec } from './container.ts';
import type { TestContainer, TestPod } from './injection.ts';

/** Values by key. */
export type Secret = Readonly<Record<string, string>>;

export interface PodSecrets {
  get(name: string): Secret | undefined;
  /** Creates or replaces one; folders of pods that mount it are updated. */
  set(name: string, values: Secret): void;
  /** A folder like a volume of this Secret, for as long as this object lives. */
  folder(name: string, volume: SecretVolume): string;
  remove(): void;
}

interface SecretVolume {
  readonly secretName: string;
  readonly defaultMode?: number;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

interface EnvFromSecret {
  readonly secretKeyRef: { readonly name: string; readonly key: string; readonly optional?: boolean };
}

interface SecurityContext {
  readonly runAsUser: number;
  readonly runAsGroup: number;
  readonly readOnlyRootFilesystem: boolean;
  readonly allowPrivilegeEscalation: boolean;
}

/**
 * The container's start configuration; the rest of ContainerSpec comes from the image. @throws Error if a kubelet would
 * not start it
 */
export function containerOf(
  pod: TestPod,
  name: string,
  secrets: PodSecrets,
): Required<Pick<ContainerSpec, 'env' | 'mounts' | 'scratch' | 'user'>> {
  const container = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((one) => one.name === name);
  if (container === undefined) throw new Error(`the pod has no container ${name}`);
  const { runAsUser, runAsGroup, ...context } = container.securityContext as SecurityContext;
  if (!context.readOnlyRootFilesystem || context.allowPrivilegeEscalation)
    throw new Error(`${name} needs a container with more rights than tests have`);
  return {
    env: environmentOf(container, secrets),
    ...volumesOf(pod, container, secrets),
    user: { uid: runAsUser, gid: runAsGroup },
  };
}

/** @throws Error if a Secret that is not optional is missing */
export function environmentOf(container: TestContainer, secrets: PodSecrets): Record<string, string> {
  const entries = (container.env ?? []).flatMap(({ name, value, valueFrom }) => {
    if (valueFrom === undefined) return [[name, value ?? '']];
    const { secretKeyRef: from } = valueFrom as EnvFromSecret;
    const found = secrets.get(from.name)?.[from.key];
    if (found === undefined && from.optional !== true) throw new Error(`no key ${from.key} in ${from.name}`);
    return found === undefined ? [] : [[name, found]];
  });
  return Object.fromEntries(entries);
}

function volumesOf(pod: TestPod, container: TestContainer, secrets: PodSecrets) {
  const mounts: Record<string, string> = {};
  const scratch: string[] = [];
  for (const { name, mountPath } of (container.volumeMounts ?? []) as { name: string; mountPath: string }[]) {
    const volume = pod.spec.volumes?.find((one) => one.name === name);
    if (volume?.secret !== undefined) mounts[mountPath] = secrets.folder(name, volume.secret as SecretVolume);
    else if (volume?.emptyDir !== undefined) scratch.push(mountPath);
    else throw new Error(`the volume ${name} is neither a Secret nor empty`);
  }
  return { mounts, scratch };
}

export function createSecrets(): PodSecrets {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  const secrets = new Map<string, Secret>();
  const folders = new Map<string, { readonly path: string; readonly volume: SecretVolume }>();
  let version = 0;
  const write = ({ path, volume }: { path: string; volume: SecretVolume }) => {
    const secret = secrets.get(volume.secretName);
    if (secret === undefined) throw new Error(`there is no Secret ${volume.secretName}`);
    version++;
    mkdirSync(join(path, `..${version}`), { recursive: true, mode: 0o755 });
    const items = volume.items ?? Object.keys(secret).map((key) => ({ key, path: key }));
    for (const { key, path: file } of items) {
      const value = secret[key];
      if (value === undefined) throw new Error(`no key ${key} in ${volume.secretName}`);
      writeFileSync(join(path, `..${version}`, file), value, { mode: volume.defaultMode ?? 0o644 });
    }
    symlinkSync(`..${version}`, join(path, '..data_tmp'));
    renameSync(join(path, '..data_tmp'), join(path, '..data'));
    return items;
  };
  return {
    get: (name) => secrets.get(name),
    set: (name, values) => {
      secrets.set(name, values);
      for (const folder of folders.values()) if (folder.volume.secretName === name) write(folder);
    },
    folder: (name, volume) => {
      const path = mkdtempSync(join(directory, `${name}-`));
      chmodSync(path, 0o755);
      const items = write({ path, volume });
      for (const { path: file } of items) symlinkSync(join('..data', file), join(path, file));
      folders.set(path, { path, volume });
      return path;
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}
