import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ClientGone, Exchange } from '../../../../proxy/http/exchange.ts';
import { withLifecycle } from '../../../../proxy/http/request-lifecycle.ts';
import { respondJson } from '../../../../proxy/http/respond.ts';

const watchdog = { watch: () => undefined, unwatch: () => undefined, watched: [], close: () => undefined };

it('a response is sent whole although the total time ends in the tick in which it is ready', async () => {
  const recorded: Exchange[] = [];
  const handle = withLifecycle({ watchdog, record: (exchange) => recorded.push(exchange) }, async (exchange) => {
    await Promise.resolve();
    respondJson(exchange, { made: 'late' });
    // After the promises that follow the response, and before the end of this tick of the event loop.
    process.nextTick(() => exchange.abort(new ClientGone('client_stalled')));
  });
  const server = createServer((request, response) => {
    const arrival = { address: '127.0.0.1', expectsContinue: false, monotonic: () => performance.now() };
    void handle(new Exchange(request, response, arrival));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect([response.status, await response.json()]).toEqual([200, { made: 'late' }]);
    expect(recorded.map(({ record }) => [record.status, record.errorCode])).toEqual([[200, undefined]]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
