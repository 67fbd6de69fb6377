// Uses two cores: the measured subject has one for itself, load and upstream share the other. Processes are watched
// through /proc.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Child, startProcess, until } from '../support/process.ts';

export interface Cores {
  readonly subject: number;
  readonly load: number;
}

/** @throws Error when this machine cannot keep the two apart */
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

/** Seconds of processor time that the process has used, all of its threads and those that have ended, to 10 ms. */
export function cpuSeconds(pid: number): number {
  const [user, system] = statFields(pid).slice(11, 13);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** The same of all children of this process that have ended. */
export function endedCpuSeconds(): number {
  const [user, system] = statFields(process.pid).slice(13, 15);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** The same including its children, also those that have ended. */
export function familyCpuSeconds(pid: number): number {
  const ended = statFields(pid).slice(13, 15);
  const own = cpuSeconds(pid) + (Number(ended[0]) + Number(ended[1])) / ticksPerSecond;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (children === '') return own;
  return children.split(' ').reduce((sum, child) => sum + familySecondsIfThere(Number(child)), own);
}

function familySecondsIfThere(pid: number): number {
  try {
    return familyCpuSeconds(pid);
  } catch {
    return 0; // it has ended meanwhile, and is counted by its parent from now on
  }
}

export function parentOf(pid: number): number {
  return Number(statFields(pid)[1]);
}

/** The fields from the third on, in the numbering of proc(5). The second one is the name, which may contain blanks. */
function statFields(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

/** Memory of the process in RAM, in MiB. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
