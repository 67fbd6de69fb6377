// Responses in the background, from the vendor's SDK through the gateway over PostgreSQL and Redis: they are settled
// exactly once, by the proxy that took the request, also if others read, cancel or delete them, and whatever happens to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { type APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/index.ts';
import { redisResponds } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequest, recordedRequests } from '../../support/recorded.ts';
import { costReported } from '../../support/recorder.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { createBudget, ledgerAtRest, ledgerOf, makeDear } from '../../support/spending.ts';
import { logged, metric } from '../../support/telemetry.ts';

const model = 'gpt-4o-mini';
const reported = { promptTokens: 20, completionTokens: 10 };
const cost = costReported(reported);
const usage = { input_tokens: reported.promptTokens, output_tokens: reported.completionTokens };
/** It never ends in the time of a test. */
const endless = 1_000_000;

let database: TestDatabase;
let redis: TestRedis;
let gateway: TestGateway;
let proxy: TestProxy;
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };
let budget: string;
let names = 0;

beforeAll(async () => {
  [database, redis] = await Promise.all([createDatabase(), startRedis()]);
  gateway = await startGateway({ databaseUrl: database.url, proxy: { REDIS_URL: redis.url } });
  ({ proxy } = gateway);
  await redisResponds(proxy);
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`background ${++names}`);
  const { api, id } = organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { responses: { background: true } } });
  await makeDear(organization);
  key = await organization.createKey();
  budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '10' });
});
afterAll(async () => {
  await gateway?.close();
  await redis?.stop();
  await database?.drop();
});

const client = (at: { readonly url: string } = proxy, value = key.value) =>
  new OpenAI({ baseURL: `${at.url}/v1`, apiKey: value, maxRetries: 0 });

const input = (behaviour: Behaviour = {}) => JSON.stringify({ simulate: { usage, ...behaviour } });

const params = (behaviour: Behaviour = {}) =>
  ({
    ...{ model: `gpt-provider/${model}`, input: input(behaviour), max_output_tokens: 100 },
    background: true,
  }) as const;

/** A response in the background, and its request's id. */
async function create(behaviour: Behaviour = {}, at: { readonly url: string } = proxy) {
  const requestId = `background-${++names}`;
  const headers = { 'x-request-id': requestId };
  const response = await client(at).responses.create(params(behaviour), { headers });
  return { requestId, response };
}

const rowOf = (requestId: string) => recordedRequest({ ...gateway, organization }, requestId);
const thrown = (pending: Promise<unknown>) => pending.catch((error: unknown) => error as APIError);

/** Every row of the organization, once no lease has money. */
async function settledRows() {
  const { spent } = await ledgerAtRest(organization, budget);
  return { spent, rows: await recordedRequests({ ...gateway, organization }) };
}

describe('a response in the background', () => {
  it('is settled once, by its usage, and its owner reads it meanwhile', async () => {
    const costBefore = await metric(proxy, 'gateway_cost_nano_usd_total');
    const { response, requestId } = await create({ backgroundReads: 4 });
    expect(response).toMatchObject({ status: 'queued', id: expect.stringMatching(/^resp_gw1_/) });
    expect(await metric(proxy, 'gateway_background_responses')).toBe(1);
    const { responses } = client();
    const ended = await until(async () => {
      const read = await responses.retrieve(response.id);
      return read.status === 'completed' && read;
    });
    expect(ended).toMatchObject({ id: response.id, background: true, output: [{ type: 'message' }] });
    const { rows, spent } = await settledRows();
    expect(rows).toMatchObject([{ requestId, ...reported, estimated: false, status: 200, streamed: false }]);
    expect([spent, ...rows.map(costOf)]).toEqual([cost, cost]);
    expect((await metric(proxy, 'gateway_cost_nano_usd_total')) - costBefore).toBe(cost);
    expect(await metric(proxy, 'gateway_background_responses')).toBe(0);
    const lines = logged(gateway.logs, 'response in the background').filter((line) => line.request_id === requestId);
    expect(lines).toMatchObject([{ result: 'settled', response_status: 'completed', prompt_tokens: 20 }]);
  });

  it('is settled by the proxy that took it, also if another one serves its reads, or nobody reads it', async () => {
    const other = await gateway.startProxy();
    const first = await create();
    const second = await create();
    await client(other).responses.retrieve(first.response.id);
    await Promise.all([rowOf(first.requestId), rowOf(second.requestId)]);
    const { rows, spent } = await settledRows();
    expect(rows.map(({ estimated }) => estimated)).toEqual([false, false]);
    expect(spent).toBe(2 * cost);
  });

  it('is cancelled by its owner, and charged its reservation if the vendor reports no usage', async () => {
    const { response, requestId } = await create({ backgroundReads: endless });
    expect((await client().responses.cancel(response.id)).status).toBe('cancelled');
    const row = await rowOf(requestId);
    expect(row).toMatchObject({ estimated: true, estimateReason: 'cut' });
    expect(costOf(row)).toBeGreaterThan(100 * 60_000);
    expect((await settledRows()).spent).toBe(costOf(row));
  });

  it('is settled by its usage if its owner deletes it once it is over', async () => {
    const { response, requestId } = await create({ backgroundReads: 1 });
    await client().responses.delete(response.id);
    expect(await rowOf(requestId)).toMatchObject({ ...reported, estimated: false });
    expect(await thrown(client().responses.retrieve(response.id))).toMatchObject({ code: 'response_not_found' });
  });

  it('that fails costs nothing', async () => {
    const { requestId } = await create({ finishReason: 'failed', usage: null, backgroundReads: 1 });
    expect(await rowOf(requestId)).toMatchObject({ costUsd: '0', estimated: false });
  });

  it('cannot be read, cancelled or deleted by another scope', async () => {
    const { response } = await create({ backgroundReads: endless });
    const { api, id: organizationId } = organization;
    const system = await api.call('AiSystems/Create', { organizationId, name: 'sibling' });
    const sibling = await organization.createKey({ scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id } });
    const { responses } = client(proxy, sibling.value);
    for (const use of [
      () => responses.retrieve(response.id),
      () => responses.cancel(response.id),
      () => responses.delete(response.id),
    ]) {
      expect(await thrown(use())).toMatchObject({ status: 404, code: 'response_not_found' });
    }
    expect((await client().responses.cancel(response.id)).status).toBe('cancelled');
  });

  it('counts as a concurrent request until it is over, and can be read meanwhile', async () => {
    await organization.api.call('Limits/Create', {
      organizationId: organization.id,
      subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.id },
      kind: 'LIMIT_KIND_CONCURRENT_REQUESTS',
      count: 1,
    });
    const { response } = await create({ backgroundReads: 3 });
    const next = () => thrown(client().responses.create({ ...params(), background: false }));
    await until(async () => (await next()) instanceof OpenAI.RateLimitError, { what: 'the limit to apply' });
    expect((await client().responses.retrieve(response.id)).status).toBe('in_progress');
    await until(async () => ((await next()) as { status?: unknown }).status === 'completed', {
      what: 'the slot to be free',
    });
  });
});

describe('a streamed response in the background', () => {
  it('is settled by its stream', async () => {
    const events = await Array.fromAsync(await client().responses.create({ ...params(), stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    const { rows, spent } = await settledRows();
    expect(rows).toMatchObject([{ ...reported, estimated: false, streamed: true }]);
    expect(spent).toBe(cost);
  });

  it('is settled by reading it if the stream breaks off', async () => {
    const stream = await client().responses.create({
      ...params({ stop: { by: 'cut', afterPieces: 4 } }),
      stream: true,
    });
    await expect(Array.fromAsync(stream)).rejects.toThrow();
    await until(async () => (await recordedRequests({ ...gateway, organization })).length === 1);
    const { rows, spent } = await settledRows();
    expect(rows).toMatchObject([{ ...reported, estimated: false, streamed: true }]);
    expect(spent).toBe(cost);
  });

  it('is settled by its usage if its caller leaves', async () => {
    const stream = await client().responses.create({ ...params({ pieceDelayMs: 50 }), stream: true });
    for await (const event of stream) if (event.type === 'response.in_progress') break;
    stream.controller.abort();
    await until(async () => (await recordedRequests({ ...gateway, organization })).length === 1);
    const { rows } = await settledRows();
    expect(rows).toMatchObject([{ ...reported, estimated: false, status: 499 }]);
  });
});

describe('a response in the background is refused', () => {
  it.each([
    ['unless the organization has enabled it', {}, { background: false }],
    ['if it is not stored', { store: false }, {}],
    ['if the organization stores nothing', {}, { stored: false }],
  ])('%s', async (_, fields, responses) => {
    const { api, id } = organization;
    await api.call('Organizations/UpdateSettings', { id, settings: { responses } });
    const refusal = await until(async () => {
      const error = await thrown(client().responses.create({ ...params({ backgroundReads: 1 }), ...fields }));
      return error instanceof OpenAI.BadRequestError && error;
    });
    expect(refusal).toMatchObject({ code: 'unsupported_parameter', param: 'background' });
    expect(gateway.simulator.requests.filter(({ body }) => String(body).includes('"store":false'))).toEqual([]);
  });

  it('if there is no room for it', async () => {
    const small = await gateway.startProxy({ GATEWAY_BACKGROUND_MAX: '1' });
    const { response, requestId } = await create({ backgroundReads: endless }, small);
    expect(await thrown(create({}, small))).toMatchObject({ status: 503, code: 'overloaded' });
    expect((await client(small).responses.create({ ...params(), background: false })).status).toBe('completed');
    await client(small).responses.cancel(response.id);
    await rowOf(requestId);
    expect((await until(() => create({ backgroundReads: 1 }, small).catch(() => undefined))).response.status).toBe(
      'queued',
    );
  });
});

describe('a proxy that follows a response', () => {
  it('charges its reservation when it is drained before the end', async () => {
    const drained = await gateway.startProxy();
    const { requestId } = await create({ backgroundReads: endless }, drained);
    const { leased } = await ledgerOf(organization, budget);
    expect(leased).toBeGreaterThan(0);
    await drained.drain();
    const row = await rowOf(requestId);
    expect(row).toMatchObject({ estimated: true, estimateReason: 'shutdown' });
    expect(costOf(row)).toBeGreaterThan(100 * 60_000);
    expect((await settledRows()).spent).toBe(costOf(row));
  });

  it('waits for the end while it is drained, within the grace', async () => {
    const drained = await gateway.startProxy({ GATEWAY_DRAIN_GRACE: '60s' });
    const { requestId } = await create({ backgroundReads: 3 }, drained);
    await drained.drain();
    expect(await rowOf(requestId)).toMatchObject({ ...reported, estimated: false });
  });

  it('that is killed leaves the reservation to the next process in its pod', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-background-'));
    try {
      const env = { GATEWAY_JOURNAL_DIR: directory };
      const first = await gateway.startProxyProcess(env);
      const { requestId } = await create({ backgroundReads: endless }, first);
      first.child.signal('SIGKILL');
      await first.child.exited;
      await gateway.startProxyProcess(env);
      const row = await rowOf(requestId);
      expect(row).toMatchObject({ estimated: true, estimateReason: 'killed' });
      const { rows, spent } = await settledRows();
      expect(rows).toHaveLength(1);
      expect(spent).toBe(costOf(row));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('reads of stored responses', () => {
  it('count as requests, and cost nothing', async () => {
    await organization.api.call('Limits/Create', {
      organizationId: organization.id,
      subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.id },
      kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE',
      count: 4,
    });
    const { responses } = client();
    const made = await until(async () => {
      const { data, response } = await responses.create({ ...params(), background: false }).withResponse();
      return response.headers.get('x-ratelimit-remaining-requests') === '3' && data;
    });
    const { response } = await responses.retrieve(made.id).withResponse();
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('2');
    await responses.inputItems.list(made.id);
    await responses.delete(made.id);
    gateway.simulator.reset();
    const refused = await thrown(responses.retrieve(made.id));
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(gateway.simulator.requests).toEqual([]);
    const { rows } = await settledRows();
    expect(new Set(rows.map(costOf))).toEqual(new Set([cost]));
  });
});
