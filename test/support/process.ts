// Child processes, free ports and waiting, for tests. A child never outlives the test process that started it, however
// that one ends; it is ended by its own pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';

export interface ChildOptions {
  /** The whole environment except PATH and HOME, so that no setting of the machine leaks into a test. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Run as this user; only root can. */
  readonly user?: string;
  /** Files and sockets that it may have open. */
  readonly descriptorsMax?: number;
  /**
   * A command that runs the program and becomes it, such as `unshare` with its arguments: a prefix of the program's
   * command.
   */
  readonly within?: readonly string[];
}

export interface Child {
  readonly pid: number;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code, or with the signal's name. */
  readonly exited: Promise<number | string>;
  /** Sends a signal without waiting for its effect. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM (or another signal), and SIGKILL after twenty seconds; resolves like `exited`. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a program. A command that does not exist shows as exit code 127. */
export function startProcess(command: string, args: readonly string[], options: ChildOptions = {}): Child {
  const { descriptorsMax, within = [] } = options;
  const limits = descriptorsMax === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptorsMax}; exec "$@"`, 'sh'];
  const [file = command, ...rest] = [...deathWish(options.user), ...limits, ...within, command, ...args];
  const child = spawn(file, rest, {
    cwd: options.cwd ?? '/',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const exited = new Promise<number | string>((resolve) => {
    child.once('error', (error) => {
      output.stderr += error.message;
      resolve(127);
    });
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  }).finally(() => children.delete(child));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), 20_000);
    return exited.finally(() => clearTimeout(impatience));
  };
  return {
    pid: child.pid ?? -1,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exited,
    signal: (signal) => void child.kill(signal),
    stop,
  };
}

/** Starts a program of this project under the Node that runs the tests. */
export function startNode(args: readonly string[], options: ChildOptions = {}): Child {
  return startProcess(process.execPath, args, { cwd: projectRoot, ...options });
}

/** The fields of the program's log line "ready". @throws Error if it ends before */
export async function startedWith(child: Child, message = 'ready'): Promise<Readonly<Record<string, number>>> {
  const ended = child.exited.then((code) => {
    throw new Error(`ended with ${code}: ${child.stderr()}`);
  });
  const pattern = new RegExp(`^.*"msg":"${message}.*$`, 'm');
  const line = until(() => pattern.exec(child.stdout())?.[0], {
    timeoutMs: 60_000,
    what: `a program to say ${message}`,
  });
  return JSON.parse(await Promise.race([ended, line])) as Readonly<Record<string, number>>;
}

export const projectRoot = new URL('../..', import.meta.url).pathname;

// Makes the kernel end the child when its parent dies, also by kill -9. On systems other than Linux the exit handler
// must suffice.
function deathWish(user: string | undefined): readonly string[] {
  const as = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--init-groups'];
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  if (setpriv !== undefined) return [setpriv, ...as, '--pdeathsig', 'KILL', '--'];
  if (user !== undefined) throw new Error(`running as ${user} needs setpriv (package util-linux)`);
  return [];
}

const givenPorts = new Set<number>();

/**
 * A free port below the range from which the kernel takes ports for `listen(0)` and for outgoing connections. Until this
 * process ends, no other process gets it here, also while its program is killed and not yet restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 22_000);
    if (givenPorts.has(port)) continue;
    const reservation = await listening(reservationOf(port));
    if (reservation === undefined) continue;
    const server = await listening({ port, host: '127.0.0.1' });
    server?.close();
    if (server === undefined) {
      reservation.close();
      continue;
    }
    reservation.unref();
    givenPorts.add(port);
    return port;
  }
}

/** Linux has a name space of sockets without files, which the kernel frees. Elsewhere ports are not reserved. */
function reservationOf(port: number): ListenOptions {
  return process.platform === 'linux' ? { path: `\0model-gateway-test-port-${port}` } : { port: 0, host: '127.0.0.1' };
}

async function listening(options: ListenOptions): Promise<Server | undefined> {
  const server = createServer();
  try {
    server.listen(options);
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

export interface UntilOptions {
  /** Default 60,000: a busy machine is slow. */
  readonly timeoutMs?: number;
  /** Names the condition in the failure's message. */
  readonly what?: string;
}

/**
 * Waits until the condition returns something truthy, and returns that; throws after the timeout. Errors of the
 * condition are passed on.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const timeoutMs = options.timeoutMs ?? 60_000;
  const started = performance.now();
  for (;;) {
    const triedAt = performance.now();
    const value = await condition();
    if (value) return value as Exclude<T, undefined | null | false | 0 | ''>;
    const now = performance.now();
    if (now - started > timeoutMs) {
      throw new Error(`waited ${timeoutMs} ms in vain for ${options.what ?? condition.toString()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs(now - triedAt, now - started)));
  }
}

/**
 * Does the work again until it succeeds, and returns its result.
 * @throws Error after the timeout, whose message and cause are the last failure's
 */
export async function untilDone<T>(work: () => Promise<T>, options: UntilOptions = {}): Promise<T> {
  let last: unknown;
  const attempt = () =>
    work().then(
      (value) => ({ value }),
      (error: unknown) => {
        last = error;
        return undefined;
      },
    );
  try {
    return (await until(attempt, options)).value;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}; the last failure: ${last}`, { cause: last });
  }
}

/** A condition that is expensive, or far off, is tried less often: it takes the processor from what it waits for. */
function pauseMs(tookMs: number, waitedMs: number): number {
  return Math.min(100, Math.max(5, 3 * tookMs, waitedMs / 50));
}
