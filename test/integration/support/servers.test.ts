// Tests of the servers that other tests use: they are real, separate, and gone afterwards.
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createDatabase } from '../../support/postgres.ts';
import { startRedis, startRedisCluster } from '../../support/redis.ts';

async function names(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = 'public'",
  );
  await client.end();
  return rows.map((row) => row.tablename);
}

describe('createDatabase', () => {
  it('gives each caller a separate empty database', async () => {
    const [one, other] = [await createDatabase(), await createDatabase()];
    const client = new Client({ connectionString: one.url });
    await client.connect();
    await client.query('create table mine (id bigint)');
    await client.end();
    expect(await names(one.url)).toEqual(['mine']);
    expect(await names(other.url)).toEqual([]);
    await one.drop();
    await other.drop();
    await expect(names(one.url)).rejects.toThrow('does not exist');
  });
});

describe('startRedis', () => {
  it('starts empty, can be flushed and killed, and is empty on its port afterwards', async () => {
    const server = await startRedis();
    const client = new Redis(server.url, { retryStrategy: () => null });
    client.on('error', () => undefined);
    expect(await client.dbsize()).toBe(0);
    await client.set('a', '1');
    await server.flush();
    expect(await client.get('a')).toBeNull();
    await client.set('a', '1');
    const closed = new Promise((resolve) => client.once('end', resolve));
    await server.kill();
    await closed;
    const again = await startRedis({ port: server.port });
    const second = new Redis(again.url);
    expect(await second.get('a')).toBeNull();
    second.disconnect();
    await again.stop();
  });
});

describe('startRedisCluster', () => {
  it('spreads keys over three masters', async () => {
    const { Cluster } = await import('ioredis');
    const servers = await startRedisCluster();
    const cluster = new Cluster([...servers.urls]);
    for (let i = 0; i < 30; i++) await cluster.set(`key-${i}`, String(i));
    const sizes = await Promise.all(cluster.nodes('master').map((node) => node.dbsize()));
    expect(sizes).toHaveLength(3);
    expect(sizes.every((size) => size > 0)).toBe(true);
    cluster.disconnect();
    await servers.stop();
  });
});
