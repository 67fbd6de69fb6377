// Listeners behind proxies, over real sockets: whose address a request has, and what becomes of a connection that does not begin as it
// should.
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
  // Answers whose request it is, and its body.
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

/** A connection, whose first bytes come as they are; with TLS what follows is within it. */
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
    await until(() => received.split('HTTP/1.1 ').length > count || socket.closed, { what: 'answers' });
    const reported = [...received.matchAll(/HTTP\/1\.1 (\d+).*?\r\n\r\n(.*?)(?=HTTP\/1\.1 |$)/gs)];
    return reported.map(([, status, body]) => `${status} ${body}`);
  };
  return { raw, socket, responds, received: () => received };
}

const get = (headers: readonly string[] = []) =>
  ['GET / HTTP/1.1', 'host: x', ...headers, '', ''].join('\r\n');
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
  it.each(headers)('reads one %s', async (_what, header, address) => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [header]);
    socket.write(post('one'));
    expect(await responds(1)).toEqual([expect.stringContaining(`200 ${address} one`)]);
    // The connection is kept, and stays its caller's.
    socket.write(get());
    expect((await responds(2))[1]).toContain(`200 ${address} `);
    expect(listener.refused).toEqual([]);
  });

  it('reads one that comes byte by byte', async () => {
    const listener = await listening({}, isSecure);
    const bytes = [...proxyV2({ source: caller })].map((byte) => Buffer.of(byte));
    const { socket, responds } = await open(listener, bytes);
    socket.write(get());
    expect((await responds(1))[0]).toContain(`200 ${caller}`);
  });

  it('serves who is not trusted without one, by its own address', async () => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [], '127.0.0.2');
    socket.write(get([`x-forwarded-for: ${caller}`]));
    expect((await responds(1))[0]).toContain('200 127.0.0.2');
  });

  it('knows each connection’s caller, and none when it is closed', async () => {
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

  it('goes on to X-Forwarded-For where a trusted proxy stands behind the one that passes on bytes', async () => {
    const listener = await listening({}, isSecure);
    const { socket, responds } = await open(listener, [proxyLine('10.1.2.3')]);
    socket.write(get([`x-forwarded-for: 6.6.6.6, ${caller}`]));
    expect((await responds(1))[0]).toContain(`200 ${caller}`);
  });

  it('believes no X-Forwarded-For of the caller that the header names', async () => {
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

  it('closes one on which no header comes, and takes the next', async () => {
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
  it('loses nothing that comes together with one: requests, and a large body in pieces', async () => {
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

  it('takes a second header for what it is: no request', async () => {
    const listener = await listening();
    const { responds } = await open(listener, [proxyLine(caller), proxyLine('6.6.6.6')]);
    expect((await responds(1))[0]).toMatch(/^400 /);
  });

  it('closes when its connections are done, a header that never came among them', async () => {
    const { server, ...listener } = await listening({ headerTimeoutMs: 100 });
    await open({ ...listener, server }, [Buffer.from('PROXY')]);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(listener.refused).toEqual(['proxy_header_late 127.0.0.1']);
  });

  it('keeps the time limit on a request’s head', async () => {
    const { server, ...listener } = await listening();
    server.headersTimeout = 100;
    const { responds } = await open({ ...listener, server }, [
      proxyLine(caller),
      Buffer.from('GET / HTTP/1.1\r\n'),
    ]);
    expect((await responds(1))[0]).toMatch(/^408 /);
  });
});

describe('a listener that expects no PROXY headers', () => {
  it('takes one for what it is there: no request', async () => {
    const listener = await listening({ proxyProtocol: false });
    const { responds } = await open(listener, [proxyLine(caller)]);
    expect((await responds(1))[0]).toMatch(/^400 /);
  });

  it.each([
    ['a trusted proxy reports it', '127.0.0.1', `x-forwarded-for: ${caller}`, caller],
    [
      'it comes last of two headers',
      '127.0.0.1',
      `x-forwarded-for: 6.6.6.6\r\nX-Forwarded-For: ${caller}`,
      caller,
    ],
    [
      'it comes last of very many',
      '127.0.0.1',
      `x-forwarded-for: ${'6.6.6.6,'.repeat(1_500)}${caller}`,
      caller,
    ],
    ['the report is no address', '127.0.0.1', 'x-forwarded-for: unknown', '127.0.0.1'],
    ['another header reports', '127.0.0.1', 'forwarded: for=6.6.6.6', '127.0.0.1'],
    ['who reports is not trusted', '127.0.0.2', `x-forwarded-for: ${caller}`, '127.0.0.2'],
  ])('has the caller where %s', async (_what, from, header, address) => {
    const listener = await listening({ proxyProtocol: false });
    const { socket, responds } = await open(listener, [], from);
    socket.write(get([header]));
    expect((await responds(1))[0]).toContain(`200 ${address} `);
  });
});
