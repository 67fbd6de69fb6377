// Rows of the failure table: a client that leaves, and an exception inside a request. Each ends that one request and
// affects no other.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential, hashCredential } from '../../../common/credential.ts';
import { Secret } from '../../../common/secret.ts';
import type { Principal } from '../../../proxy/access/principal.ts';
import { admission, chat, type Question, type Reply } from '../../support/chat-requests.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { log } from '../../support/figures.ts';
import { chatBody, startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { openConnection, type RawConnection } from '../../support/raw-http.ts';
import { logged, metric } from '../../support/telemetry.ts';
import { usualSettings } from '../../support/usual-settings.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  key = (await gateway.organization.createKey()).value;
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.simulator.reset());

const requests = (labels: Record<string, string>) => metric(gateway.proxy, 'gateway_requests_total', labels);
const left = { status: '499', code: 'client_left', source: 'none' };

async function send(id: string, fields: object, to = { port: gateway.proxy.port, key }): Promise<RawConnection> {
  const connection = await openConnection(to.port);
  const body = chatBody(fields);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${to.key}`,
    'content-type: application/json',
    `x-request-id: ${id}`,
    `content-length: ${body.length}`,
  ];
  connection.send([...head, '', body].join('\r\n'));
  return connection;
}

describe('client leaves: the stream of a provider that stops is cancelled, all else is read on; 499, no failure of the provider', () => {
  async function expectEnded(id: string, ended: 'client_left' | 'finished', leave: () => void): Promise<void> {
    const counted = await requests(left);
    leave();
    const from = performance.now();
    await until(() => gateway.simulator.requests[0]?.ended === ended, {
      what: 'the upstream to end',
    });
    log(`client leaves, ${id}: the provider's request ends after`, performance.now() - from);
    const line = await until(() => logged(gateway.logs, 'request').find(({ request_id }) => request_id === id));
    expect(line).toMatchObject({ status: 499, error_code: 'client_left', attempts: 1 });
    expect(line).not.toHaveProperty('error_source');
    expect(line).not.toHaveProperty('reason');
    expect(await requests(left)).toBe(counted + 1);
    expect(await requests({ source: 'provider' })).toBe(0);
    expect(await metric(gateway.proxy, 'gateway_in_flight_requests')).toBe(0);
    expect(gateway.simulator.requests, 'no other attempt').toHaveLength(1);
  }

  it.each<[string, (connection: RawConnection) => void]>([
    ['closed', ({ socket }) => socket.destroy()],
    ['reset', ({ socket }) => socket.resetAndDestroy()],
  ])('before the head of a whole response, connection %s', async (how, leave) => {
    gateway.simulator.script({ headDelayMs: 500 });
    const connection = await send(`whole-${how}`, {});
    await until(() => gateway.simulator.requests.length === 1);
    await expectEnded(`whole-${how}`, 'finished', () => leave(connection));
  });

  it.each<[string, (connection: RawConnection) => void]>([
    ['closed', ({ socket }) => socket.destroy()],
    ['reset', ({ socket }) => socket.resetAndDestroy()],
  ])('within a stream, connection %s', async (how, leave) => {
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 20 });
    const connection = await send(`stream-${how}`, { stream: true });
    await until(() => connection.received().includes('"content":'));
    await expectEnded(`stream-${how}`, 'client_left', () => leave(connection));
  });

  it('before the first event of a stream', async () => {
    gateway.simulator.script({ headDelayMs: 10_000 });
    const connection = await send('stream-early', { stream: true });
    await until(() => gateway.simulator.requests.length === 1);
    await expectEnded('stream-early', 'client_left', () => connection.socket.destroy());
  });

  it('while other requests continue unaffected', async () => {
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 20 });
    const leaving = await send('leaving', { stream: true });
    await until(() => leaving.received().includes('"content":'));
    gateway.simulator.script({ tokens: 10, pieceDelayMs: 20 });
    const staying = await send('staying', { stream: true });
    await until(() => staying.received().includes('"content":'));
    leaving.socket.destroy();
    await until(() => staying.received().includes('data: [DONE]'));
    expect((await chat(key)(gateway.proxy)).outcome).toBe('200');
    staying.socket.destroy();
  });
});

describe('exception inside a request: 500 internal_error, recorded, others unaffected:', () => {
  const defect = new TypeError('only the log may contain this');
  const [soundKey, unsoundKey] = [createCredential('virtualKey'), createCredential('virtualKey')];
  let faulty: FaultyProxy;
  beforeEach(async () => {
    faulty = await startFaultyProxy(defect, { sound: new Map([[hashCredential(soundKey), principal]]) });
  });
  afterEach(() => faulty.close());

  it.each<[string, Question]>([
    ['while the key is looked up', admission(unsoundKey)],
    ['while the provider is called', chat(soundKey)],
  ])('%s', async (_when, broken) => {
    const others: Promise<Reply>[] = [];
    for (let count = 0; count < 20; count++) {
      others.push(admission(soundKey)(faulty));
      expect(await broken(faulty)).toMatchObject({
        outcome: '500 internal_error',
        message: expect.stringContaining('request id finds the cause'),
      });
    }
    expect(new Set((await Promise.all(others)).map(({ outcome }) => outcome))).toEqual(new Set(['200']));
    await until(() => faulty.records.length === 40);
    const failed = faulty.records.filter(({ status }) => status === 500);
    expect(failed).toHaveLength(20);
    for (const record of failed)
      expect(record).toMatchObject({ errorCode: 'internal_error', errorSource: 'gateway', cause: defect });
    expect(faulty.inFlight()).toBe(0);
  });

  it('within a stream, which ends with an error event, no end marker and a cut connection', async () => {
    const connection = await send(
      'broken',
      { stream: true },
      { port: Number(new URL(faulty.url).port), key: soundKey },
    );
    await connection.closed;
    const response = connection.received();
    expect(response).toContain('"code":"internal_error"');
    expect(response).not.toContain('[DONE]');
    expect(response, 'the end of a chunked body').not.toMatch(/\r\n0\r\n\r\n$/);
    expect(response).not.toContain(defect.message);
    await until(() => faulty.records.length === 1);
    expect(faulty.records[0]).toMatchObject({ status: 500, errorCode: 'internal_error', cause: defect });
    expect((await admission(soundKey)(faulty)).outcome).toBe('200');
    expect(faulty.inFlight()).toBe(0);
  });
});

const secret = { accessKeyId: undefined, secretAccessKey: undefined, sessionToken: undefined };
const providerKey = {
  ...{
    id: 'provider-key-1',
    provider: 'gpt-provider',
    secret: { ...secret, apiKey: new Secret('sk-sim-stored') },
  },
  ...{ baseUrl: undefined, endpoint: undefined, region: undefined, apiVersion: undefined },
  ...{ priority: 0, weight: 1 },
};
const principal: Principal = {
  key: {
    ...{
      keyId: 'key-1',
      organizationId: 'organization-1',
      scope: { kind: 'organization', id: 'organization-1' },
    },
    ...{ active: true, endsAt: undefined, valueEndsAt: undefined, allowedModels: [], limits: [] },
    ...{ organizationRevision: 1, revision: 1 },
  },
  scope: undefined,
  organization: {
    ...{
      id: 'organization-1',
      active: true,
      ...usualSettings,
      allowedModels: [],
      limits: [],
    },
    ...{ providerKeys: [providerKey], customProviders: [], prices: [], guardrails: [], revision: 1 },
  },
};
