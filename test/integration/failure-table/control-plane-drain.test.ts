// Row of the failure table: SIGTERM of a control-plane replica, a separate process over real PostgreSQL. Its proxies
// move to the other replica and no caller notices.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startForwarder } from '../../support/black-hole.ts';
import { admission, outcomes, turns } from '../../support/chat-requests.ts';
import { log } from '../../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createDatabase();
  gateway = await startGateway({ databaseUrl: database.url });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

it('SIGTERM of a control plane: watchers move to the other replica without a refused request', async () => {
  const leaving = await gateway.startControlPlaneProcess();
  const staying = { adminUrl: `http://127.0.0.1:${gateway.controlPlane.adminPort}` };
  const watchers = (replica: { adminUrl: string }) => metric(replica, 'gateway_control_plane_watchers');
  // The staying replica cannot be reached while the proxies choose the replica that they watch.
  const link = await startForwarder({ port: gateway.controlPlane.grpcPort });
  await link.cut();
  const addresses = `127.0.0.1:${link.port},127.0.0.1:${leaving.grpcPort}`;
  const proxies: TestProxy[] = [];
  for (let count = 0; count < 3; count++) proxies.push(await gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses }));
  await until(async () => (await watchers(leaving)) === 3, {
    what: 'all to watch the replica that will leave',
  });
  await link.heal();
  await until(() => link.open() === 3, { what: 'all to be connected to the one that stays' });
  const { id, value } = await gateway.organization.createKey();
  const response = await outcomes(proxies, admission(value));

  leaving.child.signal('SIGTERM');
  const from = performance.now();
  const waited: number[] = [];
  let movedAt: number | undefined;
  // Sends requests with the known key and new ones, until a while after all proxies have moved.
  while (movedAt === undefined || performance.now() - movedAt < 1000) {
    const added = await gateway.organization.createKey();
    for (const question of [admission(value), admission(added.value)]) {
      for (const { outcome, ms } of await Promise.all(proxies.map(question))) {
        expect(outcome).toBe('200');
        waited.push(ms);
      }
    }
    if (movedAt === undefined && (await watchers(staying)) === 4) movedAt = performance.now();
  }
  log('SIGTERM of a control plane: three watchers have moved after', movedAt - from);
  log('SIGTERM of a control plane: requests meanwhile', waited);
  expect(response).toEqual(['200', '200', '200']);
  expect(await leaving.child.exited).toBe(0);

  await gateway.organization.api.call('VirtualKeys/Revoke', { id });
  const ms = await turns(proxies, admission(value), { from: '200', to: '401 access_not_found' });
  log('SIGTERM of a control plane: a revocation at the other reaches three proxies', ms);
  await link.stop();
});
