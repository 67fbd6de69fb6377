// Outages between the parts: control plane, Redis, database, receivers of webhooks, proxies that are gone.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../../common/record-signature.ts';
import { createSealKey } from '../../../common/seal.ts';
import { startForwarder } from '../../support/black-hole.ts';
import { freshSqlite } from '../../support/databases.ts';
import { createForwardScene } from '../../support/forward.ts';
import { programOf } from '../../support/gateway.ts';
import { startOperatorsPlane } from '../../support/operators.ts';
import { createDatabase } from '../../support/postgres.ts';
import { freePort, projectRoot, startNode, until } from '../../support/process.ts';
import { startNodeOnSmallDisk } from '../../support/small-disk.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';
import { cutOff, type Scene, type World } from './scenes.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f-]{27}';

/** A proxy that is killed during a request, and its successor in the pod. @returns the folders of journals */
async function killed({ gateway, ask, logged }: World): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-journal-'));
  const { child, url } = await gateway.startProxyProcess({ GATEWAY_JOURNAL_DIR: folder });
  gateway.simulator.reset();
  gateway.simulator.script({ headDelayMs: 60_000 });
  const left = ask({ url }).catch(() => 'left alone');
  await until(() => gateway.simulator.requests.length > 0);
  child.signal('SIGKILL');
  expect(await left).toBe('left alone');
  await gateway.startProxy({ GATEWAY_JOURNAL_DIR: folder });
  await logged(/a proxy was killed/);
  gateway.simulator.reset();
  return [folder];
}

/** Path of the database on the full disk. */
const fullDiskFound: Record<string, string> = {};

/** A control plane whose SQLite database is on a full disk. */
async function fullDisk(): Promise<{ readonly file: string; end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-disk-'));
  const anyPort = '127.0.0.1:0';
  const { child, fill, path } = startNodeOnSmallDisk(
    { folder, kibibytes: 8192 },
    [await programOf('control-plane/main.ts')],
    {
      env: {
        ...{ GATEWAY_GRPC_LISTEN: anyPort, GATEWAY_HTTP_LISTEN: anyPort, GATEWAY_ADMIN_LISTEN: anyPort },
        GATEWAY_MASTER_KEY: createSealKey(),
        GATEWAY_DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}`,
      },
    },
  );
  await until(() => /"msg":"ready/.test(child.stdout()), { what: 'the control plane', timeoutMs: 60_000 });
  fill();
  return {
    file: path('gateway.db'),
    end: async () => {
      await child.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A proxy whose folder for the journal is gone before its session is open. */
async function withoutJournal({ gateway, logged }: World): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-journal-'));
  const network = await startForwarder({ port: gateway.controlPlane.grpcPort });
  await network.cut();
  await gateway.startProxy({
    ...{ GATEWAY_CONTROL_PLANE: `127.0.0.1:${network.port}`, GATEWAY_JOURNAL_DIR: folder },
  });
  rmSync(folder, { recursive: true });
  await network.heal();
  await logged(/the journal cannot be begun/);
  await network.stop();
  return folder;
}

/** Lines of the audit log that were collected before it was hashed again. */
const collected = join(tmpdir(), `runbook-anchors-${process.pid}.log`);

export const planeScenes = {
  catalog: {
    as: 'platform',
    looksOnly: true,
    plant: async ({ gateway, platform }) => {
      const folder = mkdtempSync(join(tmpdir(), 'runbook-catalog-'));
      const file = join(folder, 'models.json');
      copyFileSync(join(projectRoot, 'catalog/models.json'), file);
      await gateway.startProxyProcess({ GATEWAY_CATALOG_FILE: file });
      writeFileSync(file, '{"models":');
      const isFound = async () => (await platform.run('doctor')).out.includes('the file is refused');
      await until(isFound);
      return async () => rmSync(folder, { recursive: true });
    },
    finds: [/^FAILED +catalog +the file is refused, and the last good one in force, at proxy /m],
  },
  'access-unavailable': {
    plant: async ({ gateway, ask }) => {
      const { url } = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${await freePort()}` });
      for (let n = 0; n < 2; n++) expect(await ask({ url })).toBe(503);
    },
    finds: [/^ *2 "reason":"[^"]*ECONNREFUSED[^"]*"$/m],
  },
  feed: {
    as: 'platform',
    looksOnly: true,
    plant: async (world) => {
      const { heal } = await cutOff(world);
      await world.logged(/the change feed is disconnected/);
      return heal;
    },
    finds: [/"msg":"the change feed is disconnected/, /^watchers watchers/m],
  },
  redis: {
    as: 'platform',
    looksOnly: true,
    plant: async ({ gateway, ask, logged }) => {
      const { url } = await gateway.startProxy({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
      // Each key is looked up in Redis.
      for (let n = 0; n < 4; n++) expect(await ask({ url, value: createCredential('virtualKey') })).toBe(401);
      await logged(/Redis does not respond/);
    },
    finds: [/ECONNREFUSED.*"msg":"Redis does not respond; requests continue without it"/, /Redis/],
  },
  'cache-unreadable': {
    as: 'platform',
    looksOnly: true,
    plant: async ({ gateway, ask, logged }) => {
      const other = publicPemOf(parseSigningKey(createSigningKey()));
      const { url, drain } = await gateway.startProxy({ GATEWAY_RECORD_KEYS: other });
      expect(await ask({ url })).toBe(503);
      await logged(/a key that this proxy does not know/);
      return drain;
    },
    finds: [/a key that this proxy does not know/, /record keys/],
  },
  'ledger-unavailable': {
    plant: async (world) => {
      await world.owner.expect(`limits create budget --usd 5 --period day --key ${world.key.id}`);
      const { url, heal } = await cutOff(world, { method: 'GET', path: '/v1/models' });
      await until(async () => (await world.ask({ url })) === 503);
      await world.logged(/the ledger does not respond/);
      return heal;
    },
    found: { 'limit-id': /"limit_id":"([^"]+)"/ },
    finds: [new RegExp(`^ *\\d+ "limit_id":"${uuid}"$`, 'm'), /the ledger does not respond/, /^deleted$/m],
  },
  'usage-delayed': {
    plant: async (world) => {
      const { url, heal } = await cutOff(world);
      expect(await world.ask({ url })).toBe(200);
      await world.logged(/usage cannot be reported/);
      return heal;
    },
    finds: [/"level":"warn".*"msg":"usage cannot be reported; it is kept until it can"/],
  },
  'control-plane-down': {
    plant: async ({ shell }) => {
      const child = startNode([await programOf('control-plane/main.ts')], {
        env: { GATEWAY_DATABASE_URL: 'mysql://x' },
      });
      expect(await child.exited).toBe(64);
      shell.collect('control-plane-before', [child.stdout(), child.stderr()]);
    },
    finds: [/GATEWAY_DATABASE_URL: must be postgres:\/\/… or sqlite:<file>/],
  },
  'control-plane-failing': {
    plant: async ({ shell }) => {
      const database = await createDatabase();
      const url = new URL(database.url);
      const network = await startForwarder({ port: Number(url.port) });
      url.port = String(network.port);
      const plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: url.href } });
      await network.cut();
      await until(() => plane.logs.some((line) => line.includes('the change feed cannot read the database')));
      shell.collect('control-plane', plane.logs);
      await network.heal();
      await plane.close();
      await network.stop();
      await database.drop();
    },
    finds: [/"level":"warn".*the change feed cannot read the database/],
  },
  'database-disk': {
    plant: async () => {
      const { file, end } = await fullDisk();
      fullDiskFound.file = file;
      return end;
    },
    found: fullDiskFound,
    finds: [/Free: 0 /],
  },
  'budget-overrun': {
    plant: async ({ owner, ask }) => {
      const limit = await owner.json('limits create budget --usd 5 --period day');
      expect(await ask()).toBe(200);
      const spent = async () => (await owner.json(`budgets windows --budget ${limit.id}`)).windows[0]?.spentUsd;
      await until(async () => Number(await spent()) > 0);
      await owner.expect(`limits update ${limit.id} --usd 0.000000001`);
    },
    finds: [/^BUDGET .*FREE[\s\S]* -0\.\d+ /m],
  },
  'egress-unreachable': {
    plant: async ({ gateway, ask, shell }) => {
      const scene = await createForwardScene();
      const nobody = await scene.startSidecar(`https://127.0.0.1:${await freePort()}`);
      const egress = await scene.startEgress(gateway);
      const wrong = { GATEWAY_FORWARD_CA_FILE: scene.sidecars.caFile };
      const ofAnother = await scene.startSidecar(egress.url, wrong);
      for (const { url } of [nobody, ofAnother, nobody]) expect(await ask({ url })).toBe(502);
      shell.collect('sidecar', scene.logs);
      return () => scene.close();
    },
    found: { namespace: 'shop', pod: 'shop-0' },
    finds: [/^ *2 "reason":"[^"]*nothing listens there[^"]*"\n *1 "reason":"[^"]*authority[^"]*"$/m],
  },
  'audit-log': {
    as: 'platform',
    plant: async ({ shell }) => {
      const hash = 'ab'.repeat(32);
      writeFileSync(collected, `${JSON.stringify({ audit_anchor: { revision: 1, hash, at: 1_790_000_000_000 } })}\n`);
      const database = await freshSqlite();
      const store = await database.open();
      for (const id of ['one', 'two']) {
        await change(store, (tx) => insertOrganization(tx, { id }).then(() => undefined));
      }
      await database.raw(`update audit_events set actor_id = 'x' where revision = 1`);
      const plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
      const isFound = () => plane.logs.some((line) => line.includes('the audit log was tampered with'));
      await until(isFound, { what: 'the check of the audit log', timeoutMs: 60_000 });
      shell.collect('control-plane', plane.logs);
      await plane.close();
      await database.drop();
      return async () => rmSync(collected);
    },
    found: { file: collected },
    finds: [
      /"revision":1,"reason":"its content was changed"/,
      /^revision 1: it is not the event that was anchored \(anchored at 2026/,
    ],
  },
  webhooks: {
    plant: async ({ organization, owner, logged, notify }) => {
      await owner.expect('webhooks create pager --url https://pager.invalid.example.com/');
      const { webhooks } = await owner.json('webhooks list');
      await notify(webhooks[0].id, organization.id);
      await logged(/webhook delivery given up/);
      return () => owner.expect('webhooks delete pager --yes');
    },
    found: { webhook: /"webhook_id":"([^"]+)"/ },
    finds: [new RegExp(`^ *1 "webhook_id":"${uuid}"$`, 'm'), /^ID .*STATUS[\s\S]* failed +12 +- /m],
  },
} as const satisfies Readonly<Record<string, Scene>>;

/** By the section of the runbook. */
export const killedScene = {
  unsettled: {
    plant: async (world) => {
      await world.owner.expect('limits create budget --usd 5 --period day');
      const folders = await killed(world);
      folders.push(await withoutJournal(world));
      const { heal } = await cutOff(world);
      world.clock.offsetMs += 5 * 60_000;
      const list = async () => (await world.owner.json('unsettled list')).unsettled;
      await until(async () => (await list()).length > 0);
      return async () => {
        for (const folder of folders) rmSync(folder, { recursive: true, force: true });
        await heal();
      };
    },
    found: {
      'limit-id': new RegExp(`^(${uuid}) +.* +${uuid}`, 'm'),
      window: new RegExp(`^${uuid} +.*? (\\S+) +${uuid}`, 'm'),
      session: new RegExp(`^${uuid} +.*? +(${uuid})`, 'm'),
    },
    finds: [
      /"events":\d+,"under_way":1,.*"msg":"a proxy was killed: its usage is reported/,
      /"level":"error".*"msg":"the journal cannot be begun/,
      new RegExp(`^BUDGET +NAME +WINDOW +SESSION[\\s\\S]*^${uuid} `, 'm'),
      /^amount USD +0$/m,
    ],
  },
} as const satisfies Readonly<Record<string, Scene>>;
