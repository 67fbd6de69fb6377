// Two replicas, one of which is silent or refuses all calls: a call that is sent again reaches the other one.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Metadata, Server, ServerCredentials, status, type UntypedHandleCall } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { services } from '../../../../proto/load.ts';
import { createControlPlaneClient } from '../../../../proxy/control-plane/client.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
});

type Unary = (
  call: { readonly metadata: Metadata },
  respond: (error: object | null, response?: object) => void,
) => void;

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

const clientOf = (addresses: readonly string[]) =>
  createControlPlaneClient({ addresses, token: undefined, credentials: undefined, allowPlaintext: false });

function attemptOf(metadata: Metadata): number {
  return 1 + Number(metadata.get('grpc-previous-rpc-attempts')[0] ?? 0);
}

it('no call reaches a silent replica twice, whatever calls are sent in between', async () => {
  const attempts: number[] = [];
  const sent: string[] = [];
  const silent = await replica({ Resolve: () => {}, Report: () => {} });
  const well = await replica({
    Resolve: ({ metadata }, respond) => {
      attempts.push(attemptOf(metadata));
      sent.push(...Object.keys(metadata.getMap()));
      respond(null, {});
    },
    Report: (_, respond) => respond(null, {}),
  });
  const client = clientOf([silent, well]);
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
  expect(sent.filter((name) => name.startsWith('policy'))).toEqual([]);
});

it('no call reaches a replica twice that refuses at once, though calls wait at the other one', async () => {
  const attempts: number[] = [];
  const refused = { code: status.UNAVAILABLE, details: 'no database' };
  const refusing = await replica({
    Resolve: (_, respond) => respond(refused),
    Report: (_, respond) => respond(refused),
  });
  const slow = await replica({
    Resolve: ({ metadata }, respond) => {
      attempts.push(attemptOf(metadata));
      respond(null, {});
    },
    Report: (_, respond) => void setTimeout(() => respond(null, {}), 1_000),
  });
  const client = clientOf([refusing, slow]);
  const reports = Array.from({ length: 4 }, () => client.requests.report([]).catch(() => {}));
  await sleep(100);
  for (let count = 0; count < 10; count++) await client.resolve('00'.repeat(32), 5_000).catch(() => {});
  await Promise.all(reports);
  client.close();
  expect(attempts).toHaveLength(10);
  expect(Math.max(...attempts)).toBeLessThanOrEqual(2);
});
