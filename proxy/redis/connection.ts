// The proxy's connection to Redis (the only ioredis), shared by records and rates. A command always ends within its
// deadline, and after three failures in a row none is tried until a single trial succeeds.
import { Cluster, type ClusterOptions, Redis, type RedisOptions, ReplyError } from 'ioredis';
import { backoffMs } from '../../common/backoff.ts';
import { Breaker } from '../../common/breaker.ts';
import type { Logger } from '../../common/logger.ts';
import type { RedisTarget } from './target.ts';

export type RedisClient = Redis | Cluster;

export interface RedisConnection {
  /**
   * Runs one command; a script over several keys must keep to one hash slot.
   * @param shard the shard of its values: in a Cluster, one shard can be left alone without the others
   * @throws RedisUnavailableError within the deadline; its cause is Redis's own error if Redis returned one
   */
  run<T>(command: (client: RedisClient) => Promise<T>, shard?: number): Promise<T>;
  /** Like run, for commands that a full or read-only Redis still executes: their success shows nothing about writes. */
  read<T>(command: (client: RedisClient) => Promise<T>, shard?: number): Promise<T>;
  /** Whether Redis has responded since the start. */
  hasResponded(): boolean;
  /** Derived from the connection and the last commands, for operators; undefined: too early to know. */
  state(): 'ok' | 'failing' | undefined;
  /** Does not wait for commands under way. */
  close(): void;
}

/** Redis refused, did not respond in time, or is left alone after failures. The caller continues without it. */
export class RedisUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RedisUnavailableError';
  }
}

/** Whether Redis responded with a refusal: it is full, read-only, or does not allow the command. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RedisUnavailableError && error.cause instanceof ReplyError;
}

export interface RedisConnectionOptions {
  readonly target: RedisTarget;
  /** Precedes every name. */
  readonly prefix?: string | undefined;
  readonly log: Logger;
  readonly deadlineMs?: number;
}

/** For one command. */
export const redisDeadlineMs = 50;
/** After three failures in a row Redis is left alone for a second, then one command tries. */
const failuresMax = 3;
const restMs = 1_000;

export function createRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { log } = options;
  const client = createClient(options.target, options.prefix);
  const withDeadline = createDeadline(options.deadlineMs ?? redisDeadlineMs);
  // The reason why no connection can be made; commands only find that there is none.
  let connectionError: unknown;
  let hasResponded = false;
  client.on('error', (error) => {
    connectionError = error;
  });
  client.on('ready', () => {
    hasResponded = true;
    connectionError = undefined;
  });
  // Parts that are left alone, and whether the last read and the last write were refused.
  const silent = new Set<number | undefined>();
  const refused = { read: false, write: false };
  const breakers = new Map<number | undefined, Breaker>();
  const breakerOf = (part: number | undefined) => {
    const known = breakers.get(part);
    if (known !== undefined) return known;
    const made = new Breaker({ failuresMax, restMs });
    breakers.set(part, made);
    return made;
  };
  // A single server is silent for all shards. In a Cluster one master may be silent, and the counts of the others stay
  // shared.
  const isParted = options.target.mode === 'cluster';
  const logRefusal = atMostEvery(60_000, (err: unknown) => log.warn({ err }, 'Redis refuses commands'));
  const logSilence = (err: unknown, shard: number | undefined) =>
    log.warn({ err: connectionError ?? err, shard }, 'Redis does not respond; requests continue without it');
  type Command<T> = (client: RedisClient) => Promise<T>;
  const attempt = async <T>(kind: 'read' | 'write', command: Command<T>, shard: number | undefined) => {
    const part = isParted ? shard : undefined;
    const breaker = breakerOf(part);
    const before = breaker.enter();
    if (before === undefined) throw new RedisUnavailableError('Redis is left alone for a moment after failures');
    try {
      const result = await withDeadline(command(client));
      hasResponded = true;
      refused[kind] = false;
      silent.delete(part);
      if (breaker.succeeded()) log.info({ shard: part }, 'Redis responds again');
      return result;
    } catch (error) {
      if (error instanceof ReplyError) {
        refused[kind] = true;
        logRefusal(error);
      } else if (breaker.failed(before)) {
        silent.add(part);
        logSilence(error, part);
      }
      throw error instanceof RedisUnavailableError ? error : new RedisUnavailableError('Redis failed', error);
    }
  };
  return {
    run: (command, shard) => attempt('write', command, shard),
    read: (command, shard) => attempt('read', command, shard),
    hasResponded: () => hasResponded,
    state: () => {
      const isRefused = refused.read || refused.write;
      if (client.status === 'ready') return isRefused || silent.size > 0 ? 'failing' : 'ok';
      return hasResponded || connectionError !== undefined || silent.size > 0 ? 'failing' : undefined;
    },
    close: () => client.disconnect(),
  };
}

function atMostEvery(ms: number, report: (error: unknown) => void): (error: unknown) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    report(error);
  };
}

interface Waiting {
  /** Monotonic. */
  readonly until: number;
  readonly reject: (error: Error) => void;
}

/**
 * One timer for all commands: they wait equally long, so the first is the first whose time is over. After a stall of the
 * event loop the timer fires before a response that arrived long ago is read: one more tick reads it.
 */
function createDeadline(deadlineMs: number): <T>(response: Promise<T>) => Promise<T> {
  const waiting = new Set<Waiting>();
  let isTimed = false;
  const check = () => {
    isTimed = false;
    const now = performance.now();
    for (const one of waiting) {
      if (one.until > now) return checkAfter(one.until - now);
      waiting.delete(one);
      setImmediate(() => one.reject(new RedisUnavailableError(`Redis did not respond within ${deadlineMs} ms`)));
    }
  };
  const checkAfter = (ms: number) => {
    isTimed = true;
    setTimeout(check, Math.ceil(ms));
  };
  return (response) =>
    new Promise((resolve, reject) => {
      const one = { until: performance.now() + deadlineMs, reject };
      waiting.add(one);
      if (!isTimed) checkAfter(deadlineMs);
      const end = () => void waiting.delete(one);
      response.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
}

const commonOptions = {
  connectTimeout: 1_000,
  // Commands whose deadline has passed stay in the queue of a dead connection until it is given up.
  socketTimeout: 2_000,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: true,
  maxLoadingRetryTime: 1_000,
  noDelay: true,
  keepAlive: 10_000,
  // A former master after a failover.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} as const satisfies RedisOptions;

const retryDelay = (times: number) => backoffMs(times, { firstMs: 100, maxMs: 2_000 });

function createClient(target: RedisTarget, keyPrefix = ''): RedisClient {
  const login = {
    ...(target.username !== undefined && { username: target.username }),
    ...(target.password !== undefined && { password: target.password.reveal() }),
    ...(target.tls && { tls: {} }),
  };
  const [first] = target.nodes;
  const single = {
    ...commonOptions,
    ...login,
    keyPrefix,
    enableOfflineQueue: false,
    retryStrategy: retryDelay,
  };
  switch (target.mode) {
    case 'single':
      return new Redis({ ...single, host: first.host, port: first.port, db: target.database });
    case 'sentinel':
      return new Redis({
        ...single,
        sentinels: [...target.nodes],
        name: target.masterName,
        sentinelRetryStrategy: retryDelay,
        enableTLSForSentinelMode: target.tls,
        ...(target.tls && { sentinelTLS: {} }),
      });
    case 'cluster':
      return new Cluster([...target.nodes], { ...clusterOptions(target, login), keyPrefix });
  }
}

function clusterOptions(target: RedisTarget, login: Pick<RedisOptions, 'username' | 'password' | 'tls'>) {
  return {
    redisOptions: { ...commonOptions, ...login },
    enableOfflineQueue: false,
    scaleReads: 'master',
    maxRedirections: 3,
    retryDelayOnFailover: 20,
    retryDelayOnClusterDown: 20,
    retryDelayOnTryAgain: 20,
    slotsRefreshTimeout: 1_000,
    slotsRefreshInterval: 5_000,
    clusterRetryStrategy: retryDelay,
    clusterNodeRetryStrategy: retryDelay,
    // Certificates contain host names, so hosts are dialled by name.
    ...(target.tls && {
      dnsLookup: (address: string, callback: (error: null, address: string) => void) => callback(null, address),
    }),
  } satisfies ClusterOptions;
}
