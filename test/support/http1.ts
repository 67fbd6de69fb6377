// A server of raw bytes and the engine's connections to it.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ExchangeControl, ExchangeHandler } from '../../proxy/http1/connection.ts';
import { Pool, type PoolOptions } from '../../proxy/http1/pool.ts';
import type { Request } from '../../proxy/http1/request.ts';
import type { ResponseHead } from '../../proxy/http1/response-head.ts';

const open: { close(): unknown }[] = [];

/** Ends the servers and pools of a test. */
export async function closeOpened(): Promise<void> {
  for (const one of open.splice(0).reverse()) await one.close();
}

interface Server {
  readonly port: number;
  /** All bytes that arrived, by connection. */
  readonly received: string[];
  readonly sockets: Socket[];
}

/** @param respond called with all bytes of a connection whenever some arrive */
export async function serve(respond: (socket: Socket, received: string, connection: number) => void): Promise<Server> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const at = sockets.push(socket.on('error', () => undefined)) - 1;
    received[at] = '';
    socket.on('data', (bytes) => {
      received[at] += bytes.toString('latin1');
      respond(socket, received[at] ?? '', at);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return { port: (server.address() as AddressInfo).port, received, sockets };
}

export const responseOf = (body: string, ...headers: readonly string[]) =>
  [`HTTP/1.1 200 OK`, `content-length: ${body.length}`, ...headers, '', body].join('\r\n');

/** Responds to every request that ends with `end`. */
export const serveAll = (response: string, end = '{}') =>
  serve((socket, received) => {
    if (received.endsWith(end)) socket.write(response);
  });

export function poolTo(port: number, options: Partial<PoolOptions<Exchange>> = {}): Pool<Exchange> {
  const pool = new Pool<Exchange>({
    ...{ host: '127.0.0.1', hostField: `127.0.0.1:${port}`, port },
    ...{ connectTimeoutMs: 2000, keepAliveMs: 5000, headBytesMax: 16_384 },
    lookup: () => () => undefined,
    ...options,
  });
  open.push({ close: () => pool.destroy() });
  return pool;
}

export class Exchange implements ExchangeHandler {
  isOver = false;
  control: ExchangeControl | undefined;
  wasKept: boolean | undefined;
  head: ResponseHead | undefined;
  body = '';
  error: Error | undefined;
  readonly #onData: ((exchange: Exchange) => void) | undefined;
  readonly #end: PromiseWithResolvers<Exchange> = Promise.withResolvers();

  constructor(onData?: (exchange: Exchange) => void) {
    this.#onData = onData;
  }

  /** Resolves when it is over, in either way. */
  get ended(): Promise<Exchange> {
    return this.#end.promise;
  }

  onStart(control: ExchangeControl, isKept: boolean): void {
    this.control = control;
    this.wasKept = isKept;
  }

  onHead(head: ResponseHead): void {
    this.head = head;
  }

  onData(bytes: Buffer): void {
    this.body += bytes.toString('latin1');
    this.#onData?.(this);
  }

  onEnd(): void {
    this.#end.resolve(this);
  }

  onError(error: Error): void {
    this.error = error;
    this.#end.resolve(this);
  }
}

const post: Request = { method: 'POST', path: '/v1?a=b', headers: ['X-Name', 'value'], body: '{}' };

export function send(
  pool: Pool<Exchange>,
  request: Partial<Request> = {},
  exchange = new Exchange(),
): Promise<Exchange> {
  pool.send({ ...post, ...request }, exchange);
  return exchange.ended;
}
