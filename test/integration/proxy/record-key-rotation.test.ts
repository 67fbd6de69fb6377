// The key that signs records is rotated under traffic, with real processes over a real Redis and files that change like
// Secrets: public key added, private key switched, old public key removed. No request fails, at a proxy that is
// configured with the keys and at one that learns them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../../common/record-signature.ts';
import {
  type ControlPlaneProcess,
  chatRequest,
  type ProxyProcess,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Child, until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

const folder = mkdtempSync(join(tmpdir(), 'record-key-rotation-'));
const [signingFile, publicFile] = [join(folder, 'signing.pem'), join(folder, 'public.pem')];
const [old, fresh] = [createSigningKey(), createSigningKey()];
const publicOf = (pem: string) => publicPemOf(parseSigningKey(pem));
const idOf = (pem: string) => parseSigningKey(pem).id.toString('hex');

let database: TestDatabase;
let redis: TestRedis;
let gateway: TestGateway;
let signing: ControlPlaneProcess;

beforeAll(async () => {
  writeFileSync(signingFile, old);
  writeFileSync(publicFile, publicOf(old));
  database = await createDatabase();
  redis = await startRedis();
  gateway = await startGateway({
    databaseUrl: database.url,
    controlPlane: { GATEWAY_RECORD_SIGNING_KEY: undefined, GATEWAY_RECORD_SIGNING_KEY_FILE: signingFile },
    proxy: { REDIS_URL: redis.url, GATEWAY_RECORD_KEYS: undefined },
  });
  signing = await gateway.startControlPlaneProcess();
});
afterAll(async () => {
  await gateway?.close();
  await redis?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true });
});

const startProxy = (env: Readonly<Record<string, string>> = {}) =>
  gateway.startProxyProcess({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${signing.grpcPort}`, ...env }, { timeoutMs: 60_000 });
const given = { GATEWAY_RECORD_KEYS_FILE: publicFile };

/** Waits until each of them has read its file of keys this many times again. */
async function untilReadAgain(planes: readonly { readonly child: Child }[], times: number): Promise<void> {
  for (const { child } of planes)
    await until(() => child.stdout().split(' was read anew').length > times, {
      what: 'a file of keys to be read anew',
      timeoutMs: 30_000,
    });
}

it('a key rotation fails no request, and no unsigned record is accepted', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => gateway.organization.createKey()));
  const first = await startProxy(given);
  const proxies: ProxyProcess[] = [first, await startProxy()];
  const failures: string[] = [];
  let requested = 0;
  let phase = 'before';
  const ask = async (proxy: ProxyProcess, value: string) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(value));
    const body = await response.text();
    requested += 1;
    if (response.status !== 200) failures.push(`${phase}, proxy ${proxies.indexOf(proxy)}: ${body}`);
  };
  const everyKey = async () => {
    for (const { value } of keys) for (const proxy of proxies) await ask(proxy, value);
  };
  let isOver = false;
  const traffic = (async () => {
    // A break between rounds leaves the processor to the programs.
    while (!isOver) {
      await everyKey();
      await sleep(100);
    }
  })();
  const signsWith = async (pem: string) => {
    const { recordKey } = (await gateway.platform.call('Status/Get', {})) as { recordKey?: string };
    return recordKey === idOf(pem);
  };

  await everyKey();
  phase = 'added';
  writeFileSync(publicFile, publicOf(old) + publicOf(fresh));
  await untilReadAgain([first], 1);
  phase = 'switched';
  writeFileSync(signingFile, fresh);
  await untilReadAgain([signing], 1);
  await until(() => signsWith(fresh), {
    what: 'the other replica to sign with the new key',
    timeoutMs: 30_000,
  });
  // Old and new records in Redis serve proxies that start; changes are signed with the new key.
  const second = await startProxy(given);
  proxies.push(second, await startProxy());
  keys.push(await gateway.organization.createKey());
  await everyKey();
  for (const { id } of keys) await gateway.organization.api.call('VirtualKeys/Update', { id, name: `renamed ${id}` });
  await everyKey();
  phase = 'removed';
  writeFileSync(publicFile, publicOf(fresh));
  await Promise.all([untilReadAgain([first], 2), untilReadAgain([second], 1)]);
  await everyKey();
  proxies.push(await startProxy(given));
  await everyKey();
  isOver = true;
  await traffic;
  expect(failures).toEqual([]);
  expect(requested).toBeGreaterThan(50);
  const ignored = await Promise.all(
    proxies
      .slice(0, 4)
      .map(({ adminUrl }) => metric({ adminUrl }, 'gateway_access_cache_ignored_total', { reason: 'unreadable' })),
  );
  expect(ignored.every((count) => count === 0)).toBe(true);
  console.log(`${requested} requests while the key was rotated, ${failures.length} failed`);
});
