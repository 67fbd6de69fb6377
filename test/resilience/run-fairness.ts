// Fairness under a greedy key as a command: npm run fairness [-- --seconds 20 --rate 20 --greed 10]
// Exits with 1 when a figure is worse than promised.
import { parseArgs } from 'node:util';
import { runFairness } from './fairness.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    quiet: { type: 'string', default: '20' },
    rate: { type: 'string', default: '20' },
    greed: { type: 'string', default: '10' },
  },
});
const { lines, faults } = await runFairness({
  seconds: Number(values.seconds),
  quietSeconds: Number(values.quiet),
  rate: Number(values.rate),
  greed: Number(values.greed),
});
for (const line of lines) console.log(line);
for (const fault of faults) console.log(`FAULT: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
