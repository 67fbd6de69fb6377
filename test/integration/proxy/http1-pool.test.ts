// The connections of the engine to a server, on real sockets. What it sends is read as raw bytes.
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectTimeoutError, ProtocolError } from '../../../proxy/http1/errors.ts';
import { closeOpened, Exchange, poolTo, responseOf, send, serve, serveAll } from '../../support/http1.ts';
import { until } from '../../support/process.ts';

afterEach(closeOpened);

describe('a request', () => {
  it('is sent as one head and one body', async () => {
    const { port, received } = await serveAll(responseOf('ok'));
    const { head, body, wasKept } = await send(poolTo(port));
    expect([head?.status, body, wasKept]).toEqual([200, 'ok', false]);
    expect(received).toEqual([
      `POST /v1?a=b HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: keep-alive\r\nX-Name: value\r\ncontent-length: 2\r\n\r\n{}`,
    ]);
  });

  it('has the length of its bytes, not of its characters', async () => {
    const { port, received } = await serveAll(responseOf('ok'), '"}');
    await send(poolTo(port), { body: '{"a":"é€"}', headers: ['x', 'caf\xe9'] });
    expect(received[0]).toContain('content-length: 13\r\n');
    expect(received[0]).toContain('x: caf\xe9\r\n');
    expect(Buffer.from(received[0] ?? '', 'latin1').toString()).toContain('{"a":"é€"}');
  });

  it.each([
    [['x', 'a\r\nb: c']],
    [['x', 'a\nb']],
    [['x', 'a\0']],
    [['x', '\u0100']],
    [['x\r\ny', 'a']],
    [['x y', 'a']],
    [['', 'a']],
    [['transfer-encoding', 'chunked']],
    [['Upgrade', 'h2c']],
    [['Expect', '100-continue']],
    [['content-length', '3']],
    [['content-length', '+2']],
  ])('with the header %j is not sent', async (headers) => {
    const { port, sockets } = await serveAll(responseOf('ok'));
    expect(() => send(poolTo(port), { headers })).toThrow(TypeError);
    expect(sockets).toEqual([]);
  });

  it.each([
    ...[{ method: 'PO ST' }, { method: 'post' }, { path: '/a b' }],
    ...[{ path: '/a\r\nx: y' }, { path: 'http://other/' }, { path: '/é' }],
  ])('with %j is not sent', (request) => {
    expect(() => send(poolTo(1), request)).toThrow(TypeError);
  });

  it('may have another Host, and none of its own headers for the connection', async () => {
    const { port, received } = await serveAll(responseOf('ok'));
    await send(poolTo(port), { headers: ['Host', 'other', 'Connection', 'close, x', 'keep-alive', '5'] });
    expect(received[0]).toContain('HTTP/1.1\r\nHost: other\r\nconnection: keep-alive\r\ncontent-length');
  });
});

describe('a connection', () => {
  it('is kept for the next request', async () => {
    const { port, sockets } = await serveAll(responseOf('ok'));
    const pool = poolTo(port);
    await send(pool);
    expect((await send(pool)).wasKept).toBe(true);
    expect(sockets).toHaveLength(1);
  });

  it.each([
    ['the response says so', responseOf('ok', 'connection: close'), {}],
    ['the server keeps it for two seconds', responseOf('ok', 'keep-alive: timeout=2'), {}],
    ['it is too old', responseOf('ok'), { connectionAgeMs: 0 }],
    ['bytes follow the response', `${responseOf('ok')}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad`, {}],
  ])('is not kept if %s', async (_why, response, options) => {
    const { port, sockets } = await serveAll(response);
    const pool = poolTo(port, options);
    expect((await send(pool)).body).toBe('ok');
    const second = await send(pool);
    expect([second.body, second.wasKept]).toEqual(['ok', false]);
    expect(sockets).toHaveLength(2);
  });

  it('that was idle for too long is closed', async () => {
    const { port, sockets } = await serveAll(responseOf('ok'));
    await send(poolTo(port, { keepAliveMs: 100 }));
    await until(() => sockets[0]?.destroyed === true);
  });

  it.each([
    ['bytes', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad')],
    ['its end', (socket: Socket) => socket.end()],
    ['a reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('on which %s arrived while it was idle is not used again', async (_what, act) => {
    const { port, sockets } = await serveAll(responseOf('ok'));
    const pool = poolTo(port);
    await send(pool);
    const [socket] = sockets;
    if (socket !== undefined) act(socket);
    await until(() => socket?.destroyed === true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = await send(pool);
    expect([second.body, second.wasKept]).toEqual(['ok', false]);
  });

  it('that the server closes during a response fails it', async () => {
    const { port } = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'));
    const { body, error } = await send(poolTo(port));
    expect([body, error?.message]).toEqual(['half', 'the connection ended before the response was complete']);
  });

  it('with an invalid response is closed', async () => {
    const { port, sockets } = await serve((socket) => void socket.write('HTTP/1.1 200 OK\r\nbad\r\n\r\n'));
    expect((await send(poolTo(port))).error).toBeInstanceOf(ProtocolError);
    await until(() => sockets[0]?.destroyed === true);
  });

  it('is closed by an abort, and by a handler that throws', async () => {
    const { port, sockets } = await serve((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nhello'));
    const abort = new Exchange(({ control }) => control?.abort(new Error('enough')));
    expect((await send(poolTo(port), {}, abort)).error?.message).toBe('enough');
    const throws = new Exchange(() => {
      throw new Error('a defect');
    });
    expect((await send(poolTo(port), {}, throws)).error?.message).toBe('a defect');
    await until(() => sockets.length === 2 && sockets.every(({ destroyed }) => destroyed));
  });

  it('is not read while its handler pauses, and nothing is lost', async () => {
    const total = 8 * 1024 * 1024;
    const { port, sockets } = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
      socket.write('a'.repeat(total));
    });
    const exchange = new Exchange(({ control }) => control?.pause());
    const ended = send(poolTo(port), {}, exchange);
    await until(() => exchange.body.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(exchange.body.length).toBeLessThan(256 * 1024);
    expect(sockets[0]?.writableLength).toBeGreaterThan(0);
    const pump = setInterval(() => exchange.control?.resume(), 0);
    await ended;
    clearInterval(pump);
    expect(exchange.body.length).toBe(total);
  });

  it('that does not open in time fails', async () => {
    // It accepts the connection, and never begins TLS.
    const { port } = await serve(() => undefined);
    const { error } = await send(poolTo(port, { secureContext: createSecureContext(), connectTimeoutMs: 50 }));
    expect(error).toBeInstanceOf(ConnectTimeoutError);
  });

  it('whose name is not resolved has the error of the look-up, however long that takes', async () => {
    const late = new Error('no name');
    const lookup = () => (_host: string, _options: object, done: (error: Error, found: string) => void) =>
      void setTimeout(() => done(late, ''), 100);
    const { error } = await send(poolTo(9, { host: 'never.example', lookup, connectTimeoutMs: 20 }));
    expect(error).toBe(late);
  });

  it('is kept if its exchange ended while it was opened', async () => {
    const { port, sockets, received } = await serveAll(responseOf('ok'));
    const pool = poolTo(port);
    const gone = new Exchange();
    void send(pool, {}, gone);
    gone.isOver = true;
    await until(() => sockets.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await send(pool);
    expect(sockets).toHaveLength(1);
    expect(received[0]?.match(/POST/g)).toHaveLength(1);
  });
});

describe('a pool', () => {
  it('that closes waits for its exchanges, and closes what is idle', async () => {
    const { port, sockets } = await serve((socket, received) => {
      if (received.includes('/slow')) setTimeout(() => socket.write(responseOf('slow')), 100);
      else socket.write(responseOf('ok'));
    });
    const pool = poolTo(port);
    const slow = send(pool, { path: '/slow' });
    await send(pool);
    await pool.close();
    expect((await slow).body).toBe('slow');
    await until(() => sockets.every(({ destroyed }) => destroyed));
  });

  it('that is destroyed fails its exchanges', async () => {
    const { port } = await serve(() => undefined);
    const pool = poolTo(port);
    const open = new Exchange();
    const ended = send(pool, {}, open);
    await until(() => open.control !== undefined);
    const opening = send(pool);
    await pool.destroy();
    expect((await ended).error).toBeInstanceOf(Error);
    expect((await opening).error).toBeInstanceOf(Error);
  });
});
