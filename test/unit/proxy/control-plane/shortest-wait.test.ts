// Two replicas, one of which is silent: a call that is sent again reaches the other one.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Metadata, Server, ServerCredentials, type UntypedHandleCall } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { services } from '../../../../proto/load.ts';
import { createControlPlaneClient } from '../../../../proxy/control-plane/client.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
});

type Unary = (call: { readonly metadata: Metadata }, respond: (error: null, response: object) => void) => void;

async function replica(methods: { readonly Resolve: Unary; readonly Report: Unary }): Promise<string> {
  const server = new Server();
  servers.push(server);
  const feed: UntypedHandleCall = () => {};
  server.addService(services.Access, { Resolve: methods.Resolve, Watch: feed });
  server.addService(services.Requests, { Report: methods.Report });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return `127.0.0.1:${port}`;
}

it('no call reaches a silent replica twice, whatever calls are sent in between', async () => {
  const attempts: number[] = [];
  const silent = await replica({ Resolve: () => {}, Report: () => {} });
  const well = await replica({
    Resolve: ({ metadata }, respond) => {
      attempts.push(1 + Number(metadata.get('grpc-previous-rpc-attempts')[0] ?? 0));
      respond(null, {});
    },
    Report: (_, respond) => respond(null, {}),
  });
  const client = createControlPlaneClient({
    addresses: [silent, well],
    token: undefined,
    credentials: undefined,
    allowPlaintext: false,
  });
  const resolves: Promise<unknown>[] = [];
  for (let count = 0; count < 30; count++) {
    resolves.push(client.resolve('00'.repeat(32), 5_000).catch(() => {}));
    for (let report = 0; report < count % 3; report++) void client.requests.report([]).catch(() => {});
    await sleep(40);
  }
  await Promise.all(resolves);
  client.close();
  expect(attempts).toHaveLength(30);
  expect(Math.max(...attempts)).toBeLessThanOrEqual(2);
});
