// Service accounts on the command line, and commands that exchange an outside token for their own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGatewayctl, type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';
import { bootstrap, createTenant, type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';
import { type OutsideIssuer, startOutsideIssuer } from '../../support/outside-issuer.ts';

let issuer: OutsideIssuer;
let plane: OperatorsPlane;
let owner: Gatewayctl;
let machine: Gatewayctl;
let accountId: string;
let server: string;

beforeAll(async () => {
  issuer = await startOutsideIssuer();
  plane = await startOperatorsPlane({ env: { GATEWAY_PRIVATE_ISSUERS: issuer.hostAndPort } });
  const acme = await createTenant(plane, await bootstrap(plane), 'acme');
  server = `127.0.0.1:${plane.plane.grpcPort}`;
  owner = await loggedIn(plane.plane.grpcPort, acme.owner.token);
  machine = createGatewayctl();
  const trust = `${issuer.url},model-gateway,sub=repo:acme/*`;
  accountId = (await owner.json(['service-accounts', 'create', 'ci', '--role', 'member', '--trust', trust])).id;
});
afterAll(async () => {
  for (const one of [owner, machine]) one?.remove();
  await plane?.close();
  await issuer?.close();
});

it('a command exchanges the token of a file, and needs no other', async () => {
  const exchange = ['--server', server, '--service-account', accountId, '--token-exchange', '-'];
  const status = await machine.json(['status', ...exchange], { input: `${issuer.token()}\n` });
  expect(status.caller).toMatchObject({ personId: accountId, role: 'ROLE_MEMBER' });
  const token = await machine.expect(['service-accounts', 'token', ...exchange], { input: issuer.token() });
  expect(token).toMatch(/^gw-op-\w{49}\n$/);
  const { code, err } = await machine.run(['status', ...exchange], { input: issuer.token({ sub: 'repo:evil/app' }) });
  expect([code, err]).toEqual([4, expect.stringContaining('no trust row')]);
  const half = await machine.run(['status', '--server', server, '--token-exchange', '-']);
  expect([half.code, half.err]).toEqual([2, expect.stringContaining('--service-account')]);
});

it('a job of GitHub Actions needs the id of the account alone', async () => {
  const requests: string[] = [];
  const actions = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization}`);
    response.end(JSON.stringify({ value: issuer.token({ sub: 'repo:acme/app:environment:prod' }) }));
  });
  await new Promise<void>((resolve) => actions.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(actions.address() as AddressInfo).port}/token?api-version=2`;
  const env = {
    ...{ GATEWAYCTL_SERVER: server, GATEWAY_SERVICE_ACCOUNT: accountId },
    ...{ ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job' },
  };
  expect((await machine.json('status', { env })).caller).toMatchObject({ personId: accountId });
  expect(requests).toEqual(['/token?api-version=2&audience=model-gateway Bearer of-the-job']);
  actions.closeAllConnections();
  actions.close();
});

it('shows, changes and deletes an account by its name', async () => {
  expect(await owner.expect('service-accounts list')).toMatch(/^ci +\S+ +member +yes/m);
  const trust = `${issuer.url},other,sub=a,ref=refs/heads/main`;
  const changed = await owner.json(['service-accounts', 'update', 'ci', '--trust', trust, '--active', 'false']);
  const claims = [
    { claim: 'ref', value: 'refs/heads/main' },
    { claim: 'sub', value: 'a' },
  ];
  expect(changed).toMatchObject({ active: false, trust: [{ issuer: issuer.url, audience: 'other', claims }] });
  const wrong = await owner.run(['service-accounts', 'update', 'ci', '--trust', issuer.url]);
  expect(wrong.err).toContain('issuer,audience,sub=value');
  await owner.expect('service-accounts delete ci --yes');
  expect((await owner.json('service-accounts list')).serviceAccounts).toEqual([]);
});
