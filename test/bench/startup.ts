// Cold start and idle memory: the time from the start of the process to its first 200 on /readyz, beside the start time
// of Node itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { type Cores, residentMiB } from './cores.ts';
import type { BenchGateway } from './gateway.ts';
import { type Spread, spread } from './stats.ts';

export interface Startup {
  readonly coldStartMs: Spread;
  readonly nodeStartMs: Spread;
  readonly idleMiB: number;
}

const starts = 10;

export async function measureStartup(gateway: BenchGateway, cores: Cores): Promise<Startup> {
  await timeGateway(gateway); // the first start fills the compile cache, like the first pod of an image
  const cold: number[] = [];
  const node: number[] = [];
  for (let i = 0; i < starts; i++) {
    cold.push(await timeGateway(gateway));
    node.push(await timeNode(cores));
  }
  const idle = await gateway.startProxy();
  await sleep(5000); // idle memory is stable only after a while
  const idleMiB = residentMiB(idle.pid);
  await idle.stop();
  return { coldStartMs: spread(cold), nodeStartMs: spread(node), idleMiB };
}

async function timeGateway(gateway: BenchGateway): Promise<number> {
  const started = performance.now();
  const proxy = await gateway.startProxy();
  const ms = performance.now() - started;
  await proxy.stop();
  return ms;
}

async function timeNode(cores: Cores): Promise<number> {
  const started = performance.now();
  const child = startProcess('taskset', ['-c', String(cores.subject), process.execPath, '-e', '0']);
  await child.exited;
  return performance.now() - started;
}
