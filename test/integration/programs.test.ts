// The programs as operators start them: from source, where Node strips the types, and as the bundles of `npm run build`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import { buildPrograms } from '../../scripts/build.ts';
import { type Child, startNode, until } from '../support/process.ts';

const freePorts = {
  GATEWAY_LISTEN: '127.0.0.1:0',
  GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
  GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
  GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
};

let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-programs-'));
  await buildPrograms(join(directory, 'dist'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The fields of the program's first log line. */
async function started(child: Child): Promise<Record<string, number>> {
  const ended = child.exited.then((code) => {
    throw new Error(`ended with ${code}: ${child.stderr()}`);
  });
  const line = await Promise.race([ended, until(() => /^.*"msg":"ready.*$/m.exec(child.stdout())?.[0])]);
  return JSON.parse(line) as Record<string, number>;
}

function health(port: number): Promise<Buffer> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  return new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, Buffer.alloc(0), (error, answer) =>
      error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
    );
  }).finally(() => client.close());
}

/** A key of an organization with a guardrail: the text it is to find is so long that a worker looks. */
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

describe.each([
  ['from source', () => ({ proxy: 'proxy/main.ts', controlPlane: 'control-plane/main.ts' })],
  [
    'as bundles',
    () => ({
      proxy: join(directory, 'dist/proxy/bin/main.mjs'),
      controlPlane: join(directory, 'dist/control-plane/bin/main.mjs'),
    }),
  ],
])('%s', (form, programs) => {
  it('both planes start, talk to each other, inspect long texts in workers, and end with exit code 0 on SIGTERM', async () => {
    const { proxy: proxyMain, controlPlane: controlPlaneMain } = programs();
    const bootstrapToken = createCredential('bootstrap');
    const controlPlane = startNode([controlPlaneMain], {
      env: {
        ...freePorts,
        GATEWAY_DATABASE_URL: `sqlite:${join(directory, `${form}.db`)}`,
        GATEWAY_MASTER_KEY: createSealKey(),
        GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
        GATEWAY_GRPC_REFLECTION: 'true',
      },
    });
    const { grpc_port: grpcPort = 0, http_port: httpPort = 0 } = await started(controlPlane);
    expect([...(await health(grpcPort))], 'SERVING').toEqual([8, 1]);

    const made = await operatorApi(httpPort, bootstrapToken).call('OperatorTokens/Bootstrap', { name: 'p' });
    const platform = operatorApi(httpPort, String(made.token));
    const token = await platform.call('ProxyTokens/Create', { name: 'p' });
    const proxy = startNode([proxyMain], {
      env: {
        ...freePorts,
        GATEWAY_CONTROL_PLANE: `127.0.0.1:${grpcPort}`,
        GATEWAY_PROXY_TOKEN: String(token.value),
      },
    });
    const { port, admin_port: adminPort } = await started(proxy);
    await until(async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok);
    const unknown = createCredential('virtualKey'); // well-formed, so only the control plane can say that it is none
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
});
