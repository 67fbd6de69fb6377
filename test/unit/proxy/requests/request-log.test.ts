// Rows of requests in the proxy: reported in batches, dropped only when the queue or a share is full or the control plane
// never accepts them, and always counted. Floods of equal refusals are sampled and add up exactly.
import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../../../common/uuid.ts';
import { passedMax } from '../../../../proxy/requests/refusal-sampler.ts';
import { RequestLog, type RequestLogClient, reportMax } from '../../../../proxy/requests/request-log.ts';
import type { RequestRow } from '../../../../proxy/requests/request-row.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const intervalMs = 10_000;

function row(fields: Partial<RequestRow> = {}): RequestRow {
  return {
    ...{ id: uuidv7(), organizationId: 'acme', keyId: 'key', scope: undefined, projectKeyId: undefined },
    ...{ method: 'POST', path: '/v1/chat/completions', clientFormat: 'chat_completions', userAgent: '', modelSent: '' },
    ...{ model: 'gpt-provider/gpt-4o', modelAnswered: '', route: '', provider: 'gpt-provider' },
    ...{ providerKeyId: undefined, directKey: false, streamed: false, cache: '', requestId: undefined, traceId: '' },
    ...{ session: '', status: 200, errorCode: '', errorSource: '', errorMessage: '', upstreamRequestId: '' },
    ...{ limitId: '', guardrailId: '', guardrails: '', attempts: 1, usage: undefined, cost: 0 },
    ...{ estimateReason: undefined, durationMs: 1, firstByteMs: undefined, tags: undefined, represents: 1 },
    ...fields,
  };
}

const refusal = (fields: Partial<RequestRow> = {}) =>
  row({ status: 402, errorCode: 'budget_exceeded', errorSource: 'gateway', attempts: 0, ...fields });

let time: VirtualTime;
let reports: (readonly RequestRow[])[];
let response: (rows: readonly RequestRow[]) => ReturnType<RequestLogClient['report']>;
let counted: { recorded: number; dropped: number };
let log: RequestLog;

beforeEach(() => {
  time = new VirtualTime();
  reports = [];
  response = async () => ({ dropped: 0 });
  counted = { recorded: 0, dropped: 0 };
  log = new RequestLog({
    client: {
      report: (rows) => {
        reports.push(rows);
        return response(rows);
      },
    },
    metrics: {
      recorded: (requests) => {
        counted.recorded += requests;
      },
      dropped: (requests) => {
        counted.dropped += requests;
      },
    },
    ...{ clock: time, timers: time },
    background: (_name, promise) => void promise,
  });
});

describe('the log of requests', () => {
  it('reports rows together, within a second, and many at once', async () => {
    for (let added = 0; added < 3; added++) log.add(row());
    await time.advance(1_000);
    expect(reports.map(({ length }) => length)).toEqual([3]);
    for (let added = 0; added < reportMax + 1; added++) log.add(row());
    await time.advance(1_000);
    expect(reports.map(({ length }) => length)).toEqual([3, reportMax, 1]);
    expect(counted).toEqual({ recorded: reportMax + 4, dropped: 0 });
  });

  it('repeats a report that failed, ever more slowly, and keeps at most half of its room for one organization', async () => {
    response = () => Promise.reject(new Error('away'));
    for (let added = 0; added < 15_000; added++) log.add(row());
    await time.advance(60_000);
    expect(reports.length).toBeLessThan(10);
    const { dropped } = counted;
    expect(15_000 - dropped).toBeLessThanOrEqual(10_000);
    expect(15_000 - dropped).toBeGreaterThan(8_000);
    log.add(row({ organizationId: 'other' }));
    response = async () => ({ dropped: 0 });
    await time.advance(60_000);
    expect(counted).toEqual({ recorded: 15_001 - dropped, dropped });
    expect(log.share.used).toBe(0);
  });

  it('drops and counts what the control plane never accepts, and does not try again for minutes', async () => {
    response = async () => 'refused';
    log.add(row());
    await time.advance(1_000);
    log.add(row());
    await time.advance(200_000);
    expect(reports).toHaveLength(1);
    expect(counted).toEqual({ recorded: 0, dropped: 1 });
    await time.advance(200_000);
    expect(counted).toEqual({ recorded: 0, dropped: 2 });
  });

  it('counts what the control plane drops', async () => {
    response = async (rows) => ({ dropped: rows.length - 1 });
    for (let added = 0; added < 5; added++) log.add(row());
    await time.advance(1_000);
    expect(counted).toEqual({ recorded: 1, dropped: 4 });
  });

  it('represents a flood of equal refusals by few rows, which add up to the exact number', async () => {
    for (let added = 0; added < 5_000; added++) log.add(refusal());
    for (let added = 0; added < 7; added++) log.add(refusal({ keyId: 'another key' }));
    await time.advance(intervalMs + 1_000);
    const rows = reports.flat();
    expect(rows).toHaveLength(passedMax + 1 + 7);
    expect(rows.reduce((sum, { represents }) => sum + represents, 0)).toBe(5_007);
    expect(counted).toEqual({ recorded: 5_007, dropped: 0 });
  });

  it('does not sample what a provider got', async () => {
    for (let added = 0; added < 100; added++) log.add(row({ status: 429, errorSource: 'provider', errorCode: 'x' }));
    await time.advance(1_000);
    expect(reports.flat()).toHaveLength(100);
  });

  it('reports at its end what waits and what is sampled', async () => {
    for (let added = 0; added < 30; added++) log.add(refusal());
    await log.close();
    expect(reports.flat().reduce((sum, { represents }) => sum + represents, 0)).toBe(30);
  });

  it('ends within seconds while the control plane does not respond, and counts what is lost', async () => {
    response = () => new Promise(() => undefined);
    log.add(row());
    await time.advance(1_000);
    log.add(row());
    const closing = log.close();
    await time.advance(3_000);
    await closing;
    expect(counted).toEqual({ recorded: 0, dropped: 2 });
  });
});
