// Hints in Redis: a sorted set by their end for each organization, and one for hosts. It is bounded, and gone half a
// minute after the last one was written. Scores are not sealed: an attacker who changes them withholds hints, no more.
import type { RedisConnection } from '../redis/connection.ts';
import { createScript, runScript } from '../redis/script.ts';
import { hintMsMax, sizeOf } from './learned-hints.ts';
import { hintSetName } from './sealed-hints.ts';
import type { HintCommands } from './shared-hints.ts';

/** Keys: the set. Arguments: now, the latest end, how many may stay, milliseconds to live; then end and value of each. */
const writeScript = createScript(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '+inf')
for i = 5, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`);

/** Clocks of proxies differ; an end that is later still was written by somebody else, to stay in front. */
const latestMs = 2 * hintMsMax;

export function hintCommands(connection: RedisConnection): HintCommands {
  return {
    read: (scope) => connection.read((client) => client.zrevrangeBuffer(hintSetName(scope), 0, sizeOf(scope) - 1)),
    write: async (scope, hints, now) => {
      const keys = [hintSetName(scope)];
      const bounds = [Math.round(now), Math.round(now + latestMs), sizeOf(scope), hintMsMax];
      const args = [...bounds, ...hints.flatMap(({ until, sealed }) => [until, sealed])];
      await connection.run((client) => runScript(client, writeScript, { keys, args }));
    },
  };
}
