// The control-plane client sends operations of the ledger on the connection of the feed; it retries them when a replica
// cannot serve, never because one is slow.
import { Server, ServerCredentials, status, type UntypedHandleCall } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DrawRequest__Output } from '../../../proto/generated/gateway/v1/DrawRequest.ts';
import { services } from '../../../proto/load.ts';
import { type ControlPlaneClient, createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import { LedgerStalledError } from '../../../proxy/usage/ledger-client.ts';
import { until } from '../../support/process.ts';

type ReadResponse = 'granted' | 'silent' | number;

let server: Server;
let client: ControlPlaneClient;
let acquisitions: DrawRequest__Output[];
let peers: Set<string>;
/** Responses to the next acquisitions; later ones are granted. */
let responses: ReadResponse[];

beforeEach(async () => {
  [acquisitions, responses, peers] = [[], [], new Set()];
  server = new Server();
  const unused: UntypedHandleCall = (call: { getPeer(): string }) => void peers.add(call.getPeer());
  server.addService(services.Access, { Resolve: unused, Watch: unused });
  server.addService(services.Ledger, {
    KeepSession: unused,
    Return: unused,
    ReportUsage: unused,
    Draw: (
      call: { request: DrawRequest__Output; getPeer(): string },
      done: (error: object | null, response?: object) => void,
    ) => {
      peers.add(call.getPeer());
      acquisitions.push(call.request);
      const response = responses.shift() ?? 'granted';
      if (response === 'silent') return;
      if (typeof response === 'number') return done({ code: response, details: 'refused' });
      done(null, { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '5', now: '2026-11-20T10:00:00.000Z' });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  client = createControlPlaneClient({
    addresses: [`127.0.0.1:${port}`],
    ...{ token: undefined, credentials: undefined, allowPlaintext: false },
  });
});

afterEach(() => {
  client.close();
  server.forceShutdown();
});

const request = { session: 's', budgetId: 'b', window: 'total', seq: 1, shut: 0, need: 1, want: 5 };
const acquire = () => client.ledger.acquire(request);

describe('an operation of the ledger', () => {
  it('is retried unchanged when a replica cannot serve', async () => {
    responses = [status.UNAVAILABLE, status.UNAVAILABLE];
    expect(await acquire()).toMatchObject({ outcome: 'granted', granted: 5 });
    expect(acquisitions).toHaveLength(3);
    for (const again of acquisitions) expect(again).toEqual(acquisitions[0]);
  });

  it('is sent again unchanged after a second, and the first response counts', async () => {
    responses = ['silent'];
    const start = performance.now();
    expect(await acquire()).toMatchObject({ outcome: 'granted', granted: 5 });
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(acquisitions).toEqual([acquisitions[0], acquisitions[0]]);
  });

  it('fails after three seconds without a response', async () => {
    responses = ['silent', 'silent', 'silent', 'silent'];
    const start = performance.now();
    const error: unknown = await acquire().catch((thrown: unknown) => thrown);
    const ms = performance.now() - start;
    // On a busy machine this process may have stood still.
    const failure = error instanceof LedgerStalledError ? error.cause : error;
    expect(failure).toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(ms).toBeGreaterThan(2_500);
    expect(ms).toBeLessThan(10_000);
    expect(acquisitions).toHaveLength(3);
  });

  it('fails with LedgerStalledError when this process stood still for that long', async () => {
    responses = ['silent', 'silent', 'silent', 'silent'];
    const pending = expect(acquire()).rejects.toThrow(LedgerStalledError);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
    await pending;
  });

  it.each([
    [status.INVALID_ARGUMENT, 'invalid'],
    [status.PERMISSION_DENIED, 'denied'],
  ])('refused with status %i is refused for good: %s', async (code, reason) => {
    responses = [code];
    await expect(acquire()).rejects.toMatchObject({ name: 'LedgerRefusedError', reason });
    expect(acquisitions).toHaveLength(1);
  });

  it('refused with another status may be retried by its sender', async () => {
    responses = [status.INTERNAL];
    await expect(acquire()).rejects.toMatchObject({ code: status.INTERNAL });
  });

  it('uses the connection of the feed', async () => {
    client.watch({ since: undefined, maxStaleMs: 1 }, { message: () => {}, closed: () => {} });
    await until(() => peers.size > 0, { what: 'the watch' });
    await acquire();
    expect(peers.size).toBe(1);
  });
});
