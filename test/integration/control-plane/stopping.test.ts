// The JSON API of a control plane that stops while operators, and load balancers, still have connections to it.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';
import { openConnection, type RawConnection } from '../../support/raw-http.ts';

/** Short, so that the test is. */
const idleMs = 700;
let plane: OperatorsPlane;
const connections: RawConnection[] = [];

beforeEach(async () => {
  plane = await startOperatorsPlane({ env: { GATEWAY_DRAIN_GRACE: '10s' } });
});
afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  await plane.close();
});

const request = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n';

/** A connection with a response, as a client keeps it. */
async function kept(): Promise<RawConnection> {
  const connection = await openConnection(plane.plane.httpPort);
  connections.push(connection);
  connection.send(request);
  const { headers } = await connection.respond();
  expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', 'timeout=5']);
  return connection;
}

it('serves one more request on each open connection, and closes idle ones later', async () => {
  const [used, idle] = [await kept(), await kept()];
  const began = performance.now();
  const closed = plane.plane.close(idleMs);
  const idleFor = idle.closed.then(() => performance.now() - began);
  await expect
    .poll(() =>
      openConnection(plane.plane.httpPort).then(
        () => 'open',
        (error: Error) => error.message,
      ),
    )
    .toMatch(/ECONNREFUSED/);
  await sleep(idleMs / 2);
  used.send(request);
  const response = await used.respond();
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  await used.closed;
  expect(performance.now() - began).toBeLessThan(idleMs);
  expect(await idleFor).toBeGreaterThanOrEqual(idleMs - 50);
  await closed;
  expect(performance.now() - began).toBeLessThan(idleMs + 2_000);
});

it('waits for no connection if nobody has one', async () => {
  const began = performance.now();
  await plane.plane.close();
  expect(performance.now() - began).toBeLessThan(2_000);
});

it('closes idle connections at once if nobody else can have sent a request', async () => {
  const idle = await kept();
  const began = performance.now();
  await plane.plane.close(0);
  await idle.closed;
  expect(performance.now() - began).toBeLessThan(2_000);
});
