// Sends secrets of every kind through every path of the gateway, successful and failing; then searches all its
// responses, logs, metrics and stored data for them: plain, in hexadecimal, in base64 at any offset. Further tests show
// that the search finds planted secrets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { startControlPlane } from '../../control-plane/app.ts';
import { readControlPlaneSettings } from '../../control-plane/settings.ts';
import { readProxySettings } from '../../proxy/settings.ts';
import { Canaries, type Haystack } from '../support/canaries.ts';
import { type KeptDatabase, postgresAt, readRedis, setInRedis, sqliteAt } from '../support/persistent-databases.ts';
import { createDatabase } from '../support/postgres.ts';
import { freePort } from '../support/process.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { silentLog } from '../support/silent-log.ts';
import { walkControlPlane } from './canaries/operator-paths.ts';
import { walkProxy } from './canaries/proxy-paths.ts';
import { walkRoutes } from './canaries/route-paths.ts';
import { type Scene, startScene } from './canaries/scene.ts';
import { walkVendors } from './canaries/vendor-paths.ts';

interface Prepared {
  readonly url: string;
  readonly database: KeptDatabase;
  drop(): Promise<void>;
}

async function freshSqlite(): Promise<Prepared> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-canaries-'));
  const path = join(directory, 'gateway.db');
  return {
    url: `sqlite:${path}`,
    database: sqliteAt(path),
    drop: async () => rmSync(directory, { recursive: true }),
  };
}

async function freshPostgres(): Promise<Prepared> {
  const { url, drop } = await createDatabase();
  return { url, database: postgresAt(url), drop };
}

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('secrets after every path, over %s,', (_name, fresh) => {
  let prepared: Prepared;
  let redis: TestRedis;
  let scene: Scene;
  let haystack: Haystack;

  beforeAll(async () => {
    prepared = await fresh();
    redis = await startRedis();
    scene = await startScene(prepared.url, redis);
    await walkProxy(scene);
    // The paths to providers do not depend on the database.
    if (fresh === freshSqlite) await walkRoutes(scene, await walkVendors(scene));
    await walkControlPlane(scene, prepared.database);
    haystack = await gather();
  });
  afterAll(async () => {
    await scene.gateway.close();
    await redis.stop();
    await prepared.drop();
  });

  async function gather(): Promise<Haystack> {
    const { gateway, responses, call } = scene;
    const audit = await call('Audit/List', { organizationId: gateway.organization.id, pageSize: 500 });
    const metrics = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return new Map([
      ['the logs', Buffer.from(gateway.logs.join(''))],
      ['the metrics of the proxy', Buffer.from(await metrics(gateway.proxy.adminPort))],
      ['the metrics of the control plane', Buffer.from(await metrics(gateway.controlPlane.adminPort))],
      ['the responses', Buffer.from(responses.join('\n'))],
      ['the audit events', Buffer.from(JSON.stringify(audit))],
      ['Redis', await readRedis(redis.url)],
      ['the database', await prepared.database.read()],
    ]);
  }

  it('are in no response, log, metric or store', () => {
    expect(scene.canaries.search(haystack)).toEqual([]);
  });

  it('are searched in data that contains the expected texts', () => {
    const { id } = scene.gateway.organization;
    const contains = (where: string, ...texts: string[]) => {
      const bytes = haystack.get(where) ?? Buffer.alloc(0);
      expect(texts.filter((text) => !bytes.includes(text))).toEqual([]);
    };
    contains('the logs', '"msg":"request"', '"msg":"call"', '"msg":"a call failed"', '"level":"debug"', id);
    contains(
      'the logs',
      'upstream_authentication_failed',
      'upstream_unreachable',
      'access_unavailable',
      'upstream_timeout',
      'client_left',
    );
    contains('the metrics of the proxy', 'gateway_requests_total{', 'gateway_malformed_requests_total{');
    contains('the metrics of the control plane', 'gateway_control_plane_calls_total{');
    contains(
      'the responses',
      'access_not_found',
      'access_blocked',
      'invalid_argument',
      'unauthenticated',
      'internal',
      '[DONE]',
      '[key]',
    );
    contains('the audit events', 'VirtualKeys.Rotate', 'ProviderKeys.Update');
    contains('the database', scene.keys.usable.slice(-4), 'usable key', 'ProviderKeys.Update', id);
    expect(haystack.get('Redis')?.length).toBeGreaterThan(1000);
  });

  it('are found when planted in a copy of any of the data', () => {
    expect(scene.canaries.unseen(haystack)).toEqual([]);
  });

  it('are found when planted in Redis, the database or the logs themselves', async () => {
    const { usable, stored, owner } = scene.keys;
    await setInRedis(redis.url, 'planted', Buffer.from(`{"key":"${usable}"}`).toString('base64'));
    await prepared.database.run(`create table planted (secret text)`);
    await prepared.database.run(`insert into planted values ('${Buffer.from(stored).toString('hex')}')`);
    scene.gateway.logs.push(JSON.stringify({ msg: 'planted', authorization: `Bearer ${owner}` }));
    const found = scene.canaries.search(await gather()).map(({ canary, where }) => `${canary} in ${where}`);
    expect([...new Set(found)].sort()).toEqual([
      'owner token in the logs',
      'stored provider key in the database',
      'usable key in Redis',
    ]);
  });
});

describe('an invalid setting', () => {
  const canaries = new Canaries();
  const secret = canaries.add('secret', `hush-${createCredential('proxy')}`);

  it.each<[string, () => unknown]>([
    ['REDIS_URL', () => readProxySettings({ REDIS_URL: `http://:${secret}@redis` })],
    ['REDIS_URL', () => readProxySettings({ REDIS_URL: `redis://:${secret}@redis/${secret}` })],
    ['GATEWAY_CACHE_KEY', () => readProxySettings({ GATEWAY_CACHE_KEY: secret })],
    ['GATEWAY_DATABASE_URL', () => readControlPlaneSettings({ GATEWAY_DATABASE_URL: `mysql://x:${secret}@db` })],
    ['GATEWAY_RECORD_KEYS', () => readProxySettings({ GATEWAY_RECORD_KEYS: secret })],
    ['GATEWAY_RECORD_SIGNING_KEY', () => readControlPlaneSettings({ GATEWAY_RECORD_SIGNING_KEY: secret })],
    ['GATEWAY_MASTER_KEY', () => readControlPlaneSettings({ GATEWAY_MASTER_KEY: secret })],
    ['GATEWAY_BOOTSTRAP_TOKEN', () => readControlPlaneSettings({ GATEWAY_BOOTSTRAP_TOKEN: secret })],
  ])('is reported without its value: %s', (name, read) => {
    const text = inspect(thrownBy(read), { depth: 10 });
    expect(text).toContain(name);
    expect(canaries.search(new Map([['the error', Buffer.from(text)]]))).toEqual([]);
  });

  it('is reported without its value when the database refuses the login', async () => {
    const url = `postgres://gateway:${secret}@127.0.0.1:${await freePort()}/gateway`;
    const settings = readControlPlaneSettings({
      GATEWAY_DATABASE_URL: url,
      GATEWAY_MASTER_KEY: createSealKey(),
    });
    const error = await startControlPlane(settings, { log: silentLog }).catch((caught: unknown) => caught);
    const text = inspect([error, settings], { depth: 10 });
    expect(error).toBeInstanceOf(Error);
    expect(canaries.search(new Map([['the error', Buffer.from(text)]]))).toEqual([]);
  });

  function thrownBy(work: () => unknown): unknown {
    try {
      return work();
    } catch (error) {
      return error;
    }
  }
});
