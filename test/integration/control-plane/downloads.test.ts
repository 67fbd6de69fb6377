// Streams of bytes from an endless method, over gRPC and the JSON API: a slow reader slows the source, a reader that
// leaves ends it, and a download that fails never looks complete.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { type ClientReadableStream, credentials, makeGenericClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { openConnectionShare } from '../../../common/connection-cap.ts';
import { createCredential } from '../../../common/credential.ts';
import type { Dispatcher } from '../../../control-plane/api/dispatch.ts';
import { type GrpcServer, startGrpcServer } from '../../../control-plane/api/grpc-server.ts';
import { type HttpApi, startHttpApi } from '../../../control-plane/api/http-api.ts';
import { CallError } from '../../../control-plane/rpc/errors.ts';
import { createMetrics } from '../../../control-plane/telemetry/metrics.ts';
import { services } from '../../../proto/load.ts';
import { directCallers } from '../../support/direct-callers.ts';
import { metadataWith } from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { noGauges } from '../../support/replica.ts';
import { silentLog } from '../../support/silent-log.ts';

const chunk = Buffer.alloc(64 * 1024, 'x');
/** More than the sockets and queues between two ends of one machine can buffer. */
const tooManyBytes = 256 * 1024 * 1024;

class Source {
  chunks = 0;
  ended = false;
  failAfter = Number.POSITIVE_INFINITY;
  #failure: Error = new Error('the database went away');

  failWith(failure: Error): void {
    this.#failure = failure;
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.chunks === this.failAfter) throw this.#failure;
        if (this.chunks * chunk.length > tooManyBytes) throw new Error('the source was not paused');
        this.chunks++;
        yield chunk;
        // Others, including the sockets, run between chunks, as they do while a database is read.
        await turn();
      }
    } finally {
      this.ended = true;
    }
  }
}

const unused = () => Promise.reject(new Error('unused'));
const token = createCredential('operator');

let source: Source;
let grpc: GrpcServer;
let http: HttpApi;
/** Codes of ended calls, as reported to the metrics. */
let codes: string[];
beforeEach(async () => {
  source = new Source();
  codes = [];
  const metrics = {
    ...createMetrics(noGauges),
    called: (_method: string, code: string) => void codes.push(code),
  };
  const dispatcher: Dispatcher = {
    call: unused,
    proxy: unused,
    download: async () => ({ contentType: 'text/csv', filename: 'a.csv', chunks: source.stream() }),
  };
  const calls = { dispatcher, clock: systemClock, log: silentLog, metrics };
  const access = { resolve: unused, resolveMany: unused, watch: unused, watchers: () => [] };
  const ledger = {
    ...{ keepSession: unused, draw: unused, release: unused, reportUsage: unused, closeSession: unused },
  };
  const address = { host: '127.0.0.1', port: 0 };
  const bound = { address, tls: undefined, proxyCertificates: [], reflection: false };
  const connections = openConnectionShare(1024);
  const options = { ...bound, connections, callers: directCallers() };
  grpc = await startGrpcServer(options, {
    ...calls,
    access,
    ledger,
    reportDecisions: unused,
    reportRefusedKeys: unused,
    reportRequests: unused,
    reportCaptures: unused,
  });
  const server = { address, tls: undefined, connections, callers: directCallers(), hosts: [] };
  http = await startHttpApi(server, calls);
});
afterEach(async () => {
  await Promise.all([grpc.close(0), http.close(0, 0)]);
});

interface Reader {
  /** Reads to the end. @returns the number of bytes, and how the stream ended */
  readAll(): Promise<{ readonly bytes: number; readonly end: string }>;
  leave(): void;
}

async function readHttp(): Promise<Reader> {
  const sent: ClientRequest = request({
    port: http.port,
    host: '127.0.0.1',
    path: '/gateway.v1.Usage/Export',
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  }).end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return { readAll: () => readAll(response, ({ length }: Buffer) => length), leave: () => sent.destroy() };
}

async function readGrpc(): Promise<Reader> {
  const Constructor = makeGenericClientConstructor(services.Usage, 'Usage');
  const client = new Constructor(`127.0.0.1:${grpc.port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  const { path, requestSerialize, responseDeserialize } = services.Usage.Export;
  const stream: ClientReadableStream<{ chunk: Buffer }> = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    {},
    metadataWith(token),
  );
  stream.on('error', () => undefined);
  await once(stream, 'readable');
  return {
    readAll: () => readAll(stream, (message: { chunk: Buffer }) => message.chunk.length),
    leave: () => {
      stream.cancel();
      client.close();
    },
  };
}

async function readAll<Item>(stream: AsyncIterable<unknown>, sizeOf: (item: Item) => number) {
  let bytes = 0;
  try {
    for await (const item of stream) bytes += sizeOf(item as Item);
    return { bytes, end: 'in good order' };
  } catch (error) {
    return { bytes, end: String((error as ServiceError).code) };
  }
}

/** Waits until the source makes no more chunks; it would otherwise make one at every tick. */
async function untilItWaits(): Promise<void> {
  let before = -1;
  let still = 0;
  await until(() => {
    still = source.chunks === before ? still + 1 : 0;
    before = source.chunks;
    return still === 20;
  });
}

describe.each([
  ['the JSON API', readHttp],
  ['gRPC', readGrpc],
])('a download through %s', (_name, open) => {
  it('waits for a slow reader', async () => {
    const reader = await open();
    await untilItWaits();
    expect(source.ended).toBe(false);
    expect(source.chunks * chunk.length).toBeLessThan(tooManyBytes / 4);
    reader.leave();
  });

  it('ends when its reader leaves', async () => {
    const reader = await open();
    await untilItWaits();
    reader.leave();
    await until(() => source.ended);
    await until(() => codes.length > 0);
    expect(codes).toEqual(['CANCELLED']);
  });

  it.each([
    ['fails', new Error('the database went away'), '13', 'INTERNAL'],
    ['is refused', new CallError('unauthenticated', 'the token is revoked'), '16', 'UNAUTHENTICATED'],
  ])('does not look complete when it %s', async (_what, failure, grpcEnd, code) => {
    source.failAfter = 40;
    source.failWith(failure);
    const { bytes, end } = await (await open()).readAll();
    expect(end).toBe(open === readGrpc ? grpcEnd : 'ECONNRESET');
    expect(bytes).toBeLessThanOrEqual(40 * chunk.length);
    await until(() => codes.length > 0);
    expect(codes).toEqual([code]);
  });
});
