// Rows of the failure table: a control plane over SQLite restarts, and its file is replaced by a copy. A restart makes
// no record stale, even if the control plane then stays silent; the replaced file does.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operatorApi } from '../../../quickstart/operator-api.ts';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { admission, chat, turns } from '../../support/chat-requests.ts';
import { type RunningControlPlane, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';

let folder: string;
let gateway: TestGateway;
let link: Forwarder;
let proxy: TestProxy;
let present: RunningControlPlane;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-sqlite-restart-'));
  gateway = await startGateway({
    databaseUrl: `sqlite:${join(folder, 'gateway.db')}`,
    controlPlane: { GATEWAY_DRAIN_GRACE: '1s' },
  });
  present = gateway.controlPlane;
  link = await startForwarder({ port: present.grpcPort });
  proxy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${link.port}` });
});
afterEach(async () => {
  await link?.stop();
  await gateway?.close();
  rmSync(folder, { recursive: true });
});

/** @param between runs while no program has the file open */
async function restart(between: () => void = () => undefined): Promise<void> {
  await present.close();
  between();
  present = await gateway.startControlPlane({
    GATEWAY_GRPC_LISTEN: `127.0.0.1:${gateway.controlPlane.grpcPort}`,
  });
}

const owner = () => operatorApi(present.httpPort, gateway.organization.ownerToken);

async function createKey(): Promise<{ readonly id: string; readonly value: string }> {
  const { id } = gateway.organization;
  const made = (await owner().call('VirtualKeys/Create', {
    ...{
      organizationId: id,
      name: `key-${Math.random()}`,
      scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id },
    },
  })) as { virtualKey: { id: string }; value: string };
  return { id: made.virtualKey.id, value: made.value };
}

/** Waits until a new change has reached the proxy, which then knows the present epoch. */
async function untilReceived(): Promise<void> {
  const key = await createKey();
  const outcome = admission(key.value);
  await turns([proxy], outcome, { from: '503 access_unavailable', to: '200', withinMs: 30_000 });
  await owner().call('VirtualKeys/Revoke', { id: key.id });
  await turns([proxy], outcome, { from: '200', to: '401 access_not_found', withinMs: 30_000 });
}

describe('a control plane over SQLite', () => {
  it('serves, after its restart, keys that were requested before', async () => {
    const keys = [await createKey(), await createKey()];
    const revoked = await createKey();
    for (const { value } of [...keys, revoked]) expect((await chat(value)(proxy)).outcome).toBe('200');
    await owner().call('VirtualKeys/Revoke', { id: revoked.id });
    await turns([proxy], admission(revoked.value), { from: '200', to: '401 access_not_found' });
    await restart();
    await untilReceived();
    await restart();
    await untilReceived();
    link.freeze();
    for (const { value } of keys) expect((await chat(value)(proxy)).outcome).toBe('200');
    expect((await chat(revoked.value)(proxy)).outcome).not.toBe('200');
  });

  it('with a restored file makes records stale that were read at a position that the file does not have', async () => {
    const copy = join(folder, 'copy.db');
    const file = join(folder, 'gateway.db');
    const before = await createKey();
    expect((await admission(before.value)(proxy)).outcome).toBe('200');
    await restart(() => copyFileSync(file, copy));
    await untilReceived();
    const after = await createKey();
    expect((await admission(after.value)(proxy)).outcome).toBe('200');
    await restart(() => copyFileSync(copy, file));
    await turns([proxy], admission(after.value), {
      from: '200',
      to: '401 access_not_found',
      withinMs: 30_000,
    });
    expect((await admission(before.value)(proxy)).outcome).toBe('200');
  });
});
