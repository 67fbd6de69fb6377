// JSON stays JSON, whatever is redacted in it: node test/fuzz/redactions.ts --cases 10000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzRedactions } from './redactions-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const { texts, findings } = fuzzRedactions({ seed: Number(values.seed), cases: Number(values.cases) });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`from seed ${values.seed}: ${findings} replaced in ${texts} of ${values.cases} texts, in ${seconds} s`);
