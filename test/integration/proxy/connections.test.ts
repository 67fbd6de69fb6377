// Connections of callers: as many as there are descriptors for, idle ones are closed for new ones, and callers without
// room get a 503. None is reset. STREAMS and DESCRIPTORS raise the number of streams: STREAMS=5000 DESCRIPTORS=16000.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { simulate } from '../../support/limited-callers.ts';
import { until } from '../../support/process.ts';
import { openConnection, type RawConnection } from '../../support/raw-http.ts';
import { metric } from '../../support/telemetry.ts';

const connectionsMax = 40;

let gateway: TestGateway;
let proxy: TestProxy;
let key: string;
const open: RawConnection[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  proxy = await gateway.startProxy({ GATEWAY_CONNECTIONS_MAX: String(connectionsMax) });
  key = (await gateway.organization.createKey()).value;
});
afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy();
  gateway.simulator.reset();
  await until(async () => (await metric(proxy, 'gateway_share_used', { resource: 'connections' })) === 0, {
    what: 'all slots to be free',
  });
});
afterAll(() => gateway.close());

async function connect(port = proxy.port): Promise<RawConnection> {
  const connection = await openConnection(port);
  open.push(connection);
  return connection;
}

const models = (value = key) => `GET /v1/models HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${value}\r\n\r\n`;

function stream(fields: object = {}): string {
  const body = chatBody({ stream: true, ...fields });
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

const refusals = () => metric(proxy, 'gateway_share_refused_total', { resource: 'connections' });

describe('connections', () => {
  it('that are idle after a response are closed for new ones', async () => {
    const refusedBefore = await refusals();
    const statuses = new Set<number>();
    for (let count = 0; count < 2 * connectionsMax; count++) {
      const connection = await connect();
      connection.send(models());
      statuses.add((await connection.respond()).status);
    }
    expect([...statuses]).toEqual([200]);
    expect(await refusals()).toBe(refusedBefore);
    await open[0]?.closed;
    // The youngest connection is still open.
    const last = open.at(-1);
    last?.send(models());
    expect((await last?.respond())?.status).toBe(200);
  });

  it('that send an incomplete head or nothing count too, and callers without room get a 503', async () => {
    const before = await refusals();
    for (let count = 0; count < connectionsMax; count++) {
      const connection = await connect();
      if (count % 2 === 0) connection.send('GET /v1/models HTTP/1.1\r\nhost: x\r\n');
    }
    await until(async () => (await refusals()) > before, { what: 'some connections to be refused' });
    const connection = await connect();
    connection.send(models());
    const response = await connection.respond();
    expect([response.status, JSON.parse(response.body)]).toMatchObject([503, { error: { code: 'overloaded' } }]);
    expect(response.headers.get('connection')).toBe('close');
    await connection.closed;
    const silent = open.at(-2);
    expect((await silent?.respond())?.status).toBe(503);
    await silent?.closed;
  });

  it('of callers with an unknown key are closed after the refusal', async () => {
    const connection = await connect();
    connection.send(models('sk-svc-nobody'));
    const response = await connection.respond();
    expect([response.status, response.headers.get('connection')]).toEqual([401, 'close']);
    await connection.closed;
    const known = await connect();
    known.send(models().replace('/v1/models', '/v1/models/gpt-provider%2Fnone'));
    expect((await known.respond()).status).toBe(404);
    known.send(models());
    expect((await known.respond()).status).toBe(200);
  });

  it('of a refused caller that sends a body are closed after the body was read, so that the response arrives', async () => {
    const connection = await connect();
    const body = Buffer.alloc(200_000, 0x20);
    connection.send(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    connection.send(body);
    expect((await connection.respond()).status).toBe(401);
    await connection.closed;
  });
});

describe('many streams at once', () => {
  it('are served or refused with a response as descriptors allow, and none is reset', async () => {
    const descriptorsMax = Number(process.env.DESCRIPTORS ?? 600);
    const wanted = Number(process.env.STREAMS ?? 240);
    const { port, child } = await gateway.startProxyProcess({}, { descriptorsMax, timeoutMs: 60_000 });
    const begun: RawConnection[] = [];
    for (let at = 0; at < wanted; at += 500)
      begun.push(...(await Promise.all(Array.from({ length: Math.min(500, wanted - at) }, () => connect(port)))));
    // Long enough that all have arrived before the first one ends, and would be closed for a new one.
    for (const connection of begun)
      connection.send(stream(simulate({ tokens: 40 + Math.floor(wanted / 50), pieceDelayMs: 100 })));
    const ends = await Promise.all(begun.map(endOf));
    const counts = Object.groupBy(ends, (end) => end);
    const parsed = Object.entries(counts).map(([end, those]) => `${end} ${those?.length}`);
    console.log(`${wanted} streams with ${descriptorsMax} descriptors: ${parsed.join(', ')}`);
    // With very many streams, some reach a simulator that is too busy to accept them.
    const mayBeUnreached = process.env.STREAMS !== undefined;
    const other = Object.keys(counts).filter((end) => end !== '502 whole' || !mayBeUnreached);
    expect(other.toSorted()).toEqual(['200 whole', '503 whole']);
    expect(counts['200 whole']?.length).toBeGreaterThan(Math.min(wanted / 2, descriptorsMax / 5));
    const after = await connect(port);
    after.send(models());
    expect((await after.respond()).status).toBe(200);
    await child.stop();
  }, 600_000);
});

/** The status of a response, and whether it is complete. */
async function endOf(connection: RawConnection): Promise<string> {
  const sentText = () => connection.received();
  const isWhole = () =>
    sentText().endsWith('data: [DONE]\n\n\r\n0\r\n\r\n') ||
    /"code":"(overloaded|upstream_unreachable)"/.test(sentText());
  const ended = new Promise<void>((resolve) => {
    connection.socket.on('data', () => isWhole() && resolve());
    if (isWhole()) resolve();
  });
  await Promise.race([connection.closed, ended]);
  const [, status = 'reset'] = /^HTTP\/1\.1 (\d+)/.exec(sentText()) ?? [];
  return `${status} ${isWhole() ? 'whole' : 'cut'}`;
}
