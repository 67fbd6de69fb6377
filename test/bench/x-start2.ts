import { chooseCores, cpuSeconds } from './cores.ts';
import { startGateway } from './gateway.ts';
import { execFileSync } from 'node:child_process';
const cores = chooseCores();
const bundles = ['proxy', 'control-plane'].map((program) => ({ program, main: `/tmp/dist/${program}/bin/main.mjs` })) as any;
const gateway = await startGateway(bundles, cores, 9);
const a: number[] = [], b: number[] = [], c: number[] = [];
for (let i = 0; i < 12; i++) {
  let t = performance.now();
  const p = await gateway.startProxy();
  a.push(performance.now() - t); c.push(cpuSeconds(p.pid));
  await p.stop();
  t = performance.now(); execFileSync('taskset', ['-c', String(cores.subject), process.execPath, '-e', '0']); b.push(performance.now() - t);
}
const med = (x: number[]) => x.toSorted((p, q) => p - q)[6];
console.log('proxy ready ms', med(a)?.toFixed(0), 'cpu', med(c)?.toFixed(2), 'node ms', med(b)?.toFixed(0), 'ratio', (med(a)! / med(b)!).toFixed(2));
await gateway.stop();
