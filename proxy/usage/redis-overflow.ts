// The overflow in Redis: a stream for each shard, an entry for each organization and batch, packed and sealed, because
// amounts and ids must be neither read nor forged there. It is as durable as that Redis, which must not evict keys
// without an expiry.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';
import { isRefusal, type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import { createScript, runScript } from '../redis/script.ts';
import { nameInShard, shardCount } from '../redis/shards.ts';
import { batchEventsMax, bytesOf, packing } from './batch.ts';
import type { UsageEvent } from './ledger-client.ts';
import type { Entry, Overflow } from './usage-log.ts';

export interface RedisOverflowDeps {
  readonly connection: RedisConnection;
  readonly sealKeys: SealKeys;
  readonly clock: Clock;
  /** Bound of the sealed bytes in one of the 64 streams. */
  readonly shardBytesMax: number;
}

/**
 * All shards together have 1 GiB, some millions of events. Redis's own bound may be reached first: then it accepts no
 * more.
 */
export const overflowShardBytesMax = 16 * 1024 * 1024;

/** Before packing: an entry of this size takes a millisecond to write and to read. */
const entryBytesMax = 256 * 1024;
const unpackedBytesMax = 16 * 1024 * 1024;
const writesMax = 8;
const readMax = 16;
const lockMs = 10_000;

const layout = 'usage:1';

/** A shard's bytes are counted in a key beside it. Nothing is ever trimmed. */
const putScript = createScript(`
local held = tonumber(redis.call('GET', KEYS[2]) or '0')
if held + #ARGV[4] > tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], '*', 'organization', ARGV[2], 'events', ARGV[3], 'sealed', ARGV[4])
redis.call('INCRBY', KEYS[2], #ARGV[4])
return 1`);

/** If Redis is full and does not accept the lower number, the count is wrong until the shard is empty. */
const removeScript = createScript(`
for i = 1, #ARGV, 2 do
  if redis.call('XDEL', KEYS[1], ARGV[i]) == 1 then redis.pcall('DECRBY', KEYS[2], ARGV[i + 1]) end
end
if redis.call('XLEN', KEYS[1]) == 0 then redis.call('DEL', KEYS[1], KEYS[2]) end
return 1`);

export class RedisOverflow implements Overflow {
  readonly shards = shardCount;
  readonly #deps: RedisOverflowDeps;
  /** Monotonic, by shard: when a lock of this proxy expires. */
  readonly #lockedUntil = new Map<number, number>();

  constructor(deps: RedisOverflowDeps) {
    this.#deps = deps;
  }

  async put(events: readonly UsageEvent[]): Promise<readonly UsageEvent[]> {
    const contents = contentsOf(events);
    const left: UsageEvent[] = [];
    for (let at = 0; at < contents.length; at += writesMax) {
      const some = contents.slice(at, at + writesMax);
      const arePut = await Promise.all(some.map((content) => this.#put(content)));
      left.push(...some.filter((_, i) => arePut[i] !== true).flatMap((content) => content.events));
      // Redis is gone, or full: the remaining entries are not tried.
      if (left.length > 0) left.push(...contents.slice(at + writesMax).flatMap((content) => content.events));
      if (left.length > 0) break;
    }
    return left;
  }

  async read(shard: number, after: string | undefined): Promise<readonly Entry[]> {
    const from = after === undefined ? '-' : `(${after}`;
    const found = await this.#deps.connection.read((client) =>
      client.xrangeBuffer(streamOf(shard), from, '+', 'COUNT', readMax),
    );
    const entries: Entry[] = [];
    // One after the other: each takes its time, and requests continue in between.
    for (const [id, fields] of found) entries.push(await this.#open(shard, id.toString(), fields));
    return entries;
  }

  async isEmpty(): Promise<boolean> {
    for (let shard = 0; shard < shardCount; shard++) {
      const length = await this.#deps.connection.read((client) => client.xlen(streamOf(shard)));
      if (length > 0) return false;
    }
    return true;
  }

  async lock(shard: number): Promise<boolean> {
    const { clock, connection } = this.#deps;
    const until = clock.monotonic() + lockMs;
    try {
      const response = await connection.run((client) => client.set(lockOf(shard), '1', 'PX', lockMs, 'NX'));
      if (response === 'OK') this.#lockedUntil.set(shard, until);
      return response === 'OK';
    } catch (error) {
      // A full Redis accepts no lock, and would stay full for ever if no proxy emptied it.
      if (isRefusal(error)) return true;
      throw error;
    }
  }

  async unlock(shard: number): Promise<void> {
    // Later the lock may be another proxy's.
    if (this.#deps.clock.monotonic() < (this.#lockedUntil.get(shard) ?? 0) - lockMs / 2)
      await this.#deps.connection.read((client) => client.del(lockOf(shard)));
  }

  async remove(shard: number, entries: readonly Entry[]): Promise<void> {
    const args = entries.flatMap(({ id, size }) => [id, size]);
    const keys = [streamOf(shard), bytesNameOf(shard)];
    await this.#deps.connection.run((client) => runScript(client, removeScript, { keys, args }));
  }

  /**
   * Writes to a random shard. So the bound applies to all organizations together, and the failure of one node stops no
   * organization for long.
   */
  async #put({ organizationId, events }: Content): Promise<boolean> {
    const { connection, sealKeys, shardBytesMax } = this.#deps;
    const shard = randomInt(shardCount);
    const packed = await packing.pack(events);
    const sealed = seal(sealKeys, sealContext(shard, organizationId, String(events.length)), packed);
    const keys = [streamOf(shard), bytesNameOf(shard)];
    const args = [shardBytesMax, organizationId, events.length, sealed];
    try {
      return (await connection.run((client) => runScript(client, putScript, { keys, args }))) === 1;
    } catch (error) {
      if (error instanceof RedisUnavailableError) return false;
      throw error;
    }
  }

  async #open(shard: number, id: string, fields: readonly Buffer[]): Promise<Entry> {
    const organizationId = fieldOf(fields, 'organization').toString();
    const sealed = fieldOf(fields, 'sealed');
    const context = sealContext(shard, organizationId, fieldOf(fields, 'events').toString());
    const packed = unseal(this.#deps.sealKeys, context, sealed);
    const putAt = Number(id.split('-')[0]);
    const entry = { id, size: sealed.length, putAt, organizationId };
    if (packed === undefined) return { ...entry, events: undefined };
    // An entry that can be unsealed was written by a proxy of this layout.
    return { ...entry, events: await packing.unpack(packed, unpackedBytesMax) };
  }
}

interface Content {
  readonly organizationId: string;
  readonly events: UsageEvent[];
}

function contentsOf(events: readonly UsageEvent[]): readonly Content[] {
  const contents: Content[] = [];
  const lastOf = new Map<string, { content: Content; bytes: number }>();
  for (const event of events) {
    const bytes = bytesOf(event);
    const last = lastOf.get(event.organizationId);
    const fits = last && last.bytes + bytes <= entryBytesMax && last.content.events.length < batchEventsMax;
    if (last !== undefined && fits) {
      last.content.events.push(event);
      last.bytes += bytes;
    } else {
      const content = { organizationId: event.organizationId, events: [event] };
      lastOf.set(event.organizationId, { content, bytes });
      contents.push(content);
    }
  }
  return contents;
}

function sealContext(shard: number, organizationId: string, count: string): SealContext {
  return { derive: ['usage', organizationId], associated: [layout, streamOf(shard), organizationId, count] };
}

const streamOf = (shard: number) => nameInShard(layout, shard, 'events');
const bytesNameOf = (shard: number) => nameInShard(layout, shard, 'bytes');
const lockOf = (shard: number) => nameInShard(layout, shard, 'lock');

const nothing = Buffer.alloc(0);

/** @param fields name, value, name, value… as any writer to Redis may have chosen them */
function fieldOf(fields: readonly Buffer[], name: string): Buffer {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === name);
  return at < 0 ? nothing : (fields[at + 1] ?? nothing);
}
