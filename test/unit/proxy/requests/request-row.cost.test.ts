// What a row of a request costs the proxy in all: made, put into the queue, encoded and written as a message. 3 µs are
// promised on a quiet machine; a test may see ten times that.
import { expect, it } from 'vitest';
import { uuidv7 } from '../../../../common/uuid.ts';
import { services } from '../../../../proto/load.ts';
import { encodeRequests } from '../../../../proxy/control-plane/wire-requests.ts';
import { Exchange } from '../../../../proxy/http/exchange.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { newRecord } from '../../../../proxy/http/request-record.ts';
import { RequestLog } from '../../../../proxy/requests/request-log.ts';
import { rowOf } from '../../../../proxy/requests/request-row.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const rows = 20_000;
const batch = 1_000;
const microsecondsMax = 30;

function finishedRequest(headers: RequestHeaders): Exchange {
  const record = Object.assign(newRecord(), {
    ...{ organizationId: uuidv7(), keyId: uuidv7(), isRecorded: true, scope: { kind: 'ai_system', id: uuidv7() } },
    ...{ provider: 'gpt-provider', model: 'gpt-4o-mini', clientFormat: 'chat_completions', status: 200, attempts: 1 },
    ...{ costNano: 207_000, firstByteAt: 900.5, modelAnswered: 'gpt-4o-mini-2024-07-18' },
    usage: {
      ...{ promptTokens: 900, completionTokens: 120, reasoningTokens: 0 },
      ...{ cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
    },
  });
  const request = { method: 'POST', url: '/v1/chat/completions' };
  const { rowId } = Exchange.prototype;
  return { record, headers, request, startedAt: 12.5, id: uuidv7(), rowId } as unknown as Exchange;
}

it('costs microseconds', async () => {
  const headers = new RequestHeaders([
    ...['host', 'gateway', 'user-agent', 'OpenAI/Python 1.52.0', 'session-id', uuidv7()],
    ...['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ]);
  const exchange = finishedRequest(headers);
  const time = new VirtualTime();
  let written = 0;
  let encodeMs = 0;
  const log = new RequestLog({
    client: {
      report: async (waiting) => {
        encodeMs += processorMs(() => {
          services.Requests.Report.requestSerialize(encodeRequests(waiting));
        });
        written += waiting.length;
        return { dropped: 0 };
      },
    },
    metrics: { recorded: () => undefined, dropped: () => undefined },
    ...{ clock: time, timers: time, background: (_name, promise) => void promise },
  });
  let addMs = 0;
  for (let added = 0; added < rows; added += batch) {
    addMs += processorMs(() => {
      for (let one = 0; one < batch; one++) {
        const row = rowOf(exchange, 850.2, time.now());
        if (row !== undefined) log.add(row);
      }
    });
    await time.advance(1_000);
  }
  await log.close();
  const microseconds = ((addMs + encodeMs) * 1_000) / rows;
  console.log(`a row of a request costs the proxy ${microseconds.toFixed(1)} µs`);
  expect(written).toBe(rows);
  expect(microseconds).toBeLessThan(microsecondsMax);
});
