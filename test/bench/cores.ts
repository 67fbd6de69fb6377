// Two cores: what is measured has one for itself, load and upstream share the other. Processes are watched through /proc.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Child, startProcess, until } from '../support/process.ts';

export interface Cores {
  readonly subject: number;
  readonly load: number;
}

/** @throws Error where this machine cannot keep the two apart */
export function chooseCores(): Cores {
  if (process.platform !== 'linux') throw new Error('the benchmark needs Linux: it pins processes to cores');
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const cores = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const [subject, load] = cores;
  if (subject === undefined || load === undefined) throw new Error('the benchmark needs two cores');
  return { subject, load };
}

export interface Pinned {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a program on a core and waits until it listens. */
export async function startPinned(
  core: number,
  port: number,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Pinned> {
  const child = startProcess('taskset', ['-c', String(core), ...command], { env });
  await until(() => listens(port, child), { timeoutMs: 20_000, what: `${command.join(' ')} to listen` });
  return {
    pid: child.pid,
    stop: async () => {
      await child.stop();
    },
  };
}

async function listens(port: number, child: Child): Promise<boolean> {
  const ended = await Promise.race([child.exited, Promise.resolve(undefined)]);
  if (ended !== undefined) throw new Error(`ended with ${ended}: ${child.stderr()}`);
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

const ticksPerSecond = 100;

/** Seconds of processor time that the process has used. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Memory of the process in RAM, in MiB. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
