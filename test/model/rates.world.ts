// Proxies that share one Redis, with a time of their own: real rates and scripts, a real Redis that is given the time,
// and connections that lose, delay and cut what the schedule wants.
import { createBackground } from '../../common/background.ts';
import { LocalRates } from '../../proxy/rates/local-rates.ts';
import type { RateDecision, RateLimit, Rates } from '../../proxy/rates/rates.ts';
import { RedisRates } from '../../proxy/rates/redis-rates.ts';
import { rateScripts } from '../../proxy/rates/scripts.ts';
import { createSharedRates } from '../../proxy/rates/shared-rates.ts';
import {
  type RedisClient,
  type RedisConnection,
  RedisUnavailableError,
  redisDeadlineMs,
} from '../../proxy/redis/connection.ts';
import { shardOf } from '../../proxy/redis/shards.ts';
import { clockOf, connectPatiently, withClock } from '../support/rates.ts';
import { silentLog } from '../support/silent-log.ts';
import { settle, VirtualTime } from '../support/virtual-time.ts';

/** What happens to one call to Redis. */
export type Fault =
  | { readonly kind: 'none' }
  /** It is sent again, so that it runs twice. */
  | { readonly kind: 'twice' }
  /** It is not sent, or its response is lost, and the proxy waits until its deadline. */
  | { readonly kind: 'unsent' | 'unacknowledged' }
  /** It arrives late, or the process stands still before it reads the response. */
  | { readonly kind: 'delayed' | 'stalled'; readonly ms: number };

export interface ModelProxy {
  readonly rates: Rates;
  calls: number;
  /** Requests that it counted without Redis. */
  alone: number;
  /** Milliseconds by which its wall clock was set. */
  wallShiftMs: number;
  isAlive: boolean;
  fault: () => Fault;
}

export interface ProxyOptions {
  /** False: every request goes to Redis. */
  readonly leases?: boolean;
  /** It continues without Redis, with its part of this number of proxies. Default: then it refuses. */
  readonly sharedBy?: number;
}

type Command<T> = (client: RedisClient) => Promise<T>;
const organizationId = 'organization-1';

export class RatesWorld {
  readonly time: VirtualTime;
  readonly #connection: RedisConnection;
  readonly #running = new Set<Promise<unknown>>();
  #started = 0;
  #redisShiftMs = 0;

  private constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.time = new VirtualTime(() => this.#settled());
  }

  static async open(url: string): Promise<RatesWorld> {
    const world = new RatesWorld(await connectPatiently(url));
    await world.step(0);
    return world;
  }

  newProxy({ leases = true, sharedBy }: ProxyOptions = {}): ModelProxy {
    const { time } = this;
    const proxy: ModelProxy = {
      ...{ calls: 0, alone: 0, wallShiftMs: 0, isAlive: true },
      fault: () => ({ kind: 'none' }),
      rates: { take: (question) => shared.take(question) },
    };
    const clock = { now: () => time.now() + proxy.wallShiftMs, monotonic: () => time.monotonic() };
    const run = <T>(command: Command<T>) => this.#call(proxy, command);
    const local = new LocalRates({ clock, onTake: () => proxy.alone++, proxies: () => sharedBy ?? 1 });
    const redis = new RedisRates({
      ...{ clock, leases, timers: time, deadlineMs: redisDeadlineMs, scripts: withClock(rateScripts) },
      ...(sharedBy !== undefined && { alone: local }),
      connection: { ...this.#connection, run },
      background: createBackground({ log: silentLog }),
    });
    const shared = sharedBy === undefined ? redis : createSharedRates({ redis, local });
    return proxy;
  }

  /** Sets Redis's clock back or ahead. */
  shiftRedis(ms: number): void {
    this.#redisShiftMs += ms;
  }

  /** Redis's clock has the time of the step's end during the step. */
  async step(ms: number): Promise<void> {
    const end = this.time.now() + ms + this.#redisShiftMs;
    await this.#connection.run((client) => client.set(clockOf(shardOf(organizationId)), end));
    await this.time.advance(ms);
  }

  /** Everything that needs no virtual time is done then. */
  settled(): Promise<void> {
    return this.#settled();
  }

  close(): void {
    this.#connection.close();
  }

  async #call<T>(proxy: ModelProxy, command: Command<T>): Promise<T> {
    if (!proxy.isAlive) throw new RedisUnavailableError('killed');
    proxy.calls++;
    const fault = proxy.fault();
    switch (fault.kind) {
      case 'none':
        return this.#run(command);
      case 'twice':
        await this.#run(command);
        return this.#run(command);
      case 'unsent':
        await this.#wait(redisDeadlineMs);
        throw new RedisUnavailableError('not sent');
      case 'unacknowledged':
        await this.#run(command);
        await this.#wait(redisDeadlineMs);
        throw new RedisUnavailableError('not acknowledged');
      case 'delayed':
        await this.#wait(fault.ms);
        return this.#run(command);
      case 'stalled': {
        const response = await this.#run(command);
        await this.#wait(fault.ms);
        return response;
      }
    }
  }

  #run<T>(command: Command<T>): Promise<T> {
    this.#started++;
    const running = this.#connection.run(command);
    this.#running.add(running);
    const end = () => void this.#running.delete(running);
    running.then(end, end);
    return running;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.time.after(ms, resolve);
    });
  }

  async #settled(): Promise<void> {
    for (let before = -1; before !== this.#started; ) {
      before = this.#started;
      await settle();
      while (this.#running.size > 0) await Promise.allSettled(this.#running);
      await settle();
    }
  }
}

/** @returns undefined: Redis did not respond, and the proxy does not continue without it */
export async function takeOf(
  { rates }: ModelProxy,
  limits: readonly RateLimit[],
  tokens = 0,
): Promise<RateDecision | undefined> {
  try {
    return await rates.take({ organizationId, limits, tokens });
  } catch (error) {
    if (error instanceof RedisUnavailableError) return undefined;
    throw error;
  }
}
