// The engine's reading of responses beside undici's, on real connections: whatever undici refuses, the engine refuses;
// what both accept is the same; and the next request gets its own response or none, on whichever connection.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool as UndiciPool } from 'undici';
import type { ExchangeControl, ExchangeHandler } from '../../proxy/http1/connection.ts';
import { Pool } from '../../proxy/http1/pool.ts';
import type { ResponseHead } from '../../proxy/http1/response-head.ts';
import { Random } from '../support/access/random.ts';
import { changedForm } from './http1-forms.ts';

export interface ResponsesFuzzOptions {
  readonly seed: number;
  readonly cases: number;
}

/** A response as a caller sees it; `end` is absent if it is complete. */
interface Reading {
  readonly head?: string | undefined;
  readonly body: string;
  readonly failure?: string | undefined;
}

const marker = 'HTTP/1.1 200 OK\r\nx-marker: 1\r\ncontent-length: 6\r\n\r\nmarker';
const atATime = 16;
const arrivalMs = 5;

/** @returns how often each pair of outcomes was seen @throws Error that names the first case in which they differ */
export async function fuzzResponses({ seed, cases }: ResponsesFuzzOptions): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  const server = await startPlayer();
  let next = seed;
  const worker = async () => {
    for (let number = next++; number < seed + cases; number = next++) {
      const outcome = await runCase(number, server.port);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  await server.close();
  return outcomes;
}

async function runCase(number: number, port: number): Promise<string> {
  const [ours, theirs] = await Promise.all([readByEngine(number, port), readByUndici(number, port)]);
  const problem = differenceOf(ours, theirs);
  if (problem === undefined) return outcomeOf(ours.first, theirs);
  const bytes = JSON.stringify(changedForm(new Random(number)));
  throw new Error(`case ${number}: ${problem}\n${bytes}\n${JSON.stringify({ ours, theirs }, undefined, 1)}`);
}

function differenceOf(ours: { first: Reading; second: Reading }, theirs: Reading): string | undefined {
  // The server may have closed the kept connection under it.
  const { head, body, failure } = ours.second;
  if (failure === undefined ? body !== 'marker' : head !== undefined) return 'the next request got another response';
  if (ours.first.failure !== undefined) return undefined;
  // It refuses status 100, which RFC 9110 demands to skip.
  if (theirs.failure === 'bad response' && theirs.head === undefined) return undefined;
  if (theirs.failure !== undefined) return 'undici refuses it';
  return ours.first.head === theirs.head && ours.first.body === theirs.body ? undefined : 'undici reads it differently';
}

function outcomeOf(ours: Reading, theirs: Reading): string {
  if (ours.failure === undefined) return 'both accept';
  return theirs.failure === undefined ? `only undici accepts: ${ours.failure}` : 'both refuse';
}

function readByEngine(number: number, port: number): Promise<{ first: Reading; second: Reading }> {
  const pool = new Pool({
    ...{ host: '127.0.0.1', hostField: 'x', port, connectTimeoutMs: 5000, keepAliveMs: 5000, headBytesMax: 16_384 },
    lookup: () => () => undefined,
  });
  const ask = (path: string) =>
    new Promise<Reading>((resolve) => {
      pool.send({ method: 'POST', path, headers: [], body: '{}' }, new Collector(resolve));
    });
  return ask(`/${number}`)
    .then(async (first) => {
      // What the server sends after its response arrives before the next request. Later, nobody could distinguish it.
      await sleep(arrivalMs);
      return { first, second: await ask('/marker') };
    })
    .finally(() => pool.destroy());
}

class Collector implements ExchangeHandler {
  readonly isOver = false;
  readonly #resolve: (reading: Reading) => void;
  #head: string | undefined;
  #body = '';

  constructor(resolve: (reading: Reading) => void) {
    this.#resolve = resolve;
  }

  onStart(_control: ExchangeControl): void {}

  onHead({ status, raw }: ResponseHead): void {
    this.#head = shownHead(status, raw);
  }

  onData(bytes: Buffer): void {
    this.#body += bytes.toString('latin1');
  }

  onEnd(): void {
    this.#resolve({ head: this.#head, body: this.#body });
  }

  onError(error: Error): void {
    this.#resolve({ head: this.#head, body: this.#body, failure: error.message });
  }
}

async function readByUndici(number: number, port: number): Promise<Reading> {
  const pool = new UndiciPool(`http://127.0.0.1:${port}`, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  let head: string | undefined;
  let body = '';
  const handler = (resolve: (reading: Reading) => void): Dispatcher.DispatchHandler => ({
    onRequestStart: () => undefined,
    onResponseStart: ({ rawHeaders = [] }, status) => {
      if (status >= 200)
        head = shownHead(
          status,
          (rawHeaders as readonly Buffer[]).map((part) => part.toString('latin1')),
        );
    },
    onResponseData: (_controller, bytes) => {
      body += bytes.toString('latin1');
    },
    onResponseEnd: () => resolve({ head, body }),
    onResponseError: (_controller, { message: failure }) => resolve({ head, body, failure }),
  });
  const reading = new Promise<Reading>((resolve) => {
    pool.dispatch({ method: 'POST', path: `/${number}`, headers: [], body: '{}' }, handler(resolve));
  });
  return reading.finally(() => pool.destroy());
}

/** Undici leaves white space at the end of a value, which RFC 9112 excludes from it. */
function shownHead(status: number, raw: readonly string[]): string {
  return [status, ...raw.map((text) => text.replace(/[\t ]+$/, ''))].join('\n');
}

/** A server that sends the bytes of a case in random pieces and then closes its direction, and else the marker. */
async function startPlayer(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      // The last bytes of each request.
      if (!received.endsWith('{}')) return;
      const path = /^POST \/(\w+) /.exec(received)?.[1] ?? '';
      received = '';
      if (path === 'marker') socket.write(marker);
      else void play(socket, Number(path));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function play(socket: Socket, number: number): Promise<void> {
  const random = new Random(number);
  const bytes = Buffer.from(changedForm(random), 'latin1');
  const endsAtOnce = random.chance(0.5);
  for (let at = 0; at < bytes.length; ) {
    const length = random.chance(0.7) ? bytes.length : 1 + random.below(40);
    socket.write(bytes.subarray(at, at + length));
    at += length;
    if (at < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  // Responses that neither reader can end would last for ever.
  if (endsAtOnce) socket.end();
  else setTimeout(() => socket.end(), 20);
}
