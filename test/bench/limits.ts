// The cost of limits: the gateway alone, with a key without limits, a key with budgets, and a key with every kind of
// limit. All limits are too large to refuse a request.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createSealKey } from '../../common/seal.ts';
import { startRedis } from '../support/redis.ts';
import { metric } from '../support/telemetry.ts';
import { canned } from './canned.ts';
import type { Cores } from './cores.ts';
import type { BenchGateway, BenchLimit, GatewaySubject } from './gateway.ts';
import { chatBody, checkBodies, type Measurement, putUnderLoad } from './load.ts';
import { inPasses } from './passes.ts';
import type { Spread } from './stats.ts';
import type { SubjectStarter } from './subjects.ts';

export interface LimitsMeasurement extends Measurement {
  /** Latency at a fraction of the maximum load, so that waiting for the core does not hide other costs. */
  readonly lightP50Ms: number;
  readonly lightP99Ms: number;
  /** The following figures are per request. */
  readonly acquisitions: number;
  readonly redisScripts: number;
  /** Including commands within scripts. */
  readonly redisCommands: number;
  readonly redisMicroseconds: number;
  /** Usage events that the control plane had not received by the end. */
  readonly eventsWaiting: number;
}

export interface LimitsResult {
  readonly name: string;
  readonly light: string;
  /** By limitKinds. */
  readonly subjects: Readonly<Record<string, Record<keyof LimitsMeasurement, Spread>>>;
}

export const limitKinds = { none: 'no limits', budgets: '3 budgets', all: 'everything' } as const;

interface LimitsOptions {
  readonly gateway: BenchGateway;
  readonly cores: Cores;
  readonly directory: string;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

const levels = ['VIRTUAL_KEY', 'AI_SYSTEM', 'ORGANIZATION'] as const;
const budgets = levels.map(
  (on): BenchLimit => ({
    on,
    fields: { kind: 'LIMIT_KIND_BUDGET', amountUsd: '9000000', period: 'BUDGET_PERIOD_MONTH' },
  }),
);
const rates = (['VIRTUAL_KEY', 'ORGANIZATION'] as const).flatMap((on) =>
  ['REQUESTS_PER_MINUTE', 'TOKENS_PER_MINUTE', 'CONCURRENT_REQUESTS'].map(
    (kind): BenchLimit => ({ on, fields: { kind: `LIMIT_KIND_${kind}`, count: '1000000000' } }),
  ),
);
const connections = 32;
/** About a third of the maximum load of one core. */
const pauseMs = 20;

export async function measureLimits(options: LimitsOptions): Promise<LimitsResult> {
  const { gateway, directory } = options;
  const body = chatBody(canned['gpt-provider'].model, 1024);
  const bodyFile = join(directory, 'limits.json');
  writeFileSync(bodyFile, body);
  // On the load's core, like everything that this process starts.
  const redis = await startRedis({ from: 'local' });
  const reported = new Redis(redis.url);
  try {
    const env = { REDIS_URL: redis.url, GATEWAY_CACHE_KEY: createSealKey() };
    const subject = async (name: string, limits: readonly BenchLimit[], more = {}) => {
      const key = await gateway.createKey(limits);
      return { name, start: () => gateway.startProxy(key, more) } satisfies SubjectStarter<GatewaySubject>;
    };
    const subjects = [
      await subject(limitKinds.none, []),
      await subject(limitKinds.budgets, budgets),
      await subject(limitKinds.all, [...budgets, ...rates], env),
    ];
    const name = `limits: chat, body 1 KiB, ${connections} connections`;
    const measured = await inPasses(name, subjects, (proxy) =>
      measureOne(proxy, { ...options, body, bodyFile, redis: reported }),
    );
    const light = `${connections} connections that pause for up to ${pauseMs} ms`;
    return { name, light, subjects: measured };
  } finally {
    reported.disconnect();
    await redis.stop();
  }
}

interface Load extends LimitsOptions {
  readonly body: string;
  readonly bodyFile: string;
  readonly redis: Redis;
}

async function measureOne(
  proxy: GatewaySubject,
  { cores, body, bodyFile, redis, ...options }: Load,
): Promise<LimitsMeasurement> {
  const load = { core: cores.load, connections, bodyFile };
  await checkBodies(proxy, body);
  await putUnderLoad(proxy, { ...load, seconds: options.warmUpSeconds });
  const before = await count(proxy, redis);
  const measurement = await putUnderLoad(proxy, { ...load, seconds: options.seconds });
  const after = await count(proxy, redis);
  const eventsWaiting = await metric(proxy, 'gateway_usage_queued_events');
  const light = await putUnderLoad(proxy, { ...load, seconds: options.seconds, pauseMs });
  await checkBodies(proxy, body);
  const requests = measurement.perSecond * options.seconds;
  const each = (what: keyof Counts) => (after[what] - before[what]) / requests;
  return {
    ...measurement,
    ...{ lightP50Ms: light.p50Ms, lightP99Ms: light.p99Ms },
    acquisitions: each('acquisitions'),
    redisScripts: each('scripts'),
    redisCommands: each('commands'),
    redisMicroseconds: each('microseconds'),
    eventsWaiting,
  };
}

interface Counts {
  readonly acquisitions: number;
  readonly scripts: number;
  readonly commands: number;
  readonly microseconds: number;
}

async function count(proxy: GatewaySubject, redis: Redis): Promise<Counts> {
  const reported = await redis.info('everything');
  const value = (pattern: RegExp) => Number(pattern.exec(reported)?.[1] ?? 0);
  const calls = (command: string) => value(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm'));
  return {
    acquisitions: await metric(proxy, 'gateway_budget_draws_total'),
    scripts: calls('evalsha') + calls('eval'),
    commands: value(/^total_commands_processed:(\d+)/m),
    microseconds: (value(/^used_cpu_user:([\d.]+)/m) + value(/^used_cpu_sys:([\d.]+)/m)) * 1e6,
  };
}
