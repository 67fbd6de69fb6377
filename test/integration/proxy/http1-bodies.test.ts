// Streams as bodies of requests, on real sockets.
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { closeOpened, Exchange, poolTo, responseOf, send, serve, serveAll } from '../../support/http1.ts';
import { until } from '../../support/process.ts';

afterEach(closeOpened);

describe('a stream as the body of a request', () => {
  it('is sent in chunks, and the head with its first bytes', async () => {
    const { port, received } = await serveAll(responseOf('ok'), '0\r\n\r\n');
    const body = new Readable({ read: () => undefined });
    const ended = send(poolTo(port), { body });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(received.join('')).toBe('');
    body.push('hello');
    body.push(' you');
    body.push(null);
    expect((await ended).body).toBe('ok');
    expect(received[0]).toMatch(/transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n4\r\n you\r\n0\r\n\r\n$/);
  });

  it('is sent with the length in the headers', async () => {
    const { port, received } = await serveAll(responseOf('ok'), 'hello');
    const headers = ['Content-Length', '5'];
    expect((await send(poolTo(port), { body: Readable.from(['he', 'llo']), headers })).body).toBe('ok');
    expect(received[0]).toMatch(/\r\ncontent-length: 5\r\n\r\nhello$/);
  });

  it.each(['he', 'hello!'])('of another length than announced (%s) fails and closes the connection', async (text) => {
    const { port, sockets } = await serve(() => undefined);
    const { error } = await send(poolTo(port), { body: Readable.from([text]), headers: ['content-length', '5'] });
    expect(error?.message).toContain('announced length');
    await until(() => sockets.every(({ destroyed }) => destroyed));
  });

  it('that fails before there is a connection, fails the exchange', async () => {
    const { port } = await serve(() => undefined);
    const body = new Readable({ read: () => undefined });
    const ended = send(poolTo(port), { body });
    body.destroy(new Error('the caller left'));
    expect((await ended).error?.message).toBe('the caller left');
  });

  it('that ended before it was sent, fails the exchange', async () => {
    const { port } = await serveAll(responseOf('ok'));
    const pool = poolTo(port);
    await send(pool);
    const body = Readable.from(['a']).destroy();
    await new Promise((resolve) => setImmediate(resolve));
    const { error, wasKept } = await send(pool, { body });
    expect([error?.message, wasKept]).toEqual(['the body of the request ended early', true]);
  });

  it('that fails, fails the exchange', async () => {
    const { port, received } = await serve(() => undefined);
    const body = new Readable({ read: () => undefined });
    const ended = send(poolTo(port), { body });
    body.push('a');
    await until(() => received.join('') !== '');
    body.destroy(new Error('the caller left'));
    expect((await ended).error?.message).toBe('the caller left');
  });

  it('is not sent on after a response that came before its end, and the connection is not used again', async () => {
    const { port, sockets } = await serve((socket, received) => {
      if (received.includes('hello')) socket.write(responseOf('no'));
    });
    const pool = poolTo(port);
    const body = new Readable({ read: () => undefined });
    body.push('hello');
    expect((await send(pool, { body })).body).toBe('no');
    expect(body.destroyed).toBe(true);
    await until(() => sockets[0]?.destroyed === true);
  });

  it('is destroyed if no connection can be opened', async () => {
    const body = Readable.from(['a']);
    const { error } = await send(poolTo(1), { body });
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(body.destroyed).toBe(true);
  });

  it('waits for a server that reads slowly', async () => {
    const { port, sockets } = await serve((socket) => socket.pause());
    let produced = 0;
    const body = new Readable({
      read() {
        produced += 65_536;
        this.push(Buffer.alloc(65_536));
      },
    });
    const exchange = new Exchange();
    void send(poolTo(port), { body }, exchange);
    await until(() => sockets.length === 1);
    let before = -1;
    await until(() => {
      const stalled = produced === before;
      before = produced;
      return stalled && produced > 0;
    });
    expect(produced).toBeLessThan(64 * 1024 * 1024);
    exchange.control?.abort(new Error('enough'));
    expect(body.destroyed).toBe(true);
  });
});
