// The TLS listener of an egress gateway: the same gateway and the same limits, only for callers with a trusted
// certificate.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForwardScene, type Egress, type ForwardScene } from '../../support/forward.ts';
import { chatBody, startGateway, startPlane, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { logged, metric } from '../../support/telemetry.ts';
import { type CertificateFiles, install } from '../../support/tls.ts';

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

/** Connects with TLS; resolves when the handshake is done or the connection has ended. */
async function shakeHands(options: object): Promise<TLSSocket> {
  const socket = connect({ port: port(), host: '127.0.0.1', ...options });
  socket.on('error', () => undefined);
  await Promise.race([new Promise((resolve) => socket.once('secureConnect', resolve)), closed(socket)]);
  return socket;
}

/** Not once(…), which would fail with the connection's error. */
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

describe('a caller with a trusted certificate', () => {
  it('gets responses on a kept connection', async () => {
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
  ])('gets an error envelope for %s', async (_, bytes, status) => {
    const socket = await shakeHands(identity(scene.client));
    const text = await responseOf(socket, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('x-svc-error-source: gateway');
  });

  it.each([
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
    ['TLSv1.1', undefined],
  ])('may use %s: %s', async (version, spoken) => {
    const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const socket = await shakeHands({ ...identity(scene.client), ...versions });
    expect(socket.authorized ? socket.getProtocol() : undefined).toBe(spoken);
    socket.destroy();
  });
});

describe('a caller is refused before its first request', () => {
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

  it('when it uses plain HTTP: the connection ends at once, and the log has the reason', async () => {
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

  it('when it sends nothing, like one that sends no head', async () => {
    const socket = connectPlain(port(), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'close');
  });

  it('when it uses TLS at the plain port, with plain HTTP, which TLS libraries recognize', async () => {
    const socket = connect({ port: egress.proxy.port, host: '127.0.0.1', rejectUnauthorized: false });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/WRONG_VERSION_NUMBER|PACKET_LENGTH/);
  });
});

describe('a listener without authorities for callers', () => {
  it('requires no certificate', async () => {
    const open = await scene.startEgress(gateway, { GATEWAY_TLS_CLIENT_CA_FILE: '' });
    const sidecar = await scene.startSidecar(open.url, {
      ...{ GATEWAY_FORWARD_CERT_FILE: '', GATEWAY_FORWARD_KEY_FILE: '', GATEWAY_ATTACH_KEY: key },
    });
    expect((await fetch(`${sidecar.url}/v1/models`)).status).toBe(200);
  });
});

describe('a renewed certificate of the listener', () => {
  it('is presented to new connections, while open ones continue', async () => {
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

describe('the proxy as a process', () => {
  it('reports both ports when it is ready, and drains both', async () => {
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
