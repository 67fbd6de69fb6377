// Random requests and responses through every translator: node test/fuzz/translate.ts --cases 20000 [--seed 1]
import { parseArgs } from 'node:util';
import { fuzzResponses } from './responses-fuzz.ts';
import { fuzzTranslators } from './translate-fuzz.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const cases = Number(values.cases);
const seed = Number(values.seed);
for (const [what, fuzz] of [
  ['requests', fuzzTranslators],
  ['hostile responses', fuzzResponses],
] as const) {
  const startedAt = performance.now();
  const outcomes = await fuzz({ seed, cases });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${cases} ${what} from seed ${seed}, in ${seconds} s:`);
  for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${outcome}`);
}
