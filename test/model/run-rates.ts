// Many schedules of rates, or the table of docs/limits.md:
//   node test/model/run-rates.ts --schedules 1000 [--seed 1] [--seconds 130]
//   node test/model/run-rates.ts --accuracy [--minutes 4]
import { parseArgs } from 'node:util';
import { findServerSource } from '../support/containers.ts';
import { startRedis } from '../support/redis.ts';
import { type AccuracyOptions, measureAccuracy } from './rates.accuracy.ts';
import { runRates } from './rates.model.ts';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '130' },
    accuracy: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '4' },
  },
});
const redis = await startRedis({ from: await findServerSource() });
try {
  if (values.accuracy) await printAccuracy(Number(values.minutes));
  else await runSchedules(Number(values.seed), Number(values.schedules));
} finally {
  await redis.stop();
}

async function runSchedules(first: number, count: number): Promise<void> {
  let [requests, calls, fullest] = [0, 0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const figures = await runRates({ url: redis.url, seed, seconds: Number(values.seconds) });
    requests += figures.requests;
    calls += figures.calls;
    fullest = Math.max(fullest, figures.fullest);
    await redis.flush();
  }
  console.log(
    `${count} schedules from seed ${first}: ${requests} requests, ${calls} calls, the fullest minute ${percent(fullest)} of its limit`,
  );
}

async function printAccuracy(minutes: number): Promise<void> {
  const heads = ['limit', 'proxies', 'average minute', 'emptiest', 'fullest', 'calls a request at 70 %'];
  console.log(`| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}`);
  for (const max of [60, 600, 6_000, 60_000])
    for (const proxies of max === 6_000 ? [3, 10, 50] : [3]) await printRow({ max, proxies, minutes });
}

/** Each figure without leases → with them. */
async function printRow(options: Pick<AccuracyOptions, 'max' | 'proxies' | 'minutes'>): Promise<void> {
  const measure = async (load: number, leases: boolean) => {
    await redis.flush();
    return measureAccuracy({ url: redis.url, load, leases, ...options });
  };
  const full = [await measure(1.5, false), await measure(1.5, true)];
  const part = [await measure(0.7, false), await measure(0.7, true)];
  const cells = [
    options.max.toLocaleString('en'),
    options.proxies,
    full.map(({ average }) => percent(average)).join(' → '),
    full.map(({ emptiest }) => percent(emptiest)).join(' → '),
    full.map(({ fullest }) => percent(fullest)).join(' → '),
    part.map(({ callsPerRequest }) => callsPerRequest.toFixed(2)).join(' → '),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
