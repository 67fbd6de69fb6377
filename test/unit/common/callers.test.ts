// Listeners behind proxies, over real sockets: which address a request has, and what happens to a connection that does
// not begin as expected.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { trustedProxies } from '../../../common/caller-address.ts';
import { Callers, type CallersOptions } from '../../../common/callers.ts';
import { until } from '../../support/process.ts';
import { proxyLine, proxyV2 } from '../../support/proxy-headers.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';

let authority: TestAuthority;
let tls: { readonly cert: Buffer; readonly key: Buffer };
const closers: (() => void)[] = [];

beforeAll(async () => {
  authority = await createAuthority();
  const { certFile, keyFile } = await authority.issue({ commonName: 'gateway' });
  tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
afterAll(() => authority.remove());

interface Listening {
  readonly port: number;
  readonly isSecure: boolean;
  readonly refused: string[];
  readonly server: Server;
}

const trusted = '127.0.0.1/32';

async function listening(options: Partial<CallersOptions> = {}, isSecure = false): Promise<Listening> {
  const refused: string[] = [];
  const callers = new Callers({
    ...{ isTrusted: trustedProxies([trusted, '10.0.0.0/8']), proxyProtocol: true, headerTimeoutMs: 60_000 },
    onRefused: (reason, address) => void refused.push(`${reason} ${address}`),
    ...options,
  });
  // Responds with the address of the request's caller, and the request's body.
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const header = request.headers['x-forwarded-for'];
    const address = callers.addressOf(request.socket, () => (Array.isArray(header) ? header.join() : header));
    const body = (await request.toArray()).join('');
    response.end(`${address} ${body}`);
  };
  const limits = { connectionsCheckingInterval: 50 };
  const server = isSecure ? createSecureServer({ ...limits, ...tls }, serve) : createServer(limits, serve);
  callers.expectHeaders(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, isSecure, refused, server };
}

/** Opens a connection whose first bytes are sent unchanged; with TLS, all later bytes are encrypted. */
async function open({ port, isSecure }: Listening, first: readonly Buffer[] = [], from = '127.0.0.1') {
  const raw = connect({ port, host: '127.0.0.1', localAddress: from });
  closers.push(() => raw.destroy());
  raw.on('error', () => {}).setNoDelay();
  await Promise.race([once(raw, 'connect'), once(raw, 'close')]);
  for (const piece of first) {
    raw.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const socket: Socket = isSecure
    ? connectTls({
        socket: raw,
        ca: readFileSync(authority.caFile),
        servername: 'gateway',
        checkServerIdentity: () => undefined,
      })
    : raw;
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const responds = async (count: number) => {
    await until(() => received.split('HTTP/1.1 ').length > count || socket.closed, { what: 'responses' });
    const reported = [...received.matchAll(/HTTP\/1\.1 (\d+).*?\r\n\r\n(.*?)(?=HTTP\/1\.1 |$)/gs)];
    return reported.map(([, status, body]) => `${status} ${body}`);
  };
  return { raw, socket, responds, received: () => received };
}

const get = (headers: readonly string[] = []) => ['GET / HTTP/1.1', 'host: x', ...headers, '', ''].join('\r\n');
const post = (body: string) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const caller = '198.51.100.1';
const headers = [
  ['version 1', proxyLine(caller), caller],
  ['version 2', proxyV2({ source: caller }), caller],
  ['version 2 with more behind it', proxyV2({ source: caller, extra: 500 }), caller],
  ['version 2 of IPv6', proxyV2({ source: '2001:db8:0:0:0:0:0:9' }), '2001:db8::9'],
  ['of the proxy’s own', proxyV2({ source: caller, command: 0x20 }), '127.0.0.1'],
] as const;

describe.each([
  ['in plain text', false],
  ['with TLS', true],
])('a listener %s that expects PROXY headers', (_, isSecure) => {
  it.each(headers)('reads a header %s', async (_what, header, address) => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [header]);
    socket.write(post('one'));
    expect(await responds(1)).toEqual([expect.stringContaining(`200 ${address} one`)]);
    // The connection stays open, and its caller stays the same.
    socket.write(get());
    expect((await responds(2))[1]).toContain(`200 ${address} `);
    expect(listener.refused).toEqual([]);
  });

  it('reads a header that arrives byte by byte', async () => {
    const listener = await listening({}, isSecure);
    const bytes = [...proxyV2({ source: caller })].map((byte) => Buffer.of(byte));
    const { socket, responds } = await open(listener, bytes);
    socket.write(get());
    expect((await responds(1))[0]).toContain(`200 ${caller}`);
  });

  it('serves an untrusted peer without a header, by the peer’s own address', async () => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [], '127.0.0.2');
    socket.write(get([`x-forwarded-for: ${caller}`]));
    expect((await responds(1))[0]).toContain('200 127.0.0.2');
  });

  it('reports the caller of each open connection, and none once it is closed', async () => {
    const listener = await listening({}, isSecure);
    const addresses = Array.from({ length: 20 }, (_, host) => `198.51.100.${host + 1}`);
    for (let round = 0; round < 2; round++) {
      const reported = addresses.map(async (address) => {
        const { socket, responds, raw } = await open(listener, [proxyLine(address)]);
        socket.write(get());
        const [response] = await responds(1);
        raw.destroy();
        return response;
      });
      for (const [index, response] of (await Promise.all(reported)).entries())
        expect(response).toContain(`200 ${addresses[index]} `);
    }
  });

  it('continues to X-Forwarded-For when the header names a trusted proxy', async () => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [proxyLine('10.1.2.3')]);
    socket.write(get([`x-forwarded-for: 6.6.6.6, ${caller}`]));
    expect((await responds(1))[0]).toContain(`200 ${caller}`);
  });

  it('ignores the X-Forwarded-For of a caller that the header names', async () => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [proxyLine(caller)]);
    socket.write(get(['x-forwarded-for: 6.6.6.6']));
    expect((await responds(1))[0]).toContain(`200 ${caller}`);
  });

  it.each([
    ['a request', get()],
    ['garbage', '\0\0\0'],
    ['a header that is wrong', 'PROXY TCP4 1.2.3.4\r\n'],
    ['a header without end', `PROXY TCP4 ${'1'.repeat(200)}`],
    ['two bytes that begin both', 'PX'],
    ['a length that is too large', proxyV2({ source: caller, length: 60_000 })],
  ])('closes a trusted proxy’s connection that begins with %s', async (_what, first) => {
    const listener = await listening({}, isSecure);
    const { raw } = await open({ ...listener, isSecure: false }, [Buffer.from(first)]);
    await until(() => raw.closed);
    expect(listener.refused).toEqual(['no_proxy_header 127.0.0.1']);
  });

  it('closes a connection that sends no complete header in time, and serves the next one', async () => {
    const listener = await listening({ headerTimeoutMs: 50 }, isSecure);
    const { raw } = await open({ ...listener, isSecure: false }, [Buffer.from('PROXY TCP4')]);
    await until(() => raw.closed);
    expect(listener.refused).toEqual(['proxy_header_late 127.0.0.1']);
    const next = await open(listener, [proxyLine(caller)]);
    next.socket.write(get());
    expect((await next.responds(1))[0]).toContain(caller);
  });

  it('survives connections that are reset before, within and after the header', async () => {
    const listener = await listening({}, isSecure);
    for (const first of ['', 'PROXY', proxyLine(caller).toString(), `${proxyLine(caller)}GET`]) {
      const { raw } = await open(
        { ...listener, isSecure: false },
        [Buffer.from(first)].filter((one) => one.length > 0),
      );
      raw.resetAndDestroy();
    }
    const { socket, responds } = await open(listener, [proxyLine(caller)]);
    socket.write(get());
    expect((await responds(1))[0]).toContain(caller);
  });
});

describe('a listener in plain text that expects PROXY headers', () => {
  it('loses no bytes that arrive together with the header: requests, and a large body in pieces', async () => {
    const listener = await listening();
    const body = 'x'.repeat(300_000);
    const { socket, responds } = await open(listener, [
      Buffer.concat([proxyLine(caller), Buffer.from(`${get()}${post(body).slice(0, 100_000)}`)]),
    ]);
    socket.write(post(body).slice(100_000));
    const reported = await responds(2);
    await until(async () => (await responds(2))[1]?.endsWith(body) === true);
    expect(reported[0]).toContain(`200 ${caller} `);
  });

  it('responds with 400 to a second header', async () => {
    const listener = await listening();
    const { responds } = await open(listener, [proxyLine(caller), proxyLine('6.6.6.6')]);
    expect((await responds(1))[0]).toMatch(/^400 /);
  });

  it('closes after its connections, also one that never sent a complete header', async () => {
    const { server, ...listener } = await listening({ headerTimeoutMs: 100 });
    await open({ ...listener, server }, [Buffer.from('PROXY')]);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(listener.refused).toEqual(['proxy_header_late 127.0.0.1']);
  });

  it('keeps the time limit for the head of a request', async () => {
    const { server, ...listener } = await listening();
    server.headersTimeout = 100;
    const { responds } = await open({ ...listener, server }, [proxyLine(caller), Buffer.from('GET / HTTP/1.1\r\n')]);
    expect((await responds(1))[0]).toMatch(/^408 /);
  });
});

describe('a listener that expects no PROXY headers', () => {
  it('responds with 400 to a PROXY header', async () => {
    const listener = await listening({ proxyProtocol: false });
    const { responds } = await open(listener, [proxyLine(caller)]);
    expect((await responds(1))[0]).toMatch(/^400 /);
  });

  it.each([
    ['a trusted proxy reports it', '127.0.0.1', `x-forwarded-for: ${caller}`, caller],
    ['it comes last of two headers', '127.0.0.1', `x-forwarded-for: 6.6.6.6\r\nX-Forwarded-For: ${caller}`, caller],
    ['it comes last of very many', '127.0.0.1', `x-forwarded-for: ${'6.6.6.6,'.repeat(1_500)}${caller}`, caller],
    ['the report is no address', '127.0.0.1', 'x-forwarded-for: unknown', '127.0.0.1'],
    ['another header reports', '127.0.0.1', 'forwarded: for=6.6.6.6', '127.0.0.1'],
    ['who reports is not trusted', '127.0.0.2', `x-forwarded-for: ${caller}`, '127.0.0.2'],
  ])('reports the caller’s address where %s', async (_what, from, header, address) => {
    const listener = await listening({ proxyProtocol: false });
    const { socket, responds } = await open(listener, [], from);
    socket.write(get([header]));
    expect((await responds(1))[0]).toContain(`200 ${address} `);
  });
});
