// The engine's listener over real connections, beside node:http alone: the same bytes come back, in order and at the pace
// of the slower end; and whatever is not in the plain form is node:http's.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { InboundResponse } from '../../../proxy/http/inbound.ts';
import type { Serve } from '../../../proxy/http/node-http.ts';
import { http2Preface } from '../../../proxy/http1/request-head.ts';
import {
  type EngineListener,
  echo,
  type Played,
  play,
  respondJson,
  startEngine,
  startNodeHttp,
  type TestListener,
  withoutDates,
} from '../../support/http1-listener.ts';
import { until } from '../../support/process.ts';
import { lastRequest } from '../../support/raw-requests.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open<L extends TestListener>(starting: Promise<L>): Promise<L> {
  const listener = await starting;
  opened.push(listener);
  return listener;
}
const engineOf = (serve?: Serve, keepAliveMs?: number): Promise<EngineListener> =>
  open(startEngine(serve, keepAliveMs));

async function openSocket(port: number): Promise<Socket & { text: string }> {
  const socket = Object.assign(connect({ port, host: '127.0.0.1', allowHalfOpen: true }), { text: '' });
  socket.on('data', (bytes) => {
    socket.text += bytes.toString('latin1');
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  opened.push({ close: () => socket.destroy() });
  return socket;
}

const get = (target: string, ...fields: readonly string[]) =>
  ['GET', target, 'HTTP/1.1\r\nHost: x\r\n'].join(' ') + [...fields, '', ''].join('\r\n');
const post = (body: string, ...fields: readonly string[]) =>
  ['POST /post HTTP/1.1', 'Host: x', ...fields, `Content-Length: ${body.length}`, '', body].join('\r\n');
const targets = (text: string) => [...text.matchAll(/"target":"([^"]*)"/g)].map(([, target]) => target);

describe('responses', () => {
  const write = (response: InboundResponse, parts: readonly string[]) => {
    for (const part of parts) response.write(Buffer.from(part));
    response.end();
  };
  const kinds: Readonly<Record<string, Serve>> = {
    'with a body of known length': echo,
    'with an empty body': (_request, response) => {
      response.writeHead(200, ['content-length', '0']);
      response.end();
    },
    'in chunks': (_request, response) => {
      response.writeHead(200, ['content-type', 'text/event-stream']);
      write(response, ['data: 1\n\n', '', 'data: 2\n\n']);
    },
    'in chunks over several ticks': (_request, response) => {
      response.writeHead(200, ['x-a', '1', 'X-A', '2']);
      response.write('first');
      setTimeout(() => write(response, ['second', 'third']), 5);
    },
    'with a length, in pieces': (_request, response) => {
      response.writeHead(200, ['Content-Length', '10']);
      write(response, ['01234', '56789']);
    },
    'without a body': (_request, response) => {
      response.writeHead(204, []);
      response.end();
    },
    'that are not modified': (_request, response) => {
      response.writeHead(304, ['etag', '"1"']);
      response.end();
    },
    'of an unknown status': (_request, response) => {
      response.writeHead(599, ['content-length', '2']);
      response.end(Buffer.from('{}'));
    },
    'with a date': (_request, response) => {
      response.writeHead(200, ['Date', 'Tue, 24 Nov 2026 08:00:00 GMT', 'content-length', '0']);
      response.end();
    },
    'that close the connection': (_request, response) => {
      response.writeHead(200, ['content-length', '2', 'Connection', 'close']);
      response.end(Buffer.from('{}'));
    },
    'of a server that stops': (_request, response) => {
      response.shouldKeepAlive = false;
      response.writeHead(200, ['content-length', '2']);
      response.end(Buffer.from('{}'));
    },
    'with added headers': (_request, response) => {
      response.setHeader('vary', 'origin');
      response.writeHead(200, ['content-length', '2']);
      response.end(Buffer.from('{}'));
    },
    'that are cut': (_request, response) => {
      response.writeHead(200, []);
      response.write('half', () => response.destroy());
    },
  };

  /** node:http joins the writes of one tick to one chunk, but not always. */
  const shown = ({ text }: Played) => withoutDates(text).replaceAll(/^[\da-f]+\r\n|\r\n(?=[\da-f]+\r\n)/gm, '');

  it.each(Object.entries(kinds))('%s are those of node:http, byte for byte', async (_what, serve) => {
    const [engine, reference] = [await engineOf(serve), await open(startNodeHttp(serve))];
    for (const pieces of [
      [get('/a') + lastRequest],
      [post('{}', 'Expect: 100-continue') + lastRequest],
      [post('abc') + post('def') + get('/a', 'Connection: keep-alive') + lastRequest],
    ]) {
      const ours = await play(engine.port, pieces);
      const theirs = await play(reference.port, pieces);
      expect(shown(ours)).toBe(shown(theirs));
      expect(ours.wasClosed).toBe(true);
    }
    expect(engine.handedOver.http).toBe(0);
  });

  it.each([
    ['a name', ['x y', '1']],
    ['a line end', ['x', '1\r\ny: 2']],
    ['a character', ['x', '\u{100}']],
    ['a coding', ['transfer-encoding', 'chunked']],
    ['a length', ['content-length', '1, 1']],
  ])('with %s that cannot be sent are not sent', async (_what, headers) => {
    let failure: unknown;
    const engine = await engineOf((_request, response) => {
      try {
        response.writeHead(200, headers);
      } catch (error) {
        failure = error;
        respondJson(response, {});
      }
    });
    expect((await play(engine.port, [lastRequest])).text).toContain('\r\n\r\n{}');
    expect(failure).toBeInstanceOf(TypeError);
  });

  it('come in the order of the requests, and one request is served at a time', async () => {
    let open = 0;
    let most = 0;
    const engine = await engineOf((request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        respondJson(response, { target: request.url });
      }, 2);
    });
    const count = 40;
    const all = Array.from({ length: count }, (_none, at) => get(`/${at}`)).join('');
    const { text } = await play(engine.port, [all + lastRequest]);
    expect(targets(text)).toEqual([...Array.from({ length: count }, (_none, at) => `/${at}`), '/last']);
    expect(most).toBe(1);
  });

  it('to a caller that does not read are paused, and continue', async () => {
    const total = 20_000_000;
    let written = 0;
    let finished = false;
    const engine = await engineOf((_request, response) => {
      response.writeHead(200, ['content-length', String(total)]);
      const more = () => {
        while (written < total) {
          written += 50_000;
          if (!response.write(Buffer.alloc(50_000))) return;
        }
        response.end();
      };
      response.on('drain', more);
      response.once('close', () => {
        finished = response.writableFinished;
      });
      more();
    });
    const socket = await openSocket(engine.port);
    socket.pause();
    socket.write(get('/'));
    await until(() => written > 0);
    await sleep(100);
    expect(written).toBeLessThan(total);
    socket.resume();
    await until(() => socket.text.length > total, { timeoutMs: 10_000 });
    expect(finished).toBe(true);
  });
});

describe('a request', () => {
  it('has its body in whichever pieces it arrives', async () => {
    const engine = await engineOf();
    const body = '4\r\nabcd\r\nA\r\n0123456789\r\n0\r\n\r\n';
    const bytes = `POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}${post('second')}`;
    await Promise.all(
      Array.from({ length: bytes.length }, async (_none, cut) => {
        const { text } = await play(engine.port, [bytes.slice(0, cut), bytes.slice(cut), lastRequest]);
        expect([...text.matchAll(/"body":"(\w*)"/g)].map(([, found]) => found)).toEqual([
          'abcd0123456789',
          'second',
          '',
        ]);
      }),
    );
    expect(engine.handedOver.http).toBe(0);
  }, 20_000);

  it('whose body nobody reads is not received beyond a bound, and is when somebody does', async () => {
    let read = (): void => undefined;
    let received = 0;
    const engine = await engineOf((request, response) => {
      read = () => {
        request.on('data', (bytes) => {
          received += bytes.length;
        });
        request.once('end', () => respondJson(response, { received }));
      };
    });
    const socket = await openSocket(engine.port);
    const length = 30_000_000;
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(Buffer.alloc(length));
    await sleep(200);
    expect(socket.writableLength).toBeGreaterThan(0);
    read();
    await until(() => socket.text.includes(`{"received":${length}}`), { timeoutMs: 10_000 });
  });

  it('that got its response before the end of its body: the rest is discarded, and the next one is served', async () => {
    const engine = await engineOf((request, response) => respondJson(response, { target: request.url }));
    const socket = await openSocket(engine.port);
    socket.write('POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n');
    await until(() => socket.text.includes('/early'));
    socket.write(Buffer.alloc(200_000, 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.write(get('/next'));
    await until(() => socket.text.includes('/next'));
    expect(targets(socket.text)).toEqual(['/early', '/next']);
  });

  it.each([
    ['ends within its body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc'],
    ['ends within a chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc'],
    ['ends within its head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['has a chunk that is not valid', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
  ])('that %s gets 400, as from node:http', async (_what, bytes) => {
    const [engine, reference] = [await engineOf(), await open(startNodeHttp())];
    const { text } = await play(engine.port, [bytes]);
    expect(text).toMatch(/^HTTP\/1\.1 400 invalid request\r\n/);
    expect(text).toBe((await play(reference.port, [bytes])).text);
  });

  it.each([
    ['no byte', ''],
    ['half a head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['half a head that is not plain', 'PUT / HTTP/1.1\r\nHost: x\r\n'],
  ])('with %s gets 408 after the time for a head', async (_what, bytes) => {
    const engine = await engineOf();
    const socket = await openSocket(engine.port);
    socket.write(bytes);
    await once(socket, 'end');
    expect(socket.text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('whose caller leaves ends without a response', async () => {
    let ended: boolean | undefined;
    const engine = await engineOf((_request, response) => {
      response.once('close', () => {
        ended = response.writableFinished;
      });
    });
    for (const leave of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      ended = undefined;
      const socket = await openSocket(engine.port);
      // Also behind the start of another request.
      socket.write(`${get('/')}GET /another`);
      await sleep(20);
      leave(socket);
      await until(() => ended === false);
    }
  });

  it('that does not follow in time ends its connection', async () => {
    const engine = await engineOf(echo, 500);
    const socket = await openSocket(engine.port);
    socket.write(get('/'));
    await once(socket, 'end');
    expect(targets(socket.text)).toEqual(['/']);
  });
});

describe('a connection is given to node:http', () => {
  const large = 'x'.repeat(3_000_000);
  const put = (body: string) => `PUT /put HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it.each([
    ['with its first request', [put('a')], ['/put']],
    ['after requests that were served', [get('/a') + post('b'), put('c')], ['/a', '/post', '/put']],
    ['with a request that had to wait', [get('/a') + put('b') + get('/c')], ['/a', '/put', '/c']],
    ['with a body in pieces', [put('abc').slice(0, -2), 'b', 'c', get('/d')], ['/put', '/d']],
    ['with a large body', [get('/a') + put(large), get('/b')], ['/a', '/put', '/b']],
    ['when only the start of a head shows it', ['P', 'U', 'T /put HTTP/1.1\r\nHo', 'st: x\r\n\r\n'], ['/put']],
  ])('%s, once and for good', async (_what, pieces, expected) => {
    const engine = await engineOf();
    const { text } = await play(engine.port, [...pieces, lastRequest]);
    expect(targets(text)).toEqual([...expected, '/last']);
    expect(engine.handedOver).toEqual({ http: 1, http2: 0 });
  });

  it('and to HTTP/2 with its preface', async () => {
    const engine = await engineOf();
    await play(engine.port, [http2Preface]);
    expect(engine.handedOver).toEqual({ http: 0, http2: 1 });
  });
});
