// The database and Redis of a chaos run, and what can fail in them.
import type { Redis } from 'ioredis';
import { type Forwarder, startForwarder } from '../support/black-hole.ts';
import type { ServerSource } from '../support/containers.ts';
import { runSql } from '../support/databases.ts';
import { startDurablePostgres, startDurableRedis } from '../support/durable-servers.ts';
import { startPostgresPair } from '../support/postgres-pair.ts';
import { until } from '../support/process.ts';
import { withClient } from '../support/redis.ts';
import { linkSeat, type Seat } from './seats.ts';

export type Closers = (() => unknown)[];

/** A server as programs reach it. */
export interface ServerOfChaos {
  /** Through its network. */
  readonly url: string;
  readonly seats: Readonly<Record<string, Seat>>;
}

export async function link(port: number, closers: Closers): Promise<Forwarder> {
  const forwarder = await startForwarder({ port });
  closers.push(() => forwarder.stop());
  return forwarder;
}

/** @param failover the database has a standby that misses its last commits and is promoted once; else it is killed */
export async function startDatabase(
  { source, failover }: { readonly source: ServerSource; readonly failover: boolean },
  closers: Closers,
): Promise<ServerOfChaos> {
  if (!failover) {
    const server = await startDurablePostgres(source);
    closers.push(() => server.stop());
    const network = await link(server.port, closers);
    const kill = async () => {
      await server.kill();
      return () => server.restart();
    };
    const seats = { PostgreSQL: { kill }, 'network of PostgreSQL': linkSeat([network]) };
    return { url: through(server.url, network.port), seats };
  }
  const pair = await startPostgresPair(source);
  closers.push(() => pair.stop());
  const network = await link(Number(new URL(pair.primaryUrl).port), closers);
  const standby = Number(new URL(pair.standbyUrl).port);
  const promote = async () => {
    // From here on the standby receives no commit.
    await runSql(pair.standbyUrl, "alter system set primary_conninfo = ''");
    await runSql(pair.standbyUrl, 'select pg_reload_conf()');
    return async () => {
      await network.cut();
      await runSql(pair.standbyUrl, 'select pg_promote()');
      network.redirect({ port: standby });
      await network.heal();
    };
  };
  const { freeze, slow } = linkSeat([network]);
  const seats: Readonly<Record<string, Seat>> = {
    PostgreSQL: { failover: promote, ...(freeze && { freeze }), ...(slow && { slow }) },
  };
  return { url: through(pair.primaryUrl, network.port), seats };
}

function through(url: string, port: number): string {
  return Object.assign(new URL(url), { port: String(port) }).href;
}

/** A Redis with a replica. In containers the two cannot reach each other, so there it has none. */
export async function startRedisPair(source: ServerSource, closers: Closers): Promise<ServerOfChaos> {
  let master = await startDurableRedis(source);
  let replica = source === 'local' ? await startDurableRedis(source) : undefined;
  closers.push(
    () => master.stop(),
    () => replica?.stop(),
  );
  const network = await link(master.port, closers);
  const kill = async () => {
    await master.kill();
    return () => master.restart();
  };
  /** Its replica that takes over has nothing. */
  const empty = async () => {
    await withClient(master.url, (client) => client.flushall()).catch(() => undefined);
    return async () => undefined;
  };
  /** The replica misses the last writes. The former master stays, as its replica: it refuses writes from then on. */
  const promote = async (promoted: typeof master) => {
    await withClient(promoted.url, (client) => client.replicaof('NO', 'ONE'));
    return async () => {
      network.redirect({ port: promoted.port });
      await withClient(master.url, (client) => client.replicaof('127.0.0.1', promoted.port));
      [master, replica] = [promoted, master];
    };
  };
  if (replica !== undefined) {
    await withClient(replica.url, (client) => client.replicaof('127.0.0.1', master.port));
    await until(() => withClient(replica?.url ?? '', isFollowing), { what: 'the replica of Redis to follow' });
  }
  const seats: Readonly<Record<string, Seat>> = {
    Redis: { kill, empty, ...(replica && { promote: () => promote(replica ?? master) }) },
    'network of Redis': linkSeat([network]),
  };
  return { url: `redis://127.0.0.1:${network.port}`, seats };
}

async function isFollowing(client: Redis): Promise<boolean> {
  return (await client.info('replication')).includes('master_link_status:up');
}
