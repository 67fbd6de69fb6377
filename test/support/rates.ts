// Both implementations of rates with a clock of the test: the scripts run in a real Redis that is given the time.
import { createBackground } from '../../common/background.ts';
import { systemClock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import { limitKinds } from '../../proto/words/access.ts';
import { tokensWaitMs } from '../../proxy/rates/batch-queue.ts';
import { LocalRates } from '../../proxy/rates/local-rates.ts';
import type { RateDecision, RateKind, RateLimit, RateReservation, Rates } from '../../proxy/rates/rates.ts';
import { RedisRates } from '../../proxy/rates/redis-rates.ts';
import { type RateScripts, rateScripts } from '../../proxy/rates/scripts.ts';
import { createSharedRates } from '../../proxy/rates/shared-rates.ts';
import {
  createRedisConnection,
  type RedisClient,
  type RedisConnection,
  redisDeadlineMs,
} from '../../proxy/redis/connection.ts';
import { nameInShard, shardOf } from '../../proxy/redis/shards.ts';
import { redisTarget } from '../../proxy/redis/target.ts';
import { until } from './process.ts';
import { silentLog } from './silent-log.ts';
import { settle, VirtualTime } from './virtual-time.ts';

export interface RatesScene {
  readonly rates: Rates;
  /** Advances the time; everything that has begun is finished first. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function localScene(): Promise<RatesScene> {
  const time = new VirtualTime();
  const rates = new LocalRates({ clock: time, onTake: () => undefined });
  return { rates, advance: (ms) => time.advance(ms), close: async () => undefined };
}

/** A long deadline for tests that are not about time, so that a busy machine does not matter. */
const patientMs = 5_000;

export interface ProxyRates extends Rates {
  /** Rates for another organization of the scene. */
  of(organizationId: string): Rates;
  close(): void;
}

export interface RedisScene extends RatesScene {
  readonly rates: ProxyRates;
  /**
   * A further proxy at the same Redis, with a connection that a test can change. @param alone its counts of requests
   * that were admitted without Redis
   */
  newProxy(wrap?: (connection: RedisConnection) => RedisConnection, alone?: LocalRates): ProxyRates;
  /** Sets only Redis's clock. */
  shiftRedisClock(ms: number): Promise<void>;
  /** Runs one command. */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>;
  readonly time: VirtualTime;
  /** Waits until no call is running. */
  settled(): Promise<void>;
}

/** Where Redis's time is for scripts `withClock`. */
export const clockOf = (shard: number) => nameInShard('rate:1', shard, 'clock-of-test');
// Stored beside the keys of any script, because a script in a Cluster can use one slot only.
const timeOfTest = `(function()
  local ms = tonumber(redis.call('GET', string.match(KEYS[1], '^.-}:') .. 'clock-of-test'))
  return { math.floor(ms / 1000), ms % 1000 * 1000 }
end)()`;

/**
 * @param organizationId organization of the limits: in a Cluster it determines the master that counts
 * @param others further organizations of limits
 */
export async function redisScene(
  url: string,
  organizationId = usualOrganization,
  others: readonly string[] = [],
): Promise<RedisScene> {
  const time = new VirtualTime();
  const connection = await connectPatiently(url);
  const under = new Set<Promise<unknown>>();
  const opened: RedisRates[] = [];
  let shift = 0;
  const follow = (work: Promise<unknown>) => {
    under.add(work);
    void work.finally(() => under.delete(work));
  };
  // A call that waits to be batched counts as running: it must run before later ones.
  const timers: Timers = {
    after: (delayMs, task) => (delayMs > tokensWaitMs ? time.after(delayMs, task) : afterTick(task, follow)),
  };
  const clocks = [organizationId, ...others].map((organization) => clockOf(shardOf(organization)));
  const setClock = () =>
    connection.run((client) => Promise.all(clocks.map((clock) => client.set(clock, time.now() + shift))));
  const newProxy = (wrap = (plain: RedisConnection) => plain, alone?: LocalRates) => {
    const rates = new RedisRates({
      ...(alone !== undefined && { alone }),
      connection: wrap(connection),
      ...{ clock: time, timers, deadlineMs: patientMs, scripts: withClock(rateScripts) },
      background: (_task, work) => follow(work),
    });
    opened.push(rates);
    return ofOrganization(rates, organizationId);
  };
  const settled = async () => {
    await settle();
    while (under.size > 0) await Promise.all(under);
  };
  await setClock();
  return {
    ...{ rates: newProxy(), newProxy, time, settled, run: connection.run },
    shiftRedisClock: async (ms) => {
      shift += ms;
      await setClock();
    },
    // In steps of a second while timers fire, so that they see a Redis with the same time.
    advance: async (ms) => {
      await settled();
      for (let left = ms; left > 0; ) {
        const step = Math.min(left, Math.max(1000, time.nextInMs - 1000));
        await time.advance(step);
        await setClock();
        await settled();
        left -= step;
      }
    },
    close: async () => {
      await settled();
      for (const rates of opened) rates.close();
      connection.close();
    },
  };
}

function afterTick(task: () => void, follow: (work: Promise<unknown>) => void): () => void {
  let isCancelled = false;
  follow(settle().then(() => isCancelled || task()));
  return () => {
    isCancelled = true;
  };
}

function ofOrganization(rates: RedisRates, organizationId: string): ProxyRates {
  const of = (organization: string): Rates => ({
    take: (question) => rates.take({ ...question, organizationId: organization }),
  });
  return { ...of(organizationId), of, close: () => rates.close() };
}

/** The scripts with the time that a test sets, instead of Redis's own. */
export function withClock(scripts: RateScripts): RateScripts {
  const timed = (script: string) => {
    const text = script.replace("redis.call('TIME')", timeOfTest);
    if (text === script) throw new Error('the script reads no time');
    return text;
  };
  return { turn: timed(scripts.turn), renew: timed(scripts.renew) };
}

export async function connectPatiently(url: string): Promise<RedisConnection> {
  const connection = createRedisConnection({
    target: redisTarget(url),
    log: silentLog,
    deadlineMs: patientMs,
  });
  await until(() => connection.hasResponded(), { what: 'Redis to be connected' });
  return connection;
}

/** Rates as in a proxy, except for the long deadline. */
export function realRates(connection: RedisConnection, deadlineMs = patientMs, alone?: LocalRates): RedisRates {
  return new RedisRates({
    ...(alone !== undefined && { alone }),
    ...ratesParts,
    ...{ connection, deadlineMs },
  });
}

/** Timers of proxies that a test does not close; they keep no process alive. */
const unheldTimers: Timers = {
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Of rates as in a proxy, without a connection. */
export const ratesParts = {
  scripts: rateScripts,
  deadlineMs: redisDeadlineMs,
  clock: systemClock,
  timers: unheldTimers,
  background: createBackground({ log: silentLog }),
};

export interface OneProxysRates {
  readonly rates: Rates;
  readonly connection: RedisConnection;
  /** Number of requests that it counted alone. */
  counted(): number;
}

/** Rates as assembled in proxies, with the real deadline. @param proxies number of proxies that share limits */
export function proxyRates(url: string, proxies = 1): OneProxysRates {
  const connection = createRedisConnection({ target: redisTarget(url), log: silentLog });
  let alone = 0;
  const local = new LocalRates({ clock: systemClock, onTake: () => alone++, proxies: () => proxies });
  const rates = createSharedRates({ redis: realRates(connection, redisDeadlineMs, local), local });
  return { rates, connection, counted: () => alone };
}

const usualOrganization = 'organization-1';
let limits = 0;

/** A limit without counts. */
export function newLimit(kind: RateKind, max: number): RateLimit {
  limits++;
  return { id: `limit-${limits}`, kind, max };
}

/** All kinds of limits except budgets. */
export const rateKinds = limitKinds.words.filter((kind) => kind !== 'budget');
/** A kind that no version knows. */
export const kindOfTomorrow = 'requests_per_century' as RateKind;

export const newRequests = (max: number) => newLimit('requests_per_minute', max);
export const newTokens = (max: number) => newLimit('tokens_per_minute', max);
export const newSlotLimit = (max: number) => newLimit('concurrent_requests', max);

export async function take(rates: Rates, limits: readonly RateLimit[], tokens = 0): Promise<RateDecision> {
  return rates.take({ organizationId: usualOrganization, limits, tokens });
}

/** @throws Error if the request is refused */
export async function admit(rates: Rates, limits: readonly RateLimit[], tokens = 0): Promise<RateReservation> {
  const { reservation, standings } = await take(rates, limits, tokens);
  if (reservation === undefined) throw new Error(`refused: ${JSON.stringify(standings)}`);
  return reservation;
}
