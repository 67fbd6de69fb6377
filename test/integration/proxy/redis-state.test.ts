// The state of a proxy's Redis as operators see it: derived from its connection and its last commands.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedisConnection, type RedisConnection } from '../../../proxy/redis/connection.ts';
import { redisTarget } from '../../../proxy/redis/target.ts';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { freePort, until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { silentLog } from '../../support/silent-log.ts';

let redis: TestRedis;
let network: Forwarder;
let connection: RedisConnection;
beforeEach(async () => {
  redis = await startRedis();
  network = await startForwarder({ port: redis.port });
  connection = connect(`redis://127.0.0.1:${network.port}`);
});
afterEach(async () => {
  connection.close();
  await network.stop();
  await redis.stop();
});

function connect(url: string): RedisConnection {
  return createRedisConnection({ target: redisTarget(url), log: silentLog });
}

const becomes = (state: 'ok' | 'failing', act: () => unknown = () => undefined) =>
  until(
    async () => {
      await act();
      return connection.state() === state;
    },
    { what: `Redis to be ${state}`, timeoutMs: 10_000 },
  );
const ping = () => connection.run((client) => client.ping()).catch(() => undefined);

describe('the state of Redis', () => {
  it('is unknown before the first response, then ok without a command', async () => {
    expect(connection.state()).toBeUndefined();
    await becomes('ok');
  });

  it('is failing while nothing listens, and ok again afterwards', async () => {
    await becomes('ok');
    await network.cut();
    await becomes('failing');
    await network.heal();
    await becomes('ok', ping);
  });

  it('is failing once commands to a silent server have timed out', async () => {
    await becomes('ok');
    network.freeze();
    await becomes('failing', ping);
    await network.heal();
    await becomes('ok', ping);
  });

  it('is failing while it refuses commands', async () => {
    await becomes('ok');
    await connection.run((client) => client.set('list', 'text'));
    await expect(connection.run((client) => client.lpush('list', 'a'))).rejects.toThrow();
    expect(connection.state()).toBe('failing');
    await ping();
    expect(connection.state()).toBe('ok');
  });

  it('is failing when it was never reachable', async () => {
    connection.close();
    connection = connect(`redis://127.0.0.1:${await freePort()}`);
    await becomes('failing');
  });
});
