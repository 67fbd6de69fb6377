// Guarded requests whose response is read, over connections that are kept.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Resolve } from '../../../common/filtered-lookup.ts';
import type { GuardOptions, KeptConnections } from '../../../common/guarded-request.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';
import { postOnLoopback, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let authority: TestAuthority;
let receiver: Receiver;
const never = new AbortController().signal;
const keep: KeptConnections = { countMax: 2, idleMs: 5000, ageMsMax: 60_000 };

beforeAll(async () => {
  authority = await createAuthority();
});
afterAll(() => authority.remove());
beforeEach(async () => {
  receiver = await startReceiver(authority);
  receiver.respond = (response) => response.writeHead(200).end('{"é":1}');
});
afterEach(() => receiver.close());

function poster(options: Partial<GuardOptions> = {}) {
  const post = postOnLoopback(authority, { bodyBytesMax: 100, keep, ...options });
  return (signal = never) => post({ url: receiver.url(), headers: {}, body: '{}' }, signal);
}

/** The port of each request's connection, as the receiver saw it. */
const ports = () => receiver.received.map(({ port }) => port);
const connections = () => new Set(ports()).size;

describe('the body of a response', () => {
  it('is returned', async () => {
    const { status, body } = await poster()();
    expect([status, body.toString()]).toEqual([200, '{"é":1}']);
  });

  it('is read up to its maximum, and a longer one is an error', async () => {
    const post = poster();
    receiver.respond = (response) => response.writeHead(200).end('a'.repeat(100));
    expect((await post()).body).toHaveLength(100);
    receiver.respond = (response) => response.writeHead(200).end('a'.repeat(101));
    await expect(post()).rejects.toMatchObject({ name: 'ResponseTooLongError' });
  });

  it('is not read when the status is not 200', async () => {
    receiver.respond = (response) => response.writeHead(503).write('and so on, without an end');
    const { status, body } = await poster()();
    expect([status, body.length]).toEqual([503, 0]);
  });

  it('that is cut off is an error', async () => {
    receiver.respond = (response) => {
      response.writeHead(200, { 'content-length': 50 }).write('{}');
      response.on('close', () => undefined).destroy();
    };
    await expect(poster()()).rejects.toThrow();
  });

  it('that does not end in time is an error', async () => {
    receiver.respond = (response) => response.writeHead(200).write('{}');
    await expect(poster()(AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a connection', () => {
  it('serves one request after another', async () => {
    const post = poster();
    for (let times = 0; times < 5; times++) await post();
    expect(connections()).toBe(1);
  });

  it('is opened for each request when none are kept', async () => {
    const post = postOnLoopback(authority, { bodyBytesMax: 100 });
    for (let times = 0; times < 3; times++) await post({ url: receiver.url(), headers: {}, body: '{}' }, never);
    expect(connections()).toBe(3);
  });

  it('is opened for each concurrent request, and at most the configured number are kept', async () => {
    const post = poster();
    const responses: (() => void)[] = [];
    receiver.respond = (response) => responses.push(() => response.writeHead(200).end('{}'));
    const posting = [post(), post(), post()];
    await expect.poll(() => responses.length).toBe(3);
    for (const respond of responses) respond();
    await Promise.all(posting);
    await expect.poll(() => receiver.open()).toBe(keep.countMax);
  });

  it('is closed when it is idle for too long', async () => {
    await poster({ keep: { ...keep, idleMs: 50 } })();
    await expect.poll(() => receiver.open()).toBe(0);
  });

  it('waits longer than the idle time for a response', async () => {
    receiver.respond = (response) => void setTimeout(() => response.writeHead(200).end('{}'), 200);
    const post = poster({ keep: { ...keep, idleMs: 50 } });
    expect((await post()).body.toString()).toBe('{}');
    expect((await post()).body.toString()).toBe('{}');
  });

  it('is closed when it is too old, even in use', async () => {
    const post = poster({ keep: { ...keep, ageMsMax: 0 } });
    await post();
    await post();
    expect(connections()).toBe(2);
  });

  it('that is new always verifies the certificate, without a resumed session', async () => {
    const post = poster({ keep: { ...keep, ageMsMax: 0 } });
    for (let times = 0; times < 3; times++) await post();
    expect(receiver.received.map(({ resumed }) => resumed)).toEqual([false, false, false]);
  });

  it('that the receiver closed is replaced by a new one, unnoticed by the caller', async () => {
    const post = poster();
    await post();
    receiver.respond = (response, { port }) =>
      port === ports()[0] ? response.destroy() : response.writeHead(200).end('{"again":true}');
    expect((await post()).body.toString()).toBe('{"again":true}');
    expect(receiver.received).toHaveLength(3);
  });

  it('that is closed again and again is an error', async () => {
    const post = poster();
    await post();
    receiver.respond = (response) => response.destroy();
    await expect(post()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(receiver.received).toHaveLength(3);
  });

  it('that hangs is not retried', async () => {
    const post = poster();
    await post();
    receiver.respond = () => undefined;
    await expect(post(AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'AbortError' });
    expect(receiver.received).toHaveLength(2);
  });

  it('is checked when it is opened: a name that resolves elsewhere later is noticed at the next connection', async () => {
    const requested: string[] = [];
    const turns = ['127.0.0.1', '10.0.0.1'];
    const resolve: Resolve = (host, _options, callback) => {
      callback(null, [{ address: turns[requested.length] ?? '', family: 4 }]);
      requested.push(host);
    };
    const post = poster({ resolve, allows: (address) => address === '127.0.0.1' });
    await post();
    await post();
    expect(requested).toHaveLength(1);
    receiver.dropConnections();
    await expect.poll(() => receiver.open()).toBe(0);
    await expect(post()).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
    expect(receiver.received).toHaveLength(2);
  });

  it('is never shared with another host: an address in the URL is checked for each request', async () => {
    const post = postOnLoopback(authority, { keep, bodyBytesMax: 100, allows: () => false });
    const posting = post({ url: receiver.url('127.0.0.1'), headers: {}, body: '{}' }, never);
    await expect(posting).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
  });
});
