// What limits on rates cost a request in processor time, and in calls to Redis: the rates of one proxy as it assembles
// them, with leases and without, in one run: node test/bench/run-rates.ts [--seconds 2] [--passes 3]
import { parseArgs } from 'node:util';
import { systemClock } from '../../common/clock.ts';
import { LocalRates } from '../../proxy/rates/local-rates.ts';
import type { RateLimit, Rates } from '../../proxy/rates/rates.ts';
import { RedisRates } from '../../proxy/rates/redis-rates.ts';
import { createSharedRates } from '../../proxy/rates/shared-rates.ts';
import { ValueRates } from '../../proxy/rates/value-rates.ts';
import type { RedisConnection } from '../../proxy/redis/connection.ts';
import { findServerSource } from '../support/containers.ts';
import { connectPatiently, newLimit, rateKinds, ratesParts } from '../support/rates.ts';
import { startRedis } from '../support/redis.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, passes: { type: 'string', default: '3' } },
});
const forMs = Number(values.seconds) * 1_000;
/** Requests under way at a time. */
const callers = 8;
/** No limit refuses a request. */
const max = 1_000_000_000;

const redis = await startRedis({ from: await findServerSource() });
const connection = await connectPatiently(redis.url);
try {
  const subjects = [false, true].flatMap((leases) => {
    const { rates, calls } = openRates(connection, leases);
    return [1, 6].map((count) => ({ rates, calls, leases, limits: limitsOf(count) }));
  });
  for (let pass = -1; pass < Number(values.passes); pass++) {
    const loop = await measure(() => undefined);
    for (const { rates, calls, leases, limits } of subjects) {
      const before = calls();
      const { microseconds, requests } = await measure(() => take(rates, limits));
      const added = microseconds - loop.microseconds;
      const perRequest = (calls() - before) / requests;
      // The first pass warms up.
      if (pass >= 0)
        console.log(
          `${limits.length} limits, ${leases ? 'leases' : 'none leased'}: ${added.toFixed(1)} µs and ${perRequest.toFixed(3)} calls a request`,
        );
    }
  }
} finally {
  connection.close();
  await redis.stop();
}

function openRates(through: RedisConnection, leases: boolean): { readonly rates: Rates; calls(): number } {
  let calls = 0;
  const run: RedisConnection['run'] = (command, shard) => {
    calls++;
    return through.run(command, shard);
  };
  const local = new LocalRates({ clock: systemClock, onTake: () => undefined, proxies: () => 1 });
  const shared = new RedisRates({ ...ratesParts, leases, alone: local, connection: { ...through, run } });
  return { rates: new ValueRates(createSharedRates({ redis: shared, local }), systemClock), calls: () => calls };
}

function limitsOf(count: number): readonly RateLimit[] {
  return Array.from({ length: count }, (_, index) =>
    newLimit(rateKinds[index % rateKinds.length] ?? 'requests_per_minute', max),
  );
}

async function take(rates: Rates, limits: readonly RateLimit[]) {
  const decision = rates.take({ organizationId: 'organization-1', limits, tokens: 300 });
  return decision instanceof Promise ? await decision : decision;
}

/** Each caller's requests last one to three ticks. */
async function measure(begin: () => ReturnType<typeof take> | undefined) {
  const end = performance.now() + forMs;
  const before = process.cpuUsage();
  let requests = 0;
  const call = async (ticks: number) => {
    while (performance.now() < end) {
      const pending = begin();
      const decision = pending === undefined ? undefined : await pending;
      for (let nth = 0; nth < ticks; nth++) await tick();
      decision?.reservation?.settle(120);
      requests++;
      await tick();
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => call(1 + (index % 3))));
  const { user, system } = process.cpuUsage(before);
  return { requests, microseconds: (user + system) / requests };
}

function tick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
