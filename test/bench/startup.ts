// Cold start and idle memory: the time from the start of the process to its first 200 on /readyz, and its processor time
// until then, beside those of Node itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { type Cores, cpuSeconds, endedCpuSeconds, residentMiB } from './cores.ts';
import type { BenchGateway } from './gateway.ts';
import { type Spread, spread } from './stats.ts';

export interface Startup {
  readonly coldStartMs: Spread;
  readonly nodeStartMs: Spread;
  /** Processor time; means, because the kernel counts it in steps of 10 ms. */
  readonly coldCpuMs: number;
  readonly nodeCpuMs: number;
  readonly idleMiB: number;
}

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export async function measureStartup(gateway: BenchGateway, cores: Cores, starts = 15): Promise<Startup> {
  await startGateway(gateway); // the first start fills the compile cache, like the first pod of an image
  const cold: Start[] = [];
  const node: Start[] = [];
  for (let i = 0; i < starts; i++) {
    cold.push(await startGateway(gateway));
    node.push(await startNode(cores));
  }
  const idle = await gateway.startProxy();
  await sleep(5000); // idle memory is stable only after a while
  const idleMiB = residentMiB(idle.pid);
  await idle.stop();
  return {
    coldStartMs: spread(cold.map(({ wallMs }) => wallMs)),
    nodeStartMs: spread(node.map(({ wallMs }) => wallMs)),
    coldCpuMs: meanCpuMs(cold),
    nodeCpuMs: meanCpuMs(node),
    idleMiB,
  };
}

async function startGateway(gateway: BenchGateway): Promise<Start> {
  const started = performance.now();
  const proxy = await gateway.startProxy();
  const start = { wallMs: performance.now() - started, cpuMs: cpuSeconds(proxy.pid) * 1000 };
  await proxy.stop();
  return start;
}

async function startNode(cores: Cores): Promise<Start> {
  const before = endedCpuSeconds();
  const started = performance.now();
  const child = startProcess('taskset', ['-c', String(cores.subject), process.execPath, '-e', '0']);
  await child.exited;
  return { wallMs: performance.now() - started, cpuMs: (endedCpuSeconds() - before) * 1000 };
}

function meanCpuMs(starts: readonly Start[]): number {
  return starts.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / starts.length;
}
