// An outage of one vendor under load, with a second target: npm run outage [-- --seconds 60 --rate 200 --how 503|reset|refused]
// Exits with 1 when a figure is worse than promised.
import { parseArgs } from 'node:util';
import { type OutageKind, outageKinds, runOutage } from './outage.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    quiet: { type: 'string', default: '20' },
    rate: { type: 'string', default: '200' },
    how: { type: 'string', default: '503' },
  },
});
if (!(values.how in outageKinds)) throw new Error(`--how is one of ${Object.keys(outageKinds).join(', ')}`);
const { lines, faults } = await runOutage({
  seconds: Number(values.seconds),
  quietSeconds: Number(values.quiet),
  rate: Number(values.rate),
  how: values.how as OutageKind,
});
for (const line of lines) console.log(line);
for (const fault of faults) console.log(`FAULT: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
