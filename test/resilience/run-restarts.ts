// Rolling restarts under load as a command: npm run restarts [-- --rounds 10 --callers 50 --streams 200 --pre-stop 2]
// Exits with 1 when a call failed.
import { parseArgs } from 'node:util';
import { startFromBundles } from '../support/bundles.ts';
import { runRestarts } from './restarts.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    callers: { type: 'string', default: '50' },
    streams: { type: 'string', default: '200' },
    'pre-stop': { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
});
await startFromBundles();
const { lines, faults } = await runRestarts({
  rounds: Number(values.rounds),
  callers: Number(values.callers),
  streams: Number(values.streams),
  preStopMs: 1_000 * Number(values['pre-stop']),
  seed: Number(values.seed),
  log: (line) => console.log(line),
});
for (const line of lines) console.log(line);
for (const fault of faults.slice(0, 50)) console.log(`FAULT: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
