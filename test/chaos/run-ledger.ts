// Chaos as a command: node test/chaos/run-ledger.ts --seconds 120 --seed 1 [--proxies 3] [--callers 10]
import { parseArgs } from 'node:util';
import { startFromBundles } from '../support/bundles.ts';
import { findServerSource } from '../support/containers.ts';
import { linesOf, runChaos } from './ledger.run.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    proxies: { type: 'string', default: '3' },
    callers: { type: 'string', default: '10' },
  },
});
await startFromBundles();
const chaos = await runChaos({
  source: await findServerSource(),
  seed: Number(values.seed),
  seconds: Number(values.seconds),
  proxies: Number(values.proxies),
  controlPlanes: 2,
  callers: Number(values.callers),
  waitsForExpiry: true,
  log: (line) => console.log(line),
});
for (const line of linesOf(chaos)) console.log(line);
process.exit(chaos.verdict.faults.length === 0 ? 0 : 1);
