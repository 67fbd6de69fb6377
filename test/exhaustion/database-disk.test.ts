// The disk of a SQLite database is full: the control plane reports it and is not ready, refuses changes, still serves
// reads, and becomes ready again without a restart once there is room. Nothing that it acknowledged is lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { GrpcCaller, responseOf } from '../support/operators.ts';
import { until } from '../support/process.ts';
import { type OnSmallDisk, onSmallDisk, smallDiskOf, startNodeOnSmallDisk } from '../support/small-disk.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

const anyPort = '127.0.0.1:0';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-small-database-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the control plane on a full disk', () => {
  const bootstrapToken = createCredential('bootstrap');
  let running: OnSmallDisk;
  let admin: string;
  let caller: GrpcCaller;

  beforeEach(async () => {
    running = startNodeOnSmallDisk({ folder, kibibytes: 8192 }, ['control-plane/main.ts'], {
      env: {
        GATEWAY_GRPC_LISTEN: anyPort,
        GATEWAY_HTTP_LISTEN: anyPort,
        GATEWAY_ADMIN_LISTEN: anyPort,
        GATEWAY_MASTER_KEY: createSealKey(),
        GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
        GATEWAY_DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}`,
      },
    });
    const line = await until(() => /^.*"msg":"ready.*$/m.exec(running.child.stdout())?.[0], {
      timeoutMs: 60_000,
    });
    const ports = JSON.parse(line);
    admin = `http://127.0.0.1:${ports.admin_port}`;
    caller = new GrpcCaller(`127.0.0.1:${ports.grpc_port}`);
  });
  afterEach(async () => {
    caller.close();
    await running.child.stop();
  });

  const readyz = async () => await (await fetch(`${admin}/readyz`)).text();
  const writable = async () => {
    const text = await (await fetch(`${admin}/metrics`)).text();
    return Number(/^gateway_control_plane_database_writable (\d)$/m.exec(text)?.[1]);
  };
  const hears = (text: string) =>
    until(async () => (await readyz()).includes(text), { what: `/readyz to say ${text}` });

  it('is not ready and reports why, serves reads, and recovers once there is room', async () => {
    const made = responseOf(await caller.call('OperatorTokens.Bootstrap', bootstrapToken, { name: 'platform' }));
    const create = (name: string) => caller.call('Organizations.Create', made.token, { name, owner: { name: 'Olga' } });
    const { organization } = responseOf(await create('before'));
    await hears('ok');
    // Attempts while the disk is being filled leave a little room.
    await until(
      async () => {
        running.fill();
        return (await readyz()).includes('the disk of the database is full');
      },
      { what: '/readyz to say that the disk is full' },
    );
    expect(await writable()).toBe(0);
    // The database's log has some room of its own, which is used up first.
    const refused = await until(
      async () => {
        const called = await create(`during ${Math.random()}`);
        return 'response' in called ? undefined : called;
      },
      { what: 'a change to be refused' },
    );
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', detail: { reason: 'unavailable' } });
    expect(refused.message).toContain('full');
    expect(responseOf(await caller.call('Organizations.Get', made.token, { id: organization.id }))).toMatchObject({
      name: 'before',
    });
    running.free();
    await hears('ok');
    expect(await writable()).toBe(1);
    expect(responseOf(await create('after')).organization.name).toBe('after');
  });
});

describe('proxies of a control plane on a full disk', () => {
  let world: World;
  let proxy: Program;
  let disk: ReturnType<typeof smallDiskOf>;
  beforeAll(async () => {
    const small = { folder, kibibytes: 8192 };
    world = await startWorld({
      env: { GATEWAY_DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}` },
      options: { within: onSmallDisk(small) },
    });
    disk = smallDiskOf(world.controlPlane.child, small);
    proxy = await world.startProxy();
  }, startMs);
  afterAll(() => world?.close());

  it('serve the keys that they know, and all usage is recorded once there is room', async () => {
    const { controlPlane, organization } = world;
    const { value: key } = await organization.createKey();
    expect(await ask(proxy, key)).toBe('200');
    await until(async () => (await recorded(organization)) === 1);
    await until(
      async () => {
        disk.fill();
        return (await readiness(controlPlane))?.includes('full');
      },
      { what: 'the disk to be full' },
    );
    let sent = 1;
    // The database's log has some room of its own, which is used up first.
    await until(
      async () => {
        expect(await ask(proxy, key)).toBe('200');
        sent++;
        return sent > 20 && (await metric(proxy, 'gateway_usage_queued_events')) > 0;
      },
      { timeoutMs: 60_000, what: 'usage to wait' },
    );
    expect(await readiness(proxy)).toBe('ok');
    disk.free();
    await until(async () => (await recorded(organization)) === sent, {
      ...{ timeoutMs: 60_000, what: 'all usage to be recorded' },
    });
    expect(await metric(proxy, 'gateway_usage_events_total', { outcome: 'lost' })).toBe(0);
    await until(async () => (await readiness(controlPlane)) === 'ok', {
      what: 'the control plane to be ready',
    });
  });
});
