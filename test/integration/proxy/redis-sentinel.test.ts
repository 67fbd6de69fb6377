// The connection through Sentinels follows the master: when it is gone, the promoted replica gets the commands.
import { expect, it } from 'vitest';
import { createRedisConnection } from '../../../proxy/redis/connection.ts';
import { redisTarget } from '../../../proxy/redis/target.ts';
import { until } from '../../support/process.ts';
import { withClient } from '../../support/redis.ts';
import { startRedisSentinel } from '../../support/redis-sentinel.ts';
import { silentLog } from '../../support/silent-log.ts';

it('a promoted replica serves what the master had, and new values', async () => {
  const servers = await startRedisSentinel();
  const connection = createRedisConnection({ target: redisTarget(servers.url), log: silentLog, deadlineMs: 2_000 });
  const get = (name: string) => connection.read((client) => client.get(name));
  const set = (name: string, value: string) =>
    connection
      .run((client) => client.set(name, value))
      .then(
        () => true,
        () => false,
      );
  try {
    await until(() => set('before', '1'), { what: 'a first value' });
    await until(() => withClient(servers.replicaUrl, (client) => client.get('before')), { what: 'its replication' });
    await withClient(servers.masterUrl, (client) => client.shutdown('NOSAVE')).catch(() => undefined);
    await until(async () => !(await set('meanwhile', '1')), { what: 'the loss to be noticed' });
    await until(() => connection.state() === 'failing', { what: 'the state to show it' });
    await until(() => set('after', '2'), { what: 'the promoted replica' });
    expect(await get('before')).toBe('1');
    expect(await withClient(servers.replicaUrl, (client) => client.get('after'))).toBe('2');
    expect(connection.state()).toBe('ok');
  } finally {
    connection.close();
    await servers.stop();
  }
});
