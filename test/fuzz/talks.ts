// Random conversations in every format, there and back: node test/fuzz/talks.ts --cases 1000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzTalks } from './talks-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const outcomes = await fuzzTalks({ seed: Number(values.seed), cases: Number(values.cases) });
console.log(`from seed ${values.seed}, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s:`);
for (const [what, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${what}`);
