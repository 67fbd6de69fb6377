// A request whose first target is late goes to the next target as well, over sockets and through the vendors' SDKs
// without their retries. Both attempts may cost something, so the ledger has to know both, and nothing may stay reserved.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, type RecordedRequest, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { createBudget } from '../../support/spending.ts';
import { metric } from '../../support/telemetry.ts';

const gpt = 'gpt-provider/gpt-4o-mini';
const claude = 'assistant-provider/claude-haiku-4-5';
const other = 'assistant-provider/claude-sonnet-4-5';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const late: Behaviour = { headDelayMs: 10_000, text: 'too late' };
let organizations = 0;

let gateway: TestGateway;
/** A new one for each test: a proxy remembers how fast targets are. */
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };
let budget: string;

beforeAll(async () => {
  gateway = await startGateway();
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  await organization.storeProviderKeys();
  key = await organization.createKey();
  budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
});
afterAll(() => gateway?.close());

async function createRoute(models: readonly string[], hedge: object = { afterMs: 80 }, group = {}, more = {}) {
  const groups = models.map((model) => ({ targets: [{ model }], ...group }));
  const request = { organizationId: organization.id, name: 'fast', groups, settings: { hedge, ...more } };
  await organization.api.call('Routes/Create', request);
}

function script(model: string, behaviour: Behaviour, times = 1): void {
  const name = model.slice(model.indexOf('/') + 1);
  gateway.simulator.script(behaviour, { times, when: (request) => (request.json() as JsonObject).model === name });
}

const openai = () => new OpenAI({ apiKey: key.value, baseURL: `${gateway.proxy.url}/v1`, maxRetries: 0 });

interface Read {
  readonly text: string;
  readonly headers: Headers;
}

async function whole(fields: object = {}): Promise<Read> {
  const pending = openai().chat.completions.create({ model: 'fast', messages, ...fields });
  const { data, response } = await pending.withResponse();
  return { text: data.choices[0]?.message.content ?? '', headers: response.headers };
}

async function streamed(fields: object = {}): Promise<Read> {
  const pending = openai().chat.completions.create({ model: 'fast', messages, stream: true, ...fields });
  const { data, response } = await pending.withResponse();
  let text = '';
  const ids = new Set<string>();
  const roles: unknown[] = [];
  for await (const { id, choices } of data) {
    ids.add(id);
    text += choices[0]?.delta.content ?? '';
    if (choices[0]?.delta.role !== undefined) roles.push(choices[0].delta.role);
  }
  expect([ids.size, roles]).toEqual([1, ['assistant']]);
  return { text, headers: response.headers };
}

const forms = [
  ['whole', whole],
  ['streamed', streamed],
] as const;

const idOf = ({ headers }: Read) => headers.get('x-request-id') ?? '';
const facts = ({ headers }: Read) => [headers.get('x-svc-model'), headers.get('x-svc-attempts')];
const hedges = (result: string) => metric(gateway.proxy, 'gateway_hedges_total', { result });

async function lineOf(id: string): Promise<JsonObject> {
  const line = await until(() => Promise.resolve(gateway.logs.find((one) => one.includes(id))), { what: 'its line' });
  return JSON.parse(line) as JsonObject;
}

function rowsOf(id: string, count: number): Promise<readonly RecordedRequest[]> {
  return until(
    async () => {
      const rows = await recordedRequests({ controlPlane: gateway.controlPlane, organization });
      const own = rows.filter(({ requestId }) => requestId === id);
      return own.length === count ? own.toSorted((a, b) => a.modelAsked.localeCompare(b.modelAsked)) : undefined;
    },
    { what: `${count} rows of ${id}` },
  );
}

/** What was charged is what the rows say, and nothing is reserved any more. */
async function expectExact(rows: readonly RecordedRequest[]): Promise<void> {
  const spent = rows.reduce((sum, row) => sum + costOf(row), 0);
  await expect.poll(async () => (await wholeLedger(organization, budget)).map((one) => one.spent)).toEqual([spent]);
  for (const name of ['gateway_budget_reserved_usd', 'gateway_in_flight_requests']) {
    await expect.poll(() => metric(gateway.proxy, name), { message: name }).toBe(0);
  }
}

const outcomes = (rows: readonly RecordedRequest[]) =>
  rows.map(({ modelAsked, status, errorCode, estimateReason }) => [modelAsked, status, errorCode, estimateReason]);

describe.each(forms)('a request, %s, whose first target is late', (_form, read) => {
  it('is served by the second one, and both are charged: the first one by its reservation', async () => {
    await createRoute([gpt, claude]);
    script(gpt, late);
    script(claude, { text: 'in time' });
    const before = await hedges('hedge');
    const found = await read();
    expect([found.text, ...facts(found)]).toEqual(['in time', 'claude-haiku-4-5', '2']);
    const rows = await rowsOf(idOf(found), 2);
    expect(outcomes(rows)).toEqual([
      [claude, 200, '', undefined],
      [gpt, 499, 'hedge_lost', 'not_read'],
    ]);
    expect(rows.map(costOf).every((cost) => cost > 0)).toBe(true);
    const connections = gateway.simulator.requests.map(({ ended }) => ended);
    expect(connections.toSorted()).toEqual(['client_left', 'finished']);
    await expectExact(rows);
    expect(await lineOf(idOf(found))).toMatchObject({ attempts: 2, hedge: 'hedge', model: 'claude-haiku-4-5' });
    expect(await hedges('hedge')).toBe(before + 1);
  });

  it('is served by the first one if that responds sooner after all', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { headDelayMs: 400, text: 'after all' });
    script(claude, late);
    const found = await read();
    expect([found.text, ...facts(found)]).toEqual(['after all', 'gpt-4o-mini', '2']);
    const rows = await rowsOf(idOf(found), 2);
    expect(outcomes(rows)).toEqual([
      [claude, 499, 'hedge_lost', 'not_read'],
      [gpt, 200, '', undefined],
    ]);
    await expectExact(rows);
    expect(await lineOf(idOf(found))).toMatchObject({ hedge: 'first', model: 'gpt-4o-mini', provider: 'gpt-provider' });
  });

  it('goes to the third one if both fail, and no further', async () => {
    await createRoute([gpt, claude, other]);
    script(gpt, { headDelayMs: 400, status: 500 });
    script(claude, { headDelayMs: 50, status: 503 });
    script(other, { text: 'the third' });
    const found = await read();
    expect([found.text, ...facts(found)]).toEqual(['the third', 'claude-sonnet-4-5', '3']);
    expect(await lineOf(idOf(found))).toMatchObject({ hedge: 'none' });
    await expectExact(await rowsOf(idOf(found), 1));
  });

  it('is charged for both attempts if its caller leaves in between', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { headDelayMs: 1000 });
    script(claude, { headDelayMs: 1000 });
    const controller = new AbortController();
    const stream = read === streamed;
    const pending = openai().chat.completions.create(
      { model: 'fast', messages, stream },
      { signal: controller.signal },
    );
    await until(() => Promise.resolve(gateway.simulator.requests.length === 2), { what: 'both attempts' });
    controller.abort();
    await expect(pending).rejects.toThrow();
    const rows = await until(
      async () => {
        const all = await recordedRequests({ controlPlane: gateway.controlPlane, organization });
        return all.length === 2 ? all : undefined;
      },
      { timeoutMs: 20_000, what: 'both rows' },
    );
    expect(rows.map(({ modelAsked, status }) => [modelAsked, status]).sort()).toEqual([
      [claude, 499],
      [gpt, 499],
    ]);
    await expectExact(rows);
  });
});

describe('a late request of which one attempt fails', () => {
  it('is served by the first one if the second one fails, which costs nothing', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { headDelayMs: 400, text: 'after all' });
    script(claude, { status: 503 });
    const found = await streamed();
    expect([found.text, ...facts(found)]).toEqual(['after all', 'gpt-4o-mini', '2']);
    await expectExact(await rowsOf(idOf(found), 1));
  });

  it('is served by the first one if the second one cannot be sent the request, which costs nothing', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { headDelayMs: 400, text: 'after all' });
    const before = await hedges('first');
    const found = await streamed({ logprobs: true });
    expect([found.text, ...facts(found)]).toEqual(['after all', 'gpt-4o-mini', '1']);
    expect([gateway.simulator.requests.length, await hedges('first')]).toEqual([1, before + 1]);
    await expectExact(await rowsOf(idOf(found), 1));
  });

  it('is served by the second one if the first one fails meanwhile', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { headDelayMs: 400, status: 500 });
    script(claude, { headDelayMs: 500, text: 'the other' });
    const found = await streamed();
    expect([found.text, ...facts(found)]).toEqual(['the other', 'claude-haiku-4-5', '2']);
    await expectExact(await rowsOf(idOf(found), 1));
  });

  it('is refused like without a hedge if the first one refuses it, and the second one is cancelled', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { headDelayMs: 400, status: 400 });
    script(claude, late);
    const error = await streamed().catch((thrown: unknown) => thrown);
    if (!(error instanceof OpenAI.BadRequestError)) throw error;
    const rows = await rowsOf(error.headers.get('x-request-id') ?? '', 2);
    expect(outcomes(rows)).toEqual([
      [claude, 499, 'hedge_lost', 'not_read'],
      [gpt, 400, expect.any(String), undefined],
    ]);
    await expectExact(rows);
  });
});

describe('a stream whose first target sends a head and nothing else', () => {
  it('is served by the second one in the format of its client, which is the vendor’s own', async () => {
    await createRoute([claude, other]);
    script(claude, { text: 'never', stop: { by: 'silence', afterPieces: 2 } });
    script(other, { text: 'in time' });
    const client = new Anthropic({ apiKey: key.value, baseURL: gateway.proxy.url, maxRetries: 0 });
    const stream = client.messages.stream({ model: 'fast', max_tokens: 1000, messages });
    const { content, model } = await stream.finalMessage();
    expect([content.map((part) => part.type === 'text' && part.text), model]).toEqual([
      ['in time'],
      'claude-sonnet-4-5-20250929',
    ]);
    await expectExact(await rowsOf(stream.request_id ?? '', 2));
  });

  it('is continued by a third target if the second one is cut', async () => {
    await createRoute([gpt, claude, other], { afterMs: 80 }, {}, { recovery: 'ROUTE_RECOVERY_CONTINUE' });
    script(gpt, late);
    script(claude, { text: 'Once upon a time', stop: { by: 'reset', afterPieces: 4 } });
    script(other, { text: ', there was a kettle.' });
    const found = await streamed();
    expect(found.text).toMatch(/^Once.*, there was a kettle\.$/);
    const rows = await rowsOf(idOf(found), 3);
    expect(rows.map(({ estimateReason }) => estimateReason)).toEqual(['reset', undefined, 'not_read']);
    expect(await lineOf(idOf(found))).toMatchObject({ attempts: 3, hedge: 'hedge', recovered: 'continued' });
    await expectExact(rows);
  });

  it('is served by the second one, under one head', async () => {
    await createRoute([gpt, claude]);
    script(gpt, { text: 'never', stop: { by: 'silence', afterPieces: 1 } });
    script(claude, { text: 'in time' });
    const found = await streamed();
    expect([found.text, ...facts(found)]).toEqual(['in time', 'claude-haiku-4-5', '2']);
    await expectExact(await rowsOf(idOf(found), 2));
  });
});

describe('a late request is not hedged', () => {
  const slow: Behaviour = { headDelayMs: 400, text: 'slow' };

  it.each<[string, object, object]>([
    ['for several choices', { n: 2 }, {}],
    ['of a sticky group', {}, { choice: 'GROUP_CHOICE_STICKY' }],
  ])('%s', async (_name, fields, group) => {
    await createRoute([gpt, claude], { afterMs: 50 }, group);
    script(gpt, slow, 9);
    script(claude, slow, 9);
    const { headers } = await whole(fields);
    expect(headers.get('x-svc-attempts')).toBe('1');
  });

  it('if a twentieth of the requests was, until more have come', async () => {
    await createRoute([gpt, claude], { afterMs: 50 });
    script(gpt, slow, 2);
    expect((await whole()).headers.get('x-svc-attempts')).toBe('2');
    const before = await hedges('no_share');
    expect((await whole()).headers.get('x-svc-attempts')).toBe('1');
    expect(await hedges('no_share')).toBe(before + 1);
    for (let request = 0; request < 18; request++) await whole();
    script(gpt, slow);
    expect((await whole()).headers.get('x-svc-attempts')).toBe('2');
  });

  it('without money for a second attempt', async () => {
    // Its provider has two keys.
    await organization.api.call('ProviderKeys/Create', {
      ...{ organizationId: organization.id, provider: 'gpt-provider', name: 'second' },
      secret: { apiKey: 'sk-sim-second-0123456789' },
    });
    await createRoute([gpt]);
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.003' });
    script(gpt, slow);
    const before = await hedges('no_money');
    const found = await streamed({ max_completion_tokens: 3500 });
    expect([found.text, ...facts(found)]).toEqual(['slow', 'gpt-4o-mini', '1']);
    expect(await hedges('no_money')).toBe(before + 1);
    await expectExact(await rowsOf(idOf(found), 1));
  });
});

describe('after a percentile', () => {
  it('of the target’s own recent times, a request is hedged as soon as there are enough of them', async () => {
    await createRoute([gpt, claude], { percentile: 95 });
    script(gpt, { headDelayMs: 200, text: 'not known yet' });
    expect(facts(await streamed())).toEqual(['gpt-4o-mini', '1']);
    for (let request = 0; request < 20; request++) await streamed();
    script(gpt, late);
    script(claude, { text: 'in time' });
    const found = await streamed();
    expect([found.text, ...facts(found)]).toEqual(['in time', 'claude-haiku-4-5', '2']);
  });
});
