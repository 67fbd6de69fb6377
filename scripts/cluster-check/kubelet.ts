// The part of a kubelet that this check needs for the containers of a pod: environment, volumes as folders that follow
// their Secrets, a token of the pod's account, a network of the pod's own. There are no probes and no restarts.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../common/json.ts';
import type { ApiClient } from '../../keeper/api/client.ts';
import { paths, textsIn } from '../../keeper/api/sources.ts';
import { startContainerOf } from '../../test/support/container.ts';
import type { TestContainer, TestPod } from '../../test/support/injection.ts';
import { type Child, startProcess, until } from '../../test/support/process.ts';
import { type Control, rootCa } from './control.ts';

export interface PodOptions {
  readonly control: Control;
  readonly admin: ApiClient;
  /** Folder of the bundles of scripts/build.ts. */
  readonly dist: string;
  readonly namespace: string;
  /** With metadata and spec, as the API server stores it or as in a Deployment's template. */
  readonly pod: TestPod;
  /** The pod's own network; default: that of the check. */
  readonly network?: Network;
}

export interface RunOptions {
  /** Replaces variables of the pod. */
  readonly env?: Readonly<Record<string, string>>;
  /** A target of deploy/Dockerfile. */
  readonly image: string;
  /** Further folders that it may write. */
  readonly scratch?: readonly string[];
}

export interface Pod {
  /** Starts a container with exactly its environment, command and volumes. */
  run(container: string, options: RunOptions): Child;
  /** Starts a program of this machine as the container, with only the container's environment. */
  runHere(container: string, command: readonly string[]): Child;
  /** Ends all processes and removes the volumes. */
  close(): Promise<void>;
}

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
  readonly emptyDir?: object;
  readonly projected?: object;
}

const user = 65_532;
const followMs = 500;

export function createPod(options: PodOptions): Pod {
  return new LocalPod(options);
}

class LocalPod implements Pod {
  readonly #options: PodOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gateway-pod-'));
  readonly #children: Child[] = [];
  readonly #volumes = new Map<string, { readonly path: string; readonly volume: Volume }>();
  readonly #following: NodeJS.Timeout;
  #closed = false;

  constructor(options: PodOptions) {
    this.#options = options;
    chmodSync(this.#folder, 0o755);
    this.#following = setInterval(() => void this.#follow(), followMs);
  }

  run(name: string, { env = {}, image, scratch = [] }: RunOptions): Child {
    const container = this.#container(name);
    const { dist, network } = this.#options;
    const [, ...args] = (container.command as readonly string[] | undefined) ?? [];
    const child = startContainerOf({
      image,
      dist,
      scratch,
      env: { ...environmentOf(container), ...env },
      ...this.#mounted(container),
      ...(args.length > 0 && { args }),
      ...(network !== undefined && { networkOf: network.pid }),
    });
    this.#children.push(child);
    return child;
  }

  runHere(name: string, command: readonly string[]): Child {
    const { network } = this.#options;
    const variables = Object.entries(environmentOf(this.#container(name))).map(([key, value]) => `${key}=${value}`);
    const inNetwork = network === undefined ? [] : ['nsenter', `--net=/proc/${network.pid}/ns/net`];
    const [first = 'env', ...rest] = [...inNetwork, 'env', '-i', ...variables, ...command];
    const child = startProcess(first, rest);
    this.#children.push(child);
    return child;
  }

  async close(): Promise<void> {
    for (const child of this.#children.toReversed()) await child.stop();
    clearInterval(this.#following);
    this.#closed = true;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #container(name: string): TestContainer {
    const { initContainers = [], containers } = this.#options.pod.spec;
    const found = [...initContainers, ...containers].find((one) => one.name === name);
    if (found === undefined) throw new Error(`the pod has no container ${name}`);
    return found;
  }

  #mounted(container: TestContainer) {
    const mounts: Record<string, string> = {};
    const shared: Record<string, string> = {};
    for (const { name, mountPath, readOnly } of (container.volumeMounts ?? []) as readonly Mount[]) {
      const { path, volume } = this.#volume(name);
      if (volume.emptyDir !== undefined && readOnly !== true) shared[mountPath] = path;
      else mounts[mountPath] = path;
    }
    return { mounts, shared };
  }

  #volume(name: string): { readonly path: string; readonly volume: Volume } {
    const known = this.#volumes.get(name);
    if (known !== undefined) return known;
    const { pod, namespace, control } = this.#options;
    const volume = (pod.spec.volumes as readonly Volume[] | undefined)?.find((one) => one.name === name);
    if (volume === undefined) throw new Error(`the pod has no volume ${name}`);
    const path = join(this.#folder, name);
    mkdirSync(path);
    chownSync(path, user, user);
    const made = { path, volume };
    this.#volumes.set(name, made);
    if (volume.secret !== undefined) fill(made, secretOf(control, namespace, volume.secret.secretName));
    if (volume.projected !== undefined) {
      const account = String(pod.spec.serviceAccountName ?? 'default');
      const token = control.kubectl(['-n', namespace, 'create', 'token', account, '--duration=1h']);
      fill(made, { token, 'ca.crt': rootCa(control, namespace) });
    }
    return made;
  }

  async #follow(): Promise<void> {
    const { admin, namespace } = this.#options;
    for (const made of this.#volumes.values()) {
      const { secretName } = made.volume.secret ?? {};
      if (secretName === undefined) continue;
      const secret = await admin.get(paths.secret(namespace, secretName)).catch(() => undefined);
      if (secret !== undefined && !this.#closed) fill(made, decoded(secret.data));
    }
  }
}

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

function environmentOf(container: TestContainer): Record<string, string> {
  return Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value]));
}

function secretOf(control: Control, namespace: string, name: string): Readonly<Record<string, string>> {
  const output = control.kubectl(['-n', namespace, 'get', 'secret', name, '-o', 'json']);
  return decoded((JSON.parse(output) as { data?: unknown }).data);
}

function decoded(data: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(data) ? textsIn(data) : {});
  return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
}

function fill({ path, volume }: { path: string; volume: Volume }, values: Readonly<Record<string, string>>): void {
  const wanted = volume.secret?.items?.map(({ key }) => key);
  for (const [key, value] of Object.entries(values)) {
    if (wanted !== undefined && !wanted.includes(key)) continue;
    writeFileSync(join(path, `.${key}.new`), value, { mode: 0o444 });
    renameSync(join(path, `.${key}.new`), join(path, key));
  }
}

/** A pod's network namespace, connected to the check's by a pair of interfaces. */
export interface Network {
  readonly pid: number;
  /** The pod's address. */
  readonly address: string;
  close(): Promise<void>;
}

let networks = 0;

export async function createNetwork(): Promise<Network> {
  const index = ++networks;
  const holder = startProcess('unshare', ['-n', 'sleep', '3600']);
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  const inside = (...args: string[]) =>
    execFileSync('nsenter', [`--net=/proc/${holder.pid}/ns/net`, 'ip', ...args], { stdio: 'pipe' });
  await untilOwnNetwork(holder.pid);
  const [outer, inner] = [`10.78.${index}.1`, `10.78.${index}.2`];
  ip('link', 'add', `pod${index}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(holder.pid));
  ip('addr', 'add', `${outer}/24`, 'dev', `pod${index}`);
  ip('link', 'set', `pod${index}`, 'up');
  inside('link', 'set', 'lo', 'up');
  inside('addr', 'add', `${inner}/24`, 'dev', 'eth0');
  inside('link', 'set', 'eth0', 'up');
  inside('route', 'add', 'default', 'via', outer);
  return { pid: holder.pid, address: inner, close: async () => void (await holder.stop('SIGKILL')) };
}

async function untilOwnNetwork(pid: number): Promise<void> {
  const own = readlinkSync('/proc/self/ns/net');
  await until(async () => readlinkSync(`/proc/${pid}/ns/net`) !== own, { what: 'a network of its own' });
}
