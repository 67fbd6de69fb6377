// Cached responses in Redis. What an organization may store there is bounded, because all values of the gateway share
// that memory. Redis that is down, slow or full is a miss.
import type { Clock } from '../../common/clock.ts';
import { type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import { createScript, runScript } from '../redis/script.ts';
import { nameInShard, shardOf } from '../redis/shards.ts';
import { cachedBytesMax } from './cached-response.ts';

export interface ResponseStore {
  /** @returns undefined if there is none; at most `cachedBytesMax` + 1 bytes of it. Never rejects */
  get(at: StoredAt): Promise<Buffer | undefined>;
  /** Never rejects. */
  put(at: StoredAt, value: Buffer, ttlMs: number): Promise<PutResult>;
}

export interface StoredAt {
  readonly organizationId: string;
  readonly cacheKey: Buffer;
}

/** `full`: the organization has stored as much as it may. `unavailable`: Redis did not accept it. */
export type PutResult = 'stored' | 'full' | 'unavailable';

export interface RedisResponsesDeps {
  readonly connection: Pick<RedisConnection, 'run' | 'read'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Of one organization. */
  readonly bytesMax: number;
}

const layout = 'response:1';
/** Bytes are counted by the time when they expire, rounded up to this. */
const cellMs = 15 * 60_000;

/**
 * A hash has the bytes of each cell of time in which they expire. A response that replaces another counts beside it until
 * that one would have expired.
 */
const putScript = createScript(`
local now, cell, ttl, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local total = #ARGV[1]
local cells = redis.call('HGETALL', KEYS[2])
for i = 1, #cells, 2 do
  if tonumber(cells[i]) <= now then redis.call('HDEL', KEYS[2], cells[i])
  else total = total + tonumber(cells[i + 1]) end
end
if total > most then return 0 end
redis.call('HINCRBY', KEYS[2], cell, #ARGV[1])
redis.call('PEXPIRE', KEYS[2], math.max(cell - now, redis.call('PTTL', KEYS[2])))
redis.call('SET', KEYS[1], ARGV[1], 'PX', ttl)
return 1`);

export class RedisResponses implements ResponseStore {
  readonly #deps: RedisResponsesDeps;

  constructor(deps: RedisResponsesDeps) {
    this.#deps = deps;
  }

  async get({ organizationId, cacheKey }: StoredAt): Promise<Buffer | undefined> {
    const shard = shardOf(organizationId);
    try {
      // A writer to Redis could put a value there that does not fit into memory.
      const value = await this.#deps.connection.read(
        (client) => client.getrangeBuffer(nameOf(shard, cacheKey), 0, cachedBytesMax),
        shard,
      );
      return value.length === 0 ? undefined : value;
    } catch (error) {
      return unavailable(error);
    }
  }

  async put({ organizationId, cacheKey }: StoredAt, value: Buffer, ttlMs: number): Promise<PutResult> {
    const { connection, clock, bytesMax } = this.#deps;
    const shard = shardOf(organizationId);
    const now = Math.floor(clock.now());
    const cell = Math.ceil((now + ttlMs) / cellMs) * cellMs;
    const keys = [nameOf(shard, cacheKey), nameInShard(layout, shard, `bytes:${organizationId}`)];
    try {
      const args = [value, now, cell, ttlMs, bytesMax];
      const isPut = await connection.run((client) => runScript(client, putScript, { keys, args }), shard);
      return isPut === 1 ? 'stored' : 'full';
    } catch (error) {
      return unavailable(error) ?? 'unavailable';
    }
  }
}

function nameOf(shard: number, cacheKey: Buffer): string {
  return nameInShard(layout, shard, cacheKey.toString('base64url'));
}

/** The connection has logged it. */
function unavailable(error: unknown): undefined {
  if (!(error instanceof RedisUnavailableError)) throw error;
  return undefined;
}
