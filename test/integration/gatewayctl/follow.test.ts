// Lists that are followed continue when their server restarts: once another replica responds at its address.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { chatRequest, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { createDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let gateway: TestGateway;
let network: Forwarder;
let owner: Gatewayctl;

beforeAll(async () => {
  database = await createDatabase();
  gateway = await startGateway({ databaseUrl: database.url });
  network = await startForwarder({ port: gateway.controlPlane.grpcPort });
  owner = await loggedIn(network.port, gateway.organization.ownerToken);
});
afterAll(async () => {
  owner.remove();
  await network.stop();
  await gateway.close();
  await database.drop();
});

it('requests tail shows requests from before and after a restart of the server, and reports the time between once', async () => {
  const { value } = await gateway.organization.createKey({ name: 'followed' });
  const send = async () => {
    const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(value));
    await response.arrayBuffer();
    return response.headers.get('x-request-id');
  };
  const replica = await gateway.startControlPlane();
  const tailing = owner.run('requests tail --key followed --count 2 -o csv');
  // What is followed begins after the first response.
  const metrics = `http://127.0.0.1:${gateway.controlPlane.adminPort}/metrics`;
  const listed = /_calls_total\{method="Requests\.List",code="OK"\} 1/;
  await until(async () => listed.test(await (await fetch(metrics)).text()));
  const rows = async () => {
    const { api, id: organizationId } = gateway.organization;
    const { requests = [] } = await api.call('Requests/List', { organizationId });
    return Array.isArray(requests) ? requests.length : 0;
  };
  const first = await send();
  await until(async () => (await rows()) === 1);
  await network.cut();
  const second = await send();
  network.redirect({ port: replica.grpcPort });
  await until(async () => (await rows()) === 2);
  await network.heal();
  const { code, out, err } = await tailing;
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^gatewayctl: the server cannot be reached; .*\n$/),
  });
  const [header = '', ...lines] = out.trim().split('\n');
  expect(header).toContain('request_id');
  expect(lines).toEqual([expect.stringContaining(`${first}`), expect.stringContaining(`${second}`)]);
});
