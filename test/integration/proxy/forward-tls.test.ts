// The connection between a sidecar and its egress gateway: trust, certificates that are renewed under load, an egress
// gateway that is away, killed or stopped, and the replaced file of the key.
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createForwardScene, type Egress, type ForwardScene } from '../../support/forward.ts';
import {
  chatBody,
  chatRequest,
  type ProxyProcess,
  startGateway,
  type TestGateway,
  type TestProxy,
} from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { freePort, until } from '../../support/process.ts';
import { logged } from '../../support/telemetry.ts';
import { install } from '../../support/tls.ts';

let gateway: TestGateway;
let scene: ForwardScene;
let egress: Egress;
let key: string;
let requests = 0;
const newId = () => `tls-${++requests}`;

beforeAll(async () => {
  [gateway, scene] = await Promise.all([startGateway(), createForwardScene()]);
  egress = await scene.startEgress(gateway);
  key = (await gateway.organization.createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await scene.close();
  await gateway.close();
});

const chat = ({ url }: Pick<TestProxy, 'url'>, id = newId(), fields: object = {}) =>
  fetch(`${url}/v1/chat/completions`, chatRequest(key, fields, { 'x-request-id': id }));

/** The advice in the log for the operator. */
async function advice(id: string): Promise<string> {
  const line = await accessLine(scene, id);
  expect(line).toMatchObject({ status: 502, error_code: 'upstream_unreachable', error_source: 'gateway' });
  return String(line.reason);
}

describe('a sidecar whose connection is refused', () => {
  it('logs advice when it does not know the egress gateway’s authority', async () => {
    const sidecar = await scene.startSidecar(egress.url, { GATEWAY_FORWARD_CA_FILE: scene.sidecars.caFile });
    const id = newId();
    const response = await chat(sidecar, id);
    expect(await response.json()).toMatchObject({
      error: { message: 'the egress gateway cannot be reached' },
    });
    expect(await advice(id)).toContain('GATEWAY_FORWARD_CA');
  });

  it('logs advice when the certificate is for another name', async () => {
    const other = await scene.servers.issue({ commonName: 'other', names: ['DNS:elsewhere'] });
    const strange = await scene.startEgress(gateway, {
      GATEWAY_TLS_CERT_FILE: other.certFile,
      GATEWAY_TLS_KEY_FILE: other.keyFile,
    });
    const id = newId();
    await chat(await scene.startSidecar(strange.url), id);
    expect(await advice(id)).toContain('GATEWAY_FORWARD_TO must use a name');
  });

  it('logs advice when it presents no certificate', async () => {
    const env = { GATEWAY_FORWARD_CERT_FILE: '', GATEWAY_FORWARD_KEY_FILE: '' };
    const id = newId();
    await chat(await scene.startSidecar(egress.url, env), id);
    expect(await advice(id)).toMatch(/GATEWAY_FORWARD_CERT_FILE/);
  });

  it('logs advice when its certificate is another authority’s, and so does the egress gateway', async () => {
    const wrong = await scene.servers.issue({ commonName: 'app' });
    const sidecar = await scene.startSidecar(egress.url, {
      GATEWAY_FORWARD_CERT_FILE: wrong.certFile,
      GATEWAY_FORWARD_KEY_FILE: wrong.keyFile,
    });
    const id = newId();
    await chat(sidecar, id);
    expect(await advice(id)).toContain('GATEWAY_FORWARD_CERT_FILE');
    await until(() =>
      logged(gateway.logs, 'a connection was refused: it did not come to TLS').some(({ reason }) =>
        /SELF_SIGNED|UNABLE_TO/.test(String(reason)),
      ),
    );
  });

  it('logs advice when it uses TLS at the plain port', async () => {
    const id = newId();
    await chat(await scene.startSidecar(`https://127.0.0.1:${egress.proxy.port}`), id);
    expect(await advice(id)).toContain('does not speak TLS on this port');
  });

  it('does not start with invalid files', async () => {
    const start = (env: Record<string, string>) => scene.startSidecar(egress.url, env);
    await expect(start({ GATEWAY_FORWARD_CERT_FILE: '/nowhere.crt' })).rejects.toThrow('/nowhere.crt cannot be read');
    const junk = scene.write('junk.crt', 'junk');
    await expect(start({ GATEWAY_FORWARD_CERT_FILE: junk })).rejects.toThrow(`${junk}, `);
  });
});

describe('authorities as text', () => {
  it('are used like those of a file', async () => {
    const text = readFileSync(scene.servers.caFile, 'utf8');
    const sidecar = await scene.startSidecar(egress.url, {
      GATEWAY_FORWARD_CA_FILE: '',
      GATEWAY_FORWARD_CA: text,
    });
    expect((await chat(sidecar)).status).toBe(200);
  });
});

describe('certificates that are renewed under load', () => {
  it("cost no request, and new connections use them: the sidecar's and the egress gateway's", async () => {
    const sidecar = await scene.startSidecar(egress.url);
    let stop = false;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (!stop) {
        const response = await chat(sidecar, newId(), { stream: true });
        await response.text();
        statuses.push(response.status);
      }
    });
    const anew = () => logged([...scene.logs, ...gateway.logs], 'the certificate was read anew').length;
    const before = anew();
    install(await scene.sidecars.issue({ commonName: 'app, renewed' }), scene.client);
    install(await scene.servers.issue({ commonName: 'egress-gateway, renewed' }), scene.server);
    await until(() => anew() >= before + 2, { timeoutMs: 10_000 });
    const counted = statuses.length;
    await until(() => statuses.length > counted + 20, { timeoutMs: 10_000 });
    stop = true;
    await Promise.all(load);
    expect(statuses.every((status) => status === 200)).toBe(true);
  });

  it('are not used when caught between the two writes of a pair', async () => {
    const sidecar = await scene.startSidecar(egress.url);
    const next = await scene.sidecars.issue({ commonName: 'half' });
    const before = scene.logs.length;
    install(
      { certFile: next.certFile, keyFile: scene.client.keyFile },
      { certFile: scene.client.certFile, keyFile: `${scene.client.keyFile}.same` },
    );
    await until(() => scene.logs.slice(before).some((line) => line.includes('the last good one is kept')));
    expect((await chat(sidecar)).status).toBe(200);
    install(next, scene.client);
  });
});

describe('the key’s file', () => {
  it('can be replaced under the running sidecar', async () => {
    const first = await gateway.organization.createKey();
    const file = scene.write('rotated', first.value);
    const sidecar = await scene.startSidecar(egress.url, { GATEWAY_ATTACH_KEY_FILE: file });
    const models = () => fetch(`${sidecar.url}/v1/models`);
    expect((await models()).status).toBe(200);
    renameSync(scene.write('next', key), file);
    await gateway.organization.api.call('VirtualKeys/Revoke', { id: first.id });
    await until(() => logged(scene.logs, 'the attached key was read anew').length > 0, { timeoutMs: 10_000 });
    expect((await models()).status).toBe(200);
    renameSync(scene.write('next', 'junk'), file);
    await until(() => scene.logs.some((line) => line.includes('the attached key cannot be used anew')), {
      timeoutMs: 10_000,
    });
    expect((await models()).status).toBe(200);
  });
});

describe('an egress gateway', () => {
  it('that is away when the sidecar starts is used when it is there, and the sidecar is ready meanwhile', async () => {
    const port = await freePort();
    const sidecar = await scene.startSidecar(`https://127.0.0.1:${port}`);
    expect((await fetch(`${sidecar.adminUrl}/readyz`)).status).toBe(200);
    expect((await chat(sidecar)).status).toBe(502);
    await scene.startEgress(gateway, { GATEWAY_TLS_LISTEN: `127.0.0.1:${port}` });
    expect((await chat(sidecar)).status).toBe(200);
  });

  it('that is killed in the middle of a stream: the stream is cut, never ended', async () => {
    const port = await freePort();
    const killed = await startEgressProcess(port);
    const sidecar = await scene.startSidecar(`https://127.0.0.1:${port}`);
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 20 });
    const id = newId();
    const response = await openStream(sidecar, id);
    await once(response, 'data');
    killed.child.signal('SIGKILL');
    await expect(once(response, 'end')).rejects.toThrow('aborted');
    expect(await accessLine(scene, id)).toMatchObject({
      status: 502,
      error_code: 'upstream_protocol_error',
      streamed: true,
    });
  });

  it('that stops finishes its requests, and later ones reach the next one', async () => {
    const listener = { GATEWAY_TLS_LISTEN: `127.0.0.1:${await freePort()}` };
    const first = await scene.startEgress(gateway, listener);
    const sidecar = await scene.startSidecar(first.url);
    gateway.simulator.script({ tokens: 40, pieceDelayMs: 20 });
    const response = await openStream(sidecar, newId());
    const text = textOf(response);
    await once(response, 'data');
    const drained = first.proxy.drain();
    expect(await text).toMatch(/data: \[DONE\]\n\n$/);
    await drained;
    await scene.startEgress(gateway, listener);
    expect((await chat(sidecar)).status).toBe(200);
  });
});

describe('a sidecar that stops', () => {
  it('finishes its requests, accepts no new ones, and ends', async () => {
    const sidecar = await scene.startSidecar(egress.url);
    gateway.simulator.script({ tokens: 40, pieceDelayMs: 20 });
    const response = await openStream(sidecar, newId());
    const text = textOf(response);
    await once(response, 'data');
    const drained = sidecar.drain();
    await expect(chat(sidecar)).rejects.toThrow('fetch failed');
    expect(await text).toMatch(/data: \[DONE\]\n\n$/);
    await drained;
  });

  it('cuts open requests at the end of its grace, and logs them', async () => {
    const sidecar = await scene.startSidecar(egress.url, { GATEWAY_DRAIN_GRACE: '300ms' });
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 20 });
    const id = newId();
    const response = await openStream(sidecar, id);
    await once(response, 'data');
    const cut = expect(once(response, 'end')).rejects.toThrow('aborted');
    await sidecar.drain();
    await cut;
    expect(
      logged(scene.logs, 'cut: still open at the end of the drain grace').map((line) => line.request_id),
    ).toContain(id);
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
  });
});

function startEgressProcess(port: number): Promise<ProxyProcess> {
  return gateway.startProxyProcess({ ...egress.listener, GATEWAY_TLS_LISTEN: `127.0.0.1:${port}` });
}

async function openStream({ url }: TestProxy, id: string): Promise<IncomingMessage> {
  const outgoing = request(`${url}/v1/chat/completions`, {
    agent: false,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': id },
  });
  outgoing.end(chatBody({ stream: true }));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.on('data', (chunk) => {
    text += chunk;
  });
  await once(response, 'end');
  return text;
}
