// The programs as operators start them: from source, where Node strips the types, and as the bundles of `npm run
// build`, which the test run builds once.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { version } from '../../common/version.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import { type Child, startedWith, startNode, until } from '../support/process.ts';
import { ask, injectorEnvironment, responseIn, reviewOf } from '../support/reviews.ts';
import { askTestServers } from '../support/test-servers.ts';
import { createAuthority } from '../support/tls.ts';

const freePorts = {
  GATEWAY_LISTEN: '127.0.0.1:0',
  GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
  GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
  GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
};

let directory: string;
let bundles: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-programs-'));
  bundles = await askTestServers('programs');
});
afterAll(() => rmSync(directory, { recursive: true }));

function health(port: number): Promise<Buffer> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  return new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, Buffer.alloc(0), (error, response) =>
      error === null ? resolve(response ?? Buffer.alloc(0)) : reject(error),
    );
  }).finally(() => client.close());
}

/** A key of an organization with a guardrail, for a text that is so long that a worker inspects it. */
async function guardedKey(platform: OperatorApi, httpPort: number): Promise<string> {
  const created = await platform.call('Organizations/Create', { name: 'guarded', owner: { name: 'owner' } });
  const { organization, ownerToken } = created as { organization: { id: string }; ownerToken: string };
  const owner = operatorApi(httpPort, ownerToken);
  const organizationId = organization.id;
  const provider = 'gpt-provider';
  await owner.call('ProviderKeys/Create', {
    organizationId,
    provider,
    name: 'first',
    secret: { apiKey: 'none' },
  });
  await owner.call('Guardrails/Create', {
    ...{ organizationId, name: 'long-texts', stage: 'GUARDRAIL_STAGE_INPUT' },
    action: 'GUARDRAIL_ACTION_BLOCK',
    check: { words: { phrases: ['secret plan'] } },
  });
  const key = await owner.call('VirtualKeys/Create', {
    ...{ organizationId, name: 'key', scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId } },
  });
  return String(key.value);
}

const forms = [
  ['from source', (program: string) => `${program}/main.ts`],
  ['as bundles', (program: string) => join(bundles, program, 'bin/main.mjs')],
] as const;

/** Exit code and output of a program that ends on its own. */
async function ended(child: Child) {
  return { code: await child.exited, stdout: child.stdout(), stderr: child.stderr() };
}

describe.each(forms)('programs started %s', (form, mainOf) => {
  it('both planes start, connect to each other, inspect long texts in workers, and exit with 0 on SIGTERM', async () => {
    const bootstrapToken = createCredential('bootstrap');
    const controlPlane = startNode([mainOf('control-plane')], {
      env: {
        ...freePorts,
        GATEWAY_DATABASE_URL: `sqlite:${join(directory, `${form}.db`)}`,
        GATEWAY_MASTER_KEY: createSealKey(),
        GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
        GATEWAY_GRPC_REFLECTION: 'true',
      },
    });
    const { grpc_port: grpcPort = 0, http_port: httpPort = 0 } = await startedWith(controlPlane);
    expect([...(await health(grpcPort))], 'SERVING').toEqual([8, 1]);

    const made = await operatorApi(httpPort, bootstrapToken).call('OperatorTokens/Bootstrap', { name: 'p' });
    const platform = operatorApi(httpPort, String(made.token));
    const token = await platform.call('ProxyTokens/Create', { name: 'p' });
    const proxy = startNode([mainOf('proxy')], {
      env: {
        ...freePorts,
        GATEWAY_CONTROL_PLANE: `127.0.0.1:${grpcPort}`,
        GATEWAY_PROXY_TOKEN: String(token.value),
      },
    });
    const { port, admin_port: adminPort } = await startedWith(proxy);
    await until(async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok);
    const unknown = createCredential('virtualKey'); // well-formed, so only the control plane knows that it is none
    const refusal = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { 'x-svc-vk': unknown } });
    expect(refusal.status).toBe(401);
    expect(await refusal.json()).toMatchObject({ error: { code: 'access_not_found' } });

    const guarded = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-vk': await guardedKey(platform, httpPort) },
      body: JSON.stringify({
        model: 'gpt-provider/gpt-4o-mini',
        messages: [{ role: 'user', content: `${'long '.repeat(60_000)} secret plan` }],
      }),
    });
    expect([guarded.status, guarded.headers.get('x-svc-guardrails')]).toEqual([400, 'long-texts=block']);

    expect(await proxy.stop()).toBe(0);
    expect(await controlPlane.stop()).toBe(0);
  });

  it('the injector starts, responds to a review over TLS, and exits with 0 on SIGTERM', async () => {
    const authority = await createAuthority();
    try {
      const certificate = await authority.issue({ commonName: 'injector' });
      const injector = startNode([mainOf('injector')], { env: injectorEnvironment(certificate) });
      const { port = 0, admin_port: adminPort } = await startedWith(injector);
      const agent = new Agent({ ca: readFileSync(authority.caFile) });
      const response = responseIn(await ask(port, reviewOf('deployment'), { agent }));
      expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
      expect(response.patch.length).toBeGreaterThan(0);
      expect((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status).toBe(200);
      agent.destroy();
      expect(await injector.stop()).toBe(0);
    } finally {
      authority.remove();
    }
  });

  it('a sidecar in forward mode starts with only the address of an egress gateway', async () => {
    const env = { ...freePorts, GATEWAY_FORWARD_TO: 'http://127.0.0.1:1' };
    const sidecar = startNode([mainOf('proxy')], { env });
    const { port, admin_port: adminPort } = await startedWith(sidecar);
    expect((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status).toBe(200);
    const response = await fetch(`http://127.0.0.1:${port}/v1/models`, {
      headers: { 'x-svc-vk': createCredential('virtualKey') },
    });
    expect(response.status, 'there is no listener').toBeGreaterThanOrEqual(500);
    expect(await sidecar.stop()).toBe(0);
  });

  it('the simulator starts, responds, and exits with 0 on SIGTERM', async () => {
    const simulator = startNode([mainOf('simulator')], { env: { SIMULATOR_LISTEN: '127.0.0.1:0' } });
    const { port } = await startedWith(simulator);
    const headers = { authorization: 'Bearer sk-sim-any' };
    expect((await fetch(`http://127.0.0.1:${port}/v1/models`, { headers })).status).toBe(200);
    expect(await simulator.stop()).toBe(0);
  });

  it('gatewayctl prints its help and version, and refuses unknown commands', async () => {
    const run = (...args: string[]) => ended(startNode([mainOf('gatewayctl'), ...args]));
    const helped = await run('--help');
    expect(helped).toMatchObject({ code: 0, stderr: '' });
    expect(helped.stdout).toMatch(/^Usage: gatewayctl/);
    expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const refused = await run('nonsense');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain("unknown command 'nonsense'");
  });

  it.each([
    ['proxy', 'GATEWAY_ADMIN_LISTEN'],
    ['control-plane', 'GATEWAY_ADMIN_LISTEN'],
    ['injector', 'GATEWAY_ADMIN_LISTEN'],
    ['simulator', 'SIMULATOR_LISTEN'],
  ])('%s exits with 64 for an invalid setting, and names it', async (program, setting) => {
    const { code, stderr } = await ended(startNode([mainOf(program)], { env: { [setting]: 'nowhere' } }));
    expect(code).toBe(64);
    expect(stderr).toContain(`${setting}: must be host:port`);
  });
});
