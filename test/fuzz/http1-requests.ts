// Requests read by the engine and by node:http's parser: node test/fuzz/http1-requests.ts --cases 1000000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzRequests } from './http1-requests-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
});
const cases = Number(values.cases);
const seed = Number(values.seed);
const startedAt = performance.now();
const outcomes = fuzzRequests({ seed, cases });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${cases} requests from seed ${seed}, in ${seconds} s:`);
for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${outcome}`);
