// A soak as a command: npm run soak -- --minutes 30. Exits with 1 when memory or descriptors grow, or a call failed.
import { parseArgs } from 'node:util';
import { startFromBundles } from '../support/bundles.ts';
import { runSoak } from './soak.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
await startFromBundles();
const { lines, faults } = await runSoak({ minutes: Number(values.minutes), log: (line) => console.log(line) });
for (const line of lines) console.log(line);
for (const fault of faults) console.log(`FAULT: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
