// Responses read by the engine and by undici: node test/fuzz/http1-responses.ts --cases 200000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzResponses } from './http1-responses-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '200000' }, seed: { type: 'string', default: '1' } },
});
const cases = Number(values.cases);
const seed = Number(values.seed);
const startedAt = performance.now();
const outcomes = await fuzzResponses({ seed, cases });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${cases} responses from seed ${seed}, in ${seconds} s:`);
for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${outcome}`);
