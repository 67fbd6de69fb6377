// Random numbers through every translator and back: node test/fuzz/numbers.ts --cases 20000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzNumbers } from './numbers-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const carried = await fuzzNumbers({ seed: Number(values.seed), cases: Number(values.cases) });
console.log(`from seed ${values.seed}, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s:`);
for (const [what, count] of [...carried].sort()) console.log(`${count}\t${what}`);
