// Guarded requests: allowed destinations, and limits of a response. No test connects beyond loopback; look-ups are the
// test's own.
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressRule } from '../../../common/addresses.ts';
import type { Resolve } from '../../../common/filtered-lookup.ts';
import { createGuardedPost } from '../../../common/guarded-request.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';
import { postOnLoopback, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let authority: TestAuthority;
let receiver: Receiver;
const never = new AbortController().signal;
const message = { headers: { 'webhook-id': 'm1', 'content-type': 'application/json' }, body: '{"é":1}' };

beforeAll(async () => {
  authority = await createAuthority();
});
afterAll(() => authority.remove());
beforeEach(async () => {
  receiver = await startReceiver(authority);
});
afterEach(() => receiver.close());

/** Resolves to these lists of addresses, one for each look-up, and to the last one from then on. */
function resolvingTo(...turns: readonly (readonly string[])[]): Resolve & { hosts: string[] } {
  const hosts: string[] = [];
  const resolve: Resolve = (host, _options, callback) => {
    const addresses = turns[Math.min(hosts.length, turns.length - 1)] ?? [];
    hosts.push(host);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { hosts });
}

describe('a guarded request', () => {
  it('posts the body and headers, and returns status and retry-after', async () => {
    receiver.respond = (response) => response.writeHead(503, { 'retry-after': '7' }).end('busy');
    const response = await postOnLoopback(authority)({ url: receiver.url(), ...message }, never);
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
    expect(response.body).toHaveLength(0);
    expect(receiver.received).toMatchObject([
      {
        path: '/hook?token=in-the-url',
        body: '{"é":1}',
        headers: { 'webhook-id': 'm1', connection: 'close' },
      },
    ]);
  });

  it.each([301, 302, 307, 308])('follows no redirect: %i', async (status) => {
    receiver.respond = (response) => response.writeHead(status, { location: receiver.url() }).end();
    const response = await postOnLoopback(authority)({ url: receiver.url(), ...message }, never);
    expect(response.status).toBe(status);
    expect(receiver.received).toHaveLength(1);
  });

  it('reads only the start of a response that does not end', async () => {
    let sent = 0;
    let cut = false;
    receiver.respond = (response) => {
      response.writeHead(200);
      const block = Buffer.alloc(16_384);
      const more = () => {
        while (!response.destroyed && response.write(block)) sent += block.length;
      };
      response.on('drain', more).on('close', () => {
        cut = true;
      });
      more();
    };
    const post = postOnLoopback(authority);
    expect((await post({ url: receiver.url(), ...message }, never)).status).toBe(200);
    await expect.poll(() => cut).toBe(true);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('returns the head of the response when the body does not end in time', async () => {
    receiver.respond = (response) => response.writeHead(200).write('and');
    const post = postOnLoopback(authority);
    const response = await post({ url: receiver.url(), ...message }, AbortSignal.timeout(300));
    expect(response.status).toBe(200);
  });

  it('fails when no response comes in time', async () => {
    receiver.respond = () => undefined;
    const posting = postOnLoopback(authority)({ url: receiver.url(), ...message }, AbortSignal.timeout(100));
    await expect(posting).rejects.toThrow();
  });

  it('fails when the connection ends without a response', async () => {
    receiver.respond = (response) => response.destroy();
    await expect(postOnLoopback(authority)({ url: receiver.url(), ...message }, never)).rejects.toThrow();
  });

  it('fails when the head of the response is too long', async () => {
    receiver.respond = (response) => response.writeHead(200, { long: 'a'.repeat(20_000) }).end();
    await expect(postOnLoopback(authority)({ url: receiver.url(), ...message }, never)).rejects.toThrow();
  });

  it('fails at once when it is aborted', async () => {
    receiver.respond = () => undefined;
    const stop = new AbortController();
    const posting = postOnLoopback(authority)({ url: receiver.url(), ...message }, stop.signal);
    await expect.poll(() => receiver.received.length).toBe(1);
    stop.abort();
    await expect(posting).rejects.toThrow();
  });
});

describe('the certificate of the receiver', () => {
  it('must be of a known authority', async () => {
    const posting = createGuardedPost({ allows: () => true })({ url: receiver.url('127.0.0.1'), ...message }, never);
    await expect(posting).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(receiver.received).toEqual([]);
  });

  it('must be for the host of the URL', async () => {
    const post = postOnLoopback(authority, { resolve: resolvingTo(['127.0.0.1']) });
    const posting = post({ url: receiver.url('hooks.example.com'), ...message }, never);
    await expect(posting).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(receiver.received).toEqual([]);
  });
});

describe('addresses of guarded requests', () => {
  const allows = addressRule({ deny: ['203.0.114.0/24'] });
  let server: Server;
  let port = 0;
  let connections = 0;

  beforeEach(async () => {
    connections = 0;
    server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(() => void server.close());

  it.each([
    '127.0.0.1',
    '2130706433',
    '0177.0.0.1',
    '0x7f000001',
    '127.1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '203.0.114.7',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:169.254.169.254]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[fc00::1]',
    '１２７.0.0.1',
  ])('in the URL are checked: %s', async (host) => {
    const post = createGuardedPost({ allows });
    const posting = post({ url: `https://${host}:${port}/`, ...message }, never);
    await expect(posting).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
    expect(connections).toBe(0);
  });

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['fd00:ec2::254'],
    ['168.63.129.16'],
    ['203.0.114.7'],
  ])('that a name resolves to are checked: %s', async (address) => {
    const resolve = resolvingTo([address]);
    const post = createGuardedPost({ allows, resolve });
    const posting = post({ url: `https://hooks.example.com:${port}/`, ...message }, never);
    await expect(posting).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
    expect(resolve.hosts).toEqual(['hooks.example.com']);
    expect(connections).toBe(0);
  });

  it('are looked up once for each connection, which uses the checked address', async () => {
    const verdicts: string[] = [];
    // 127.0.0.1 plays the public address that the name resolves to first, before a private one.
    const resolve = resolvingTo(['127.0.0.1'], ['10.0.0.1']);
    const allows = (address: string) => {
      verdicts.push(address);
      return address === '127.0.0.1';
    };
    const post = createGuardedPost({ allows, resolve });
    const request = { url: `https://hooks.example.com:${port}/`, ...message };
    await expect(post(request, never)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect([connections, resolve.hosts.length, verdicts]).toEqual([1, 1, ['127.0.0.1']]);
    await expect(post(request, never)).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
    expect([connections, verdicts]).toEqual([1, ['127.0.0.1', '10.0.0.1']]);
  });

  it('are used only when they are public, if a name has public and private ones', async () => {
    const resolve = resolvingTo(['10.0.0.1', '127.0.0.1']);
    const post = createGuardedPost({ allows: (address) => address === '127.0.0.1', resolve });
    await expect(post({ url: `https://hooks.example.com:${port}/`, ...message }, never)).rejects.toThrow();
    expect(connections).toBe(1);
  });

  it('are never looked up for plain http', async () => {
    const resolve = resolvingTo(['127.0.0.1']);
    const post = createGuardedPost({ allows: () => true, resolve });
    const posting = post({ url: `http://hooks.example.com:${port}/`, ...message }, never);
    await expect(posting).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
    expect([connections, resolve.hosts]).toEqual([0, []]);
  });
});
