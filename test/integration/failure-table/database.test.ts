// Rows of the failure table: a control-plane replica is cut off from PostgreSQL, the database is restored from a
// backup, a standby is promoted.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { admission, outcomes, seldom, turns } from '../../support/chat-requests.ts';
import { runSql } from '../../support/databases.ts';
import { log } from '../../support/figures.ts';
import { type RunningControlPlane, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { createDatabase } from '../../support/postgres.ts';
import { startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/process.ts';
import { startRedis } from '../../support/redis.ts';
import { busyMs } from '../../support/slowness.ts';
import { logged, metric, readiness } from '../../support/telemetry.ts';

const notFound = '401 access_not_found';
const cutOff = 'not ready: the database cannot be reached';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function linkTo(port: number, host = '127.0.0.1'): Promise<Forwarder> {
  const link = await startForwarder({ host, port });
  closers.push(() => link.stop());
  return link;
}

async function startGatewayOver(databaseUrl: string): Promise<TestGateway> {
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const gateway = await startGateway({ databaseUrl, proxy: { REDIS_URL: redis.url } });
  closers.push(() => gateway.close());
  return gateway;
}

/** The URL of the same database through a forwarder. */
function by(link: Forwarder, url: string): string {
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(link.port) }).href;
}

const admin = ({ adminPort }: RunningControlPlane) => ({ adminUrl: `http://127.0.0.1:${adminPort}` });
const watchers = (replica: RunningControlPlane) => metric(admin(replica), 'gateway_control_plane_watchers');
const hasFeed = async (proxy: TestProxy) => (await metric(proxy, 'gateway_feed_age_seconds')) >= 0;
const newKey = async ({ organization }: TestGateway) => admission((await organization.createKey()).value);

describe('control-plane replica cut off from the database', () => {
  interface Doomed {
    readonly way: Forwarder;
    readonly replica: RunningControlPlane;
    readonly proxies: readonly TestProxy[];
  }

  /** A replica that can be cut off, and two proxies that watch it but can use the healthy one. */
  async function startDoomed(gateway: TestGateway, databaseUrl: string): Promise<Doomed> {
    const { hostname, port } = new URL(databaseUrl);
    const way = await linkTo(Number(port), hostname);
    const replica = await gateway.startControlPlane({ GATEWAY_DATABASE_URL: by(way, databaseUrl) });
    // It cannot be reached while the proxies choose the replica that they watch.
    const good = await linkTo(gateway.controlPlane.grpcPort);
    await good.cut();
    const addresses = `127.0.0.1:${good.port},127.0.0.1:${replica.grpcPort}`;
    const start = () => gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses });
    const proxies = [await start(), await start()];
    await until(() => watchers(replica).then((count) => count === 2), { what: 'both to watch' });
    await until(async () => (await Promise.all(proxies.map(hasFeed))).every(Boolean), { what: 'the feed' });
    await good.heal();
    await until(() => good.open() === 2, { what: 'both to be connected to the good one as well' });
    return { way, replica, proxies };
  }

  /**
   * Sends requests with new keys until the replica knows that it is cut off and its proxies have left it, and a little
   * longer.
   */
  async function letNewKeysIn(gateway: TestGateway, { replica, proxies }: Doomed) {
    const before: number[] = [];
    const after: number[] = [];
    const beside: number[] = [];
    while (after.length < 12 || (await watchers(replica)) > 0) {
      const isReported = (await readiness(admin(replica))) === cutOff;
      const question = await newKey(gateway);
      for (const proxy of proxies) {
        const another = await newKey(gateway);
        const [{ outcome, ms }, well] = await Promise.all([question(proxy), another(gateway.proxy)]);
        expect([outcome, well.outcome]).toEqual(['200', '200']);
        (isReported ? after : before).push(ms);
        beside.push(well.ms);
      }
      await sleep(200);
    }
    return { before, after, beside };
  }

  it('with refused or silent connections, its proxies notice within 20 s and use the other replica; new keys wait 500 ms at most', async () => {
    const { url, drop } = await createDatabase();
    closers.push(drop);
    const gateway = await startGatewayOver(url);
    const refused = await startDoomed(gateway, url);
    const silent = await startDoomed(gateway, url);
    const { id, value } = await gateway.organization.createKey();
    const all = [...refused.proxies, ...silent.proxies];
    expect(await outcomes(all, admission(value))).toEqual(all.map(() => '200'));

    await refused.way.cut();
    silent.way.freeze();
    await gateway.organization.api.call('VirtualKeys/Revoke', { id });
    const scene = async (how: string, doomed: Doomed) => {
      const turn = { from: '200', to: notFound, withinMs: 20_000 };
      const revoked = turns(doomed.proxies, seldom(admission(value)), turn);
      const { before, after, beside } = await letNewKeysIn(gateway, doomed);
      log(`replica cut off, ${how}: a revocation reaches its proxies`, await revoked);
      log(`replica cut off, ${how}: new keys are let in`, before);
      log(`replica cut off, ${how}: new keys are let in once it knows`, after);
      log(`replica cut off, ${how}: new keys are let in at a proxy that is well`, beside);
      expect(Math.max(...before)).toBeLessThan(500 + busyMs(beside));
      expect(Math.max(...after)).toBeLessThan(busyMs(beside));
    };
    await Promise.all([scene('refused', refused), scene('silent', silent)]);

    await Promise.all([refused.way.heal(), silent.way.heal()]);
    for (const { replica } of [refused, silent])
      await until(async () => (await readiness(admin(replica))) === 'ok', { timeoutMs: 10_000 });
  });
});

const newHistory = 'the database has another history; all proxies begin anew';
const continuing = 'a new epoch of the database continues the one before';

/** A gateway with two replicas and two proxies that know both replicas, all over one database. */
async function startPairOver(url: string) {
  const gateway = await startGatewayOver(url);
  const replicas = [gateway.controlPlane, await gateway.startControlPlane()];
  const addresses = replicas.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(',');
  const start = () => gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses });
  const proxies = [await start(), await start()];
  await until(async () => (await Promise.all(proxies.map(hasFeed))).every(Boolean), { what: 'the feed' });
  const revoke = (id: string) => gateway.organization.api.call('VirtualKeys/Revoke', { id });
  const everywhere = (outcome: string) => proxies.map(() => outcome);
  return { gateway, replicas, proxies, start, revoke, everywhere };
}

const resolves = (replicas: readonly RunningControlPlane[]) =>
  Promise.all(
    replicas.map((each) => metric(admin(each), 'gateway_control_plane_calls_total', { method: 'Access.Resolve' })),
  ).then(([a = 0, b = 0]) => a + b);

describe('database restored from a backup: a new epoch, every record is resolved again', () => {
  it('proxies return to the state of the backup: keys created since are unknown, keys revoked since are valid again', async () => {
    const { url, drop } = await createDatabase();
    closers.push(drop);
    const database = restorable(url);
    closers.push(() => database.dropCopies());
    const { gateway, replicas, proxies, start, revoke, everywhere } = await startPairOver(url);
    const [kept, revokedBefore, revokedSince] = await Promise.all(
      [1, 2, 3].map(() => gateway.organization.createKey()),
    );
    if (!kept || !revokedBefore || !revokedSince) throw new Error('three keys were made');
    const ask = (key: { readonly value: string }, of = proxies) => outcomes(of, admission(key.value));
    for (const key of [kept, revokedBefore, revokedSince]) expect(await ask(key)).toEqual(everywhere('200'));
    const gone = { from: '200', to: notFound };
    await revoke(revokedBefore.id);
    await turns(proxies, admission(revokedBefore.value), gone);

    await database.backUp();
    const madeSince = await until(() => gateway.organization.createKey().catch(() => undefined));
    expect(await ask(madeSince)).toEqual(everywhere('200'));
    await revoke(revokedSince.id);
    await turns(proxies, admission(revokedSince.value), gone);

    const resolved = await resolves(replicas);
    const restored = database.restore();
    const from = performance.now();
    const served = turns(proxies, admission(madeSince.value), { ...gone, withinMs: 15_000 });
    while ((await ask(madeSince)).includes('200')) {
      expect(await ask(kept)).toEqual(everywhere('200'));
      await sleep(50);
    }
    await Promise.all([restored, served]);
    log('database restored: two proxies have noticed', performance.now() - from);
    expect(logged(gateway.logs, newHistory).length).toBeGreaterThan(0);
    expect(await ask(kept)).toEqual(everywhere('200'));
    expect(await resolves(replicas)).toBeGreaterThan(resolved);
    expect(await ask(revokedBefore), 'revoked before the backup').toEqual(everywhere(notFound));
    expect(await ask(revokedSince), 'revoked after the backup, which does not know of it').toEqual(everywhere('200'));

    const late = await start();
    expect(await ask(kept, [late]), 'a new proxy, over a Redis of both histories').toEqual(['200']);
    await revoke(kept.id);
    const ms = await turns([...proxies, late], admission(kept.value), gone);
    log('database restored: a revocation in the new epoch reaches three proxies', ms);
  });
});

describe('standby promoted: the new epoch continues the old one, and nothing is resolved again', () => {
  it('cached keys are served throughout, revoked ones stay revoked, and changes take effect as before', async () => {
    const pair = await startPostgresPair();
    closers.push(pair.stop);
    const way = await linkTo(Number(new URL(pair.primaryUrl).port));
    const { gateway, replicas, proxies, revoke, everywhere } = await startPairOver(by(way, pair.primaryUrl));
    const [kept, revoked] = [await gateway.organization.createKey(), await gateway.organization.createKey()];
    const ask = (key: { readonly value: string }) => outcomes(proxies, admission(key.value));
    for (const key of [kept, revoked]) expect(await ask(key)).toEqual(everywhere('200'));
    await revoke(revoked.id);
    await turns(proxies, admission(revoked.value), { from: '200', to: notFound });
    // Fails until the revocation was replicated.
    const followed = 'select 1 / count(*) from virtual_keys where revoked_at is not null';
    await until(() =>
      runSql(pair.standbyUrl, followed).then(
        () => true,
        () => false,
      ),
    );

    const resolved = await resolves(replicas);
    await way.stop();
    const from = performance.now();
    await runSql(pair.standbyUrl, 'select pg_promote()');
    const again = await startForwarder({ port: Number(new URL(pair.standbyUrl).port) }, way.port);
    closers.push(() => again.stop());
    await until(
      async () => {
        expect(await ask(kept)).toEqual(everywhere('200'));
        return logged(gateway.logs, continuing).length >= 2;
      },
      { timeoutMs: 15_000, what: 'the new epoch to be noticed' },
    );
    log('standby promoted: both replicas have noticed', performance.now() - from);
    expect(logged(gateway.logs, newHistory)).toEqual([]);
    expect(await ask(kept)).toEqual(everywhere('200'));
    expect(await resolves(replicas)).toBe(resolved);
    expect(await ask(revoked)).toEqual(everywhere(notFound));
    const made = await gateway.organization.createKey();
    expect(await ask(made)).toEqual(everywhere('200'));
    await until(async () => (await Promise.all(proxies.map(hasFeed))).every(Boolean), { timeoutMs: 15_000 });
    await revoke(made.id);
    const ms = await turns(proxies, admission(made.value), { from: '200', to: notFound, withinMs: 10_000 });
    log('standby promoted: a revocation reaches two proxies', ms);
  });
});

/** Backs a database up and puts the backup in its place, as an operator would: without open connections. */
function restorable(url: string) {
  const name = new URL(url).pathname.slice(1);
  const server = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const alone = async (work: readonly string[]) => {
    await runSql(server, `alter database ${name} with allow_connections false`);
    const sessions = `select pg_terminate_backend(pid, 1000) from pg_stat_activity where datname = '${name}'`;
    await runSql(server, sessions);
    for (const statement of work) await runSql(server, statement);
    await runSql(server, `alter database ${name} with allow_connections true`);
  };
  return {
    backUp: () => alone([`create database ${name}_backup template ${name}`]),
    restore: () =>
      alone([`alter database ${name} rename to ${name}_old`, `alter database ${name}_backup rename to ${name}`]),
    dropCopies: async () => {
      for (const copy of ['old', 'backup'])
        await runSql(server, `drop database if exists ${name}_${copy} with (force)`);
    },
  };
}
