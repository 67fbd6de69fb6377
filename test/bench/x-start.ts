import { chooseCores, cpuSeconds } from './cores.ts';
import { startGateway } from './gateway.ts';
const cores = chooseCores();
const bundles = ['proxy', 'control-plane'].map((program) => ({ program, main: `/tmp/dist/${program}/bin/main.mjs` })) as any;
const gateway = await startGateway(bundles, cores, 9);
for (let i = 0; i < 6; i++) {
  const t = performance.now();
  const p = await gateway.startProxy(undefined, i === 5 ? { NODE_OPTIONS: '--cpu-prof --cpu-prof-interval=100 --cpu-prof-dir=/tmp/prof/start' } : {});
  console.log('ready ms', (performance.now() - t).toFixed(0), 'cpu', cpuSeconds(p.pid).toFixed(2));
  await p.stop();
}
await gateway.stop();
