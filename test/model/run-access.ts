// Many schedules of the access model: node test/model/run-access.ts --schedules 20000 [--seed 1]
import { parseArgs } from 'node:util';
import { runSchedule } from './access.model.ts';

const { values } = parseArgs({
  options: { schedules: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const schedules = Number(values.schedules);
const first = Number(values.seed);
const total = new Map<string, number>();
const startedAt = performance.now();
for (let seed = first; seed < first + schedules; seed++) {
  for (const [name, count] of await runSchedule(seed)) total.set(name, (total.get(name) ?? 0) + count);
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${schedules} schedules from seed ${first} keep the promises, in ${seconds} s:`, Object.fromEntries(total));
