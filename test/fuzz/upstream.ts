// Many hostile providers: node test/fuzz/upstream.ts --cases 20000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzUpstream } from './upstream-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const cases = Number(values.cases);
const seed = Number(values.seed);
const startedAt = performance.now();
const outcomes = await fuzzUpstream({ seed, cases });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${cases} providers from seed ${seed}, in ${seconds} s:`);
for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${outcome}`);
