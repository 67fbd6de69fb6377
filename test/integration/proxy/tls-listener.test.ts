// The listener with TLS of an egress gateway: the same gateway behind it, the same limits, and only callers whose certificate is
// believed.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForwardScene, type Egress, type ForwardScene, install } from '../../support/forward.ts';
import { chatBody, startGateway, startPlane, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { logged, metric } from '../../support/telemetry.ts';
import type { CertificateFiles } from '../../support/tls.ts';

let gateway: TestGateway;
let scene: ForwardScene;
let egress: Egress;
let key: string;

beforeAll(async () => {
  [gateway, scene] = await Promise.all([startGateway(), createForwardScene()]);
  egress = await scene.startEgress(gateway, { GATEWAY_HEADERS_TIMEOUT: '1s' });
  key = (await gateway.organization.createKey()).value;
});
afterAll(async () => {
  await scene.close();
  await gateway.close();
});

const port = () => egress.proxy.tlsPort ?? 0;
const identity = ({ certFile, keyFile }: CertificateFiles) => ({
  ca: readFileSync(scene.servers.caFile),
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
});

/** Speaks TLS; resolves when the handshake is done or the connection has ended. */
async function shakeHands(options: object): Promise<TLSSocket> {
  const socket = connect({ port: port(), host: '127.0.0.1', ...options });
  socket.on('error', () => undefined);
  await Promise.race([new Promise((resolve) => socket.once('secureConnect', resolve)), closed(socket)]);
  return socket;
}

/** Once(…) would fail with the connection's error. */
const closed = (socket: TLSSocket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

async function responseOf(socket: TLSSocket, head: string): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(head);
  await Promise.race([closed(socket), until(() => text.includes('\r\n\r\n'))]);
  return text;
}

describe('a caller with a certificate that is believed', () => {
  it('has its answer, on a connection that is kept', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ...identity(scene.client) });
    for (let count = 0; count < 2; count++) {
      const outgoing = request({
        ...{ agent, port: port(), host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions' },
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      outgoing.end(chatBody());
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      expect(outgoing.reusedSocket).toBe(count > 0);
      await response.toArray();
    }
    agent.destroy();
  });

  it('still needs a virtual key', async () => {
    const socket = await shakeHands(identity(scene.client));
    expect(await responseOf(socket, 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 401/);
    socket.destroy();
  });

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['half a head', 'GET / HTTP/1.1\r\nx: y', 408],
  ])('is told in the envelope of %s', async (_, bytes, status) => {
    const socket = await shakeHands(identity(scene.client));
    const text = await responseOf(socket, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('x-svc-error-source: gateway');
  });

  it.each([
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
    ['TLSv1.1', undefined],
  ])('may speak %s: %s', async (version, spoken) => {
    const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const socket = await shakeHands({ ...identity(scene.client), ...versions });
    expect(socket.authorized ? socket.getProtocol() : undefined).toBe(spoken);
    socket.destroy();
  });
});

describe('a caller is refused before it is a request', () => {
  const requests = () => metric(egress.proxy, 'gateway_requests_total');

  it('without a certificate, and with another authority’s', async () => {
    const before = await requests();
    const wrong = await scene.servers.issue({ commonName: 'app' });
    for (const options of [{ ca: readFileSync(scene.servers.caFile) }, identity(wrong)]) {
      const socket = await shakeHands(options);
      expect(await responseOf(socket, 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('');
      await until(() => socket.closed);
    }
    expect(await requests()).toBe(before);
  });

  it('with plain HTTP: the connection ends at once, and the log says why', async () => {
    const connection = await openConnection(port());
    connection.send('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    await connection.closed;
    expect(connection.received()).toBe('');
    await until(() =>
      logged(gateway.logs, 'a connection was refused: it did not come to TLS').some(
        ({ reason }) => reason === 'ERR_SSL_HTTP_REQUEST',
      ),
    );
  });

  it('that says nothing at all: as one that sends no head', async () => {
    const socket = connectPlain(port(), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'close');
  });

  it('with TLS on the plain port: it is told in plain HTTP, which TLS libraries name', async () => {
    const socket = connect({ port: egress.proxy.port, host: '127.0.0.1', rejectUnauthorized: false });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/WRONG_VERSION_NUMBER|PACKET_LENGTH/);
  });
});

describe('without authorities for callers', () => {
  it('nobody needs a certificate', async () => {
    const open = await scene.startEgress(gateway, { GATEWAY_TLS_CLIENT_CA_FILE: '' });
    const sidecar = await scene.startSidecar(open.url, {
      ...{ GATEWAY_FORWARD_CERT_FILE: '', GATEWAY_FORWARD_KEY_FILE: '', GATEWAY_ATTACH_KEY: key },
    });
    expect((await fetch(`${sidecar.url}/v1/models`)).status).toBe(200);
  });
});

describe('a certificate that is renewed', () => {
  it('is shown to new connections; those that are open go on', async () => {
    const open = await shakeHands(identity(scene.client));
    const ask = () => responseOf(open, `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
    expect(await ask()).toMatch(/^HTTP\/1.1 200/);
    const subject = (socket: TLSSocket) => String(socket.getPeerCertificate().subject?.CN);
    expect(subject(open)).toBe('egress-gateway');
    install(await scene.servers.issue({ commonName: 'renewed' }), scene.server);
    await until(
      async () => {
        const socket = await shakeHands(identity(scene.client));
        const shown = subject(socket);
        socket.destroy();
        return shown === 'renewed';
      },
      { timeoutMs: 10_000 },
    );
    expect(await ask()).toMatch(/^HTTP\/1.1 200/);
    open.destroy();
  });
});

describe('the process', () => {
  it('tells both ports when it is ready, and drains both', async () => {
    const { child, line } = await startPlane(
      'proxy/main.ts',
      {
        ...{ GATEWAY_LISTEN: '127.0.0.1:0', GATEWAY_ADMIN_LISTEN: '127.0.0.1:0', GATEWAY_LOG_LEVEL: 'info' },
        ...egress.listener,
        GATEWAY_DRAIN_GRACE: '2s',
      },
      { timeoutMs: 20_000 },
    );
    expect(line.port).toBeGreaterThan(0);
    expect(line.tls_port).toBeGreaterThan(0);
    child.signal('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});
