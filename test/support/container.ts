// A container without an engine: a program of one of our images in a mount namespace whose read-only root has Node, its
// libraries, the bundles at /app and the mounts, but no shell; as an unprivileged user without capabilities; with
// exactly the given environment. If this machine refuses that, it is a plain process with rewritten paths of mounts:
// `isolation` says which, and belongs in the title of a test that relies on it.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './containers.ts';
import { imageConfig } from './dockerfile.ts';
import { type Child, startProcess } from './process.ts';

export interface ContainerSpec {
  /** A target of deploy/Dockerfile: entry and environment are its image's. */
  readonly image: string;
  /** Output folder of scripts/build.ts; /app of the container. */
  readonly dist: string;
  /** Replaces the image's command. */
  readonly args?: readonly string[];
  /** Added to the image's. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders of this machine by mount path, read-only. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Folders that the container may write to; empty at first. */
  readonly scratch?: readonly string[];
  /** Folders of this machine that it may write to, by mount path: the ones that a pod's containers share. */
  readonly shared?: Readonly<Record<string, string>>;
  /** Process whose network it shares; default: this machine's. */
  readonly networkOf?: number;
  /** Default: the image's. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export type Isolation = 'a container' | 'a plain process, since this machine has no namespaces';

export const isolation = findIsolation();

/** @throws Error if the image has no such target */
export function startContainerOf(spec: ContainerSpec): Child {
  const { entrypoint, command, environment, user } = imageConfig(spec.image);
  if (entrypoint.join(' ') !== 'node') throw new Error(`the entry of ${spec.image} is ${entrypoint.join(' ')}`);
  const [uid = Number.NaN, gid = uid] = user.split(':').map(Number);
  const whole = {
    ...{ mounts: {}, scratch: [], shared: {}, args: command, user: { uid, gid } },
    ...spec,
    env: { ...environment, ...spec.env },
  };
  return isolation === 'a container' ? startIsolated(whole) : startPlain(whole);
}

type WholeSpec = Required<Omit<ContainerSpec, 'networkOf'>> & Pick<ContainerSpec, 'networkOf'>;

function findIsolation(): Isolation {
  const trial = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'trial', '/tmp'], { encoding: 'utf8' });
  if (trial.status === 0 && process.getuid?.() === 0 && findProgram('setpriv')) return 'a container';
  const reason = trial.error?.message ?? (trial.stderr.trim() || 'not root');
  console.error(`containers of tests are plain processes here: ${reason}`);
  return 'a plain process, since this machine has no namespaces';
}

function startIsolated(spec: WholeSpec): Child {
  const root = mkdtempSync(join(tmpdir(), 'gateway-container-'));
  const script = ['set -e', ...layOut(root, spec), 'exec env -i "$@"'].join('\n');
  const variables = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  const ids = [`--reuid=${spec.user.uid}`, `--regid=${spec.user.gid}`, '--clear-groups'];
  const unprivileged = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
  const command = ['/init', ...ids, ...unprivileged, '--pdeathsig', 'KILL', '--', nodePath, ...spec.args];
  const chroot = findProgram('chroot', ['/usr/sbin', '/sbin']) ?? 'chroot';
  const argv = ['unshare', '-m', 'sh', '-c', script, 'sh', ...variables, chroot, root, ...command];
  const network = spec.networkOf === undefined ? [] : ['nsenter', `--net=/proc/${spec.networkOf}/ns/net`];
  const [first = 'unshare', ...rest] = [...network, ...argv];
  const child = startProcess(first, rest);
  void child.exited.finally(() => rmSync(root, { recursive: true, force: true }));
  return child;
}

const nodePath = '/usr/local/bin/node';
const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
const nameService = ['/etc/hosts', '/etc/resolv.conf', '/etc/nsswitch.conf'];

/** Lines of shell that build the root. Nothing is copied, so it takes milliseconds. */
function layOut(root: string, { dist, mounts, scratch, shared }: WholeSpec): readonly string[] {
  const at = (path: string) => quoted(root + path);
  const bind = (from: string, to: string) => [
    `mount --bind ${quoted(from)} ${at(to)}`,
    `mount -o remount,bind,ro,nosuid ${at(to)}`,
  ];
  const folder = (from: string, to: string) => [`mkdir -p ${at(to)}`, ...bind(from, to)];
  const file = (from: string, to: string) => [`touch ${at(to)}`, ...bind(from, to)];
  const same = (path: string) =>
    lstatSync(path).isSymbolicLink() ? [`ln -s ${quoted(readlinkSync(path))} ${at(path)}`] : folder(path, path);
  return [
    `mount -t tmpfs -o mode=755 root ${quoted(root)}`,
    ...['/usr/local/bin', '/dev', '/etc', '/proc'].map((path) => `mkdir -p ${at(path)}`),
    ...libraries.filter((path) => existsSync(path)).flatMap(same),
    ...nameService.filter((path) => existsSync(path)).flatMap((path) => file(path, path)),
    ...['/dev/null', '/dev/urandom'].map((path) => `touch ${at(path)}; mount --bind ${path} ${at(path)}`),
    `mount --rbind /proc ${at('/proc')}`,
    ...file(process.execPath, nodePath),
    ...file(findProgram('setpriv') ?? 'setpriv', '/init'),
    ...folder(dist, '/app'),
    ...Object.entries(mounts).flatMap(([to, from]) => folder(from, to)),
    ...Object.entries(shared).map(([to, from]) => `mkdir -p ${at(to)}; mount --bind ${quoted(from)} ${at(to)}`),
    ...scratch.map((path) => `mkdir -p ${at(path)}; mount -t tmpfs -o mode=1777 scratch ${at(path)}`),
    `mount -o remount,ro ${quoted(root)}`,
  ];
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function startPlain({ dist, args, env, mounts, scratch, shared }: WholeSpec): Child {
  const written = scratch.map((path): [string, string] => [path, mkdtempSync(join(tmpdir(), 'gateway-scratch-'))]);
  const paths = [['/app', dist] as const, ...Object.entries({ ...mounts, ...shared }), ...written];
  const moved = (value: string) =>
    paths.reduce((text, [to, from]) => {
      const whole = new RegExp(`(?<![\\w/.-])${RegExp.escape(to)}(?=/|$)`, 'g');
      return text.replace(whole, () => from);
    }, value);
  const variables = Object.entries(env).map(([name, value]) => [name, moved(value)]);
  const child = startProcess(process.execPath, args.map(moved), { env: Object.fromEntries(variables) });
  void child.exited.finally(() => {
    for (const [, from] of written) rmSync(from, { recursive: true, force: true });
  });
  return child;
}
