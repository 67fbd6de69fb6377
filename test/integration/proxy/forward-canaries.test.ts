// The attached virtual key and the private keys of certificates are in no log, metric, response or error at either end
// of the hop, in successful and failing requests.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Canaries } from '../../support/canaries.ts';
import { createForwardScene, type Egress, type ForwardScene } from '../../support/forward.ts';
import { chatRequest, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { freePort, until } from '../../support/process.ts';

let gateway: TestGateway;
let scene: ForwardScene;
let egress: Egress;
const canaries = new Canaries();

beforeAll(async () => {
  [gateway, scene] = await Promise.all([startGateway(), createForwardScene()]);
  egress = await scene.startEgress(gateway);
});
afterAll(async () => {
  await scene.close();
  await gateway.close();
});

it('no secret of a sidecar leaves it except on the connection to the egress gateway', async () => {
  const { value, id: keyId } = await gateway.organization.createKey();
  canaries.add('attached key', value);
  for (const [name, { keyFile }] of Object.entries({ client: scene.client, server: scene.server }))
    canaries.addKey(`private key of the ${name}`, bodyOfPem(readFileSync(keyFile, 'utf8')));
  const file = scene.write('key', value);
  const attach = { GATEWAY_ATTACH_KEY_FILE: file };
  const sidecar = await scene.startSidecar(egress.url, attach);
  const lost = await scene.startSidecar(`https://127.0.0.1:${await freePort()}`, attach);
  const unbelieving = await scene.startSidecar(egress.url, {
    ...attach,
    GATEWAY_FORWARD_CA_FILE: scene.sidecars.caFile,
  });

  const stated = new Map<string, Buffer>();
  let count = 0;
  const ask = async ({ url }: TestProxy, sent: RequestInit, path = '/v1/chat/completions') => {
    count++;
    const id = `canary-${count}`;
    const headers = { ...Object.fromEntries(new Headers(sent.headers)), 'x-request-id': id };
    const response = await fetch(`${url}${path}`, { ...sent, headers });
    stated.set(`response ${count}`, Buffer.from(JSON.stringify([...response.headers]) + (await response.text())));
    await accessLine(scene, id);
    return response.status;
  };
  const chat = (fields: object = {}) => chatRequest('dummy', fields);
  expect(await ask(sidecar, chat())).toBe(200);
  expect(await ask(sidecar, chat({ stream: true }))).toBe(200);
  expect(await ask(sidecar, chat({ model: '/junk' }))).toBe(400);
  expect(await ask(sidecar, {}, '/v1/nowhere')).toBe(404);
  expect(await ask(lost, chat())).toBe(502);
  expect(await ask(unbelieving, chat())).toBe(502);
  await gateway.organization.api.call('VirtualKeys/Revoke', { id: keyId });
  await until(async () => (await ask(sidecar, chat())) === 401);
  // Half of a key, as in a file that is being written.
  scene.write('key', value.slice(0, -1));
  await until(() => scene.logs.some((line) => line.includes('cannot be used anew')), { timeoutMs: 10_000 });

  for (const proxy of [sidecar, lost, unbelieving, egress.proxy])
    stated.set(`metrics of ${proxy.adminPort}`, Buffer.from(await (await fetch(`${proxy.adminUrl}/metrics`)).text()));
  stated.set('log of sidecars', Buffer.from(scene.logs.join('')));
  stated.set('log of the gateway', Buffer.from(gateway.logs.join('')));
  expect(canaries.search(stated)).toEqual([]);
  expect(canaries.unseen(stated)).toEqual([]);
});

function bodyOfPem(pem: string): string {
  return pem.replace(/-----[^-]+-----|\s/g, '');
}
