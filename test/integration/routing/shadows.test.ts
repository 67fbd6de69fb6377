// A route copies requests to another model: through the vendors' SDKs, what callers notice of it (nothing), who pays, and
// what operators see.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { createBudget } from '../../support/spending.ts';
import { logged, metric } from '../../support/telemetry.ts';

const gpt = 'gpt-provider/gpt-4o-mini';
const claude = 'assistant-provider/claude-haiku-4-5';
const messages = [{ role: 'user' as const, content: 'Hello' }];
let organizations = 0;

let gateway: TestGateway;
/** It waits for nothing long, and has room for two copies. */
let hasty: TestProxy;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  hasty = await gateway.startProxy({
    ...{ GATEWAY_FIRST_BYTE_TIMEOUT: '300ms', GATEWAY_TOTAL_TIMEOUT: '1s' },
    ...{ GATEWAY_IN_FLIGHT_MAX: '20', GATEWAY_ORGANIZATION_SHARE: '100' },
  });
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  await organization.storeProviderKeys();
  key = await organization.createKey();
});
afterAll(() => gateway?.close());

/** `fast` leads to the GPT vendor, and copies all of its requests to the assistant vendor. */
async function createRoute(): Promise<void> {
  const groups = [{ targets: [{ model: gpt }] }];
  const settings = { shadow: { model: claude, percent: 100 } };
  await organization.api.call('Routes/Create', { organizationId: organization.id, name: 'fast', groups, settings });
}

function budget(of: { readonly amountUsd: string; readonly model?: string }): Promise<string> {
  return createBudget(organization, { kind: 'ORGANIZATION', id: organization.id }, of);
}

async function copiedRoute(amountUsd = '5'): Promise<string> {
  await createRoute();
  return await budget({ amountUsd, model: 'shadow/fast' });
}

function chat(proxy: Pick<TestProxy, 'url'> = gateway.proxy, value = key.value): OpenAI {
  return new OpenAI({ apiKey: value, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
}

async function whole(proxy?: Pick<TestProxy, 'url'>, content = 'Hello', value = key.value) {
  const body = { model: 'fast', messages: [{ role: 'user' as const, content }] };
  const { data, response } = await chat(proxy, value).chat.completions.create(body).withResponse();
  return { text: data.choices[0]?.message.content ?? '', headers: response.headers };
}

async function streamed(proxy?: TestProxy) {
  const pending = chat(proxy).chat.completions.create({ model: 'fast', messages, stream: true });
  const { data, response } = await pending.withResponse();
  let text = '';
  for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
  return { text, headers: response.headers };
}

async function wholeMessage(proxy: TestProxy = gateway.proxy) {
  const client = new Anthropic({ apiKey: key.value, baseURL: proxy.url, maxRetries: 0 });
  const { data, response } = await client.messages.create({ model: 'fast', max_tokens: 100, messages }).withResponse();
  return {
    text: data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    headers: response.headers,
  };
}

/** The bodies that the assistant vendor got. */
function copies() {
  return gateway.simulator.requests.filter(({ headers }) => headers['x-api-key'] !== undefined);
}

function script(behaviour: Behaviour): void {
  gateway.simulator.script(behaviour, { times: 99, when: ({ headers }) => headers['x-api-key'] !== undefined });
}

const shadowsOf = () => logged(gateway.logs, 'shadow').filter((line) => line.organization_id === organization.id);
const ended = (count = 1) =>
  until(() => (shadowsOf().length >= count ? shadowsOf() : undefined), { what: `${count} copies to end` });
const counted = (result: string, proxy: TestProxy = gateway.proxy) =>
  metric(proxy, 'gateway_shadow_requests_total', { result });

async function rowsOf(count: number) {
  const of = { controlPlane: gateway.controlPlane, organization };
  const all = async () => ((await recordedRequests(of)).length >= count ? await recordedRequests(of) : undefined);
  return await until(all, { what: `${count} rows of usage` });
}

async function spentIn(id: string): Promise<readonly number[]> {
  return (await wholeLedger(organization, id)).map(({ spent }) => spent);
}

describe('a copy of a request', () => {
  it.each([
    ['chat completions, whole', whole],
    ['chat completions, streamed', streamed],
    ['messages, whole', wholeMessage],
  ])('is paid by the budget for copies alone, exactly: %s', async (_form, request) => {
    const ofCopies = await copiedRoute();
    const ofAll = await budget({ amountUsd: '5' });
    const ofClaude = await budget({ amountUsd: '5', model: 'assistant-provider/*' });
    const { text, headers } = await request();
    expect(text).not.toBe('');
    expect([headers.get('x-svc-provider'), headers.get('x-svc-attempts')]).toEqual(['gpt-provider', '1']);
    const [line] = await ended();
    expect(line).toMatchObject({ result: 'responded', model_route: 'fast', model: 'claude-haiku-4-5', status: 200 });
    const rows = (await rowsOf(2)).toSorted((a, b) => (String(a.kind) < String(b.kind) ? -1 : 1));
    expect(rows.map(({ kind, modelAsked, keyId }) => [kind, modelAsked, keyId])).toEqual([
      ['request', gpt, key.id],
      ['shadow', claude, key.id],
    ]);
    expect(new Set(rows.map(({ requestId }) => requestId))).toEqual(new Set([headers.get('x-request-id')]));
    const [served = 0, copied = 0] = rows.map(costOf);
    expect([served > 0, copied > 0]).toEqual([true, true]);
    await expect.poll(() => spentIn(ofAll)).toEqual([served]);
    await expect.poll(() => spentIn(ofCopies)).toEqual([copied]);
    expect(await spentIn(ofClaude)).toEqual([0]);
    // A budget that is created later counts what was recorded in its window before.
    const later = await budget({ amountUsd: '5' });
    await request();
    await ended(2);
    const again = async () => (await rowsOf(4)).filter(({ kind }) => kind === 'request').map(costOf);
    const [first = 0, second = 0] = await again();
    await expect.poll(() => spentIn(later)).toEqual([first + second]);
  });

  it('is a sum of its own in reports, of no key', async () => {
    await copiedRoute();
    await whole();
    await ended();
    await rowsOf(2);
    const totals = async (request: object) =>
      (await organization.api.call('Usage/Totals', { organizationId: organization.id, ...request })).totals;
    const groupBy = ['USAGE_DIMENSION_MODEL', 'USAGE_DIMENSION_KEY', 'USAGE_DIMENSION_PROVIDER'];
    expect(await totals({ groupBy })).toMatchObject([
      { model: gpt, keyId: key.id, provider: 'gpt-provider', requests: '1' },
      { model: `shadow/${claude}`, provider: 'assistant-provider', requests: '1' },
    ]);
    expect(await totals({ keyId: key.id })).toMatchObject([{ requests: '1' }]);
    expect(await totals({ model: 'shadow/*' })).toMatchObject([{ requests: '1' }]);
    expect(await totals({ provider: 'assistant-provider' })).toMatchObject([{ requests: '1' }]);
  });

  it('of a large request is sent too, and both are complete', async () => {
    await copiedRoute();
    const content = 'many words '.repeat(40_000);
    const { text } = await whole(undefined, content);
    expect(text).not.toBe('');
    expect(await ended()).toMatchObject([{ result: 'responded' }]);
    const sent = gateway.simulator.requests.map((request) => JSON.stringify(request.json()).includes(content));
    expect(sent).toEqual([true, true]);
  });

  it('is compared with the request that was copied', async () => {
    await copiedRoute();
    const count = (request: string, name = 'duration') =>
      metric(gateway.proxy, `gateway_shadow_${name}_seconds_count`, { request });
    const read = () => Promise.all([count('caller'), count('shadow'), count('shadow', 'first_token')]);
    const [callers = 0, shadows = 0, firstTokens = 0] = await read();
    await streamed();
    await ended();
    await expect.poll(read).toEqual([callers + 1, shadows + 1, firstTokens + 1]);
  });

  it('contains what guardrails have left of the request', async () => {
    await copiedRoute();
    await organization.api.call('Guardrails/Create', {
      ...{ organizationId: organization.id, name: 'no-mail' },
      ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_REDACT' },
      check: { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL'] } },
    });
    const { text } = await whole(undefined, JSON.stringify({ mail: 'ada@example.com' }));
    expect(text).not.toBe('');
    await ended();
    const [copy] = copies();
    expect(copy?.body.toString()).toContain('[EMAIL_1]');
    expect(copy?.body.toString()).not.toContain('ada@example.com');
  });

  it('is not sent to a model that the key may not call', async () => {
    await copiedRoute();
    const { value } = await organization.createKey({ allowedModels: { globs: ['route/fast', gpt] } });
    const before = await counted('not_allowed');
    await whole(undefined, 'Hello', value);
    await expect.poll(() => counted('not_allowed')).toBe(before + 1);
    expect(copies()).toEqual([]);
  });

  it('is not sent without a budget for copies, or without money in it', async () => {
    await createRoute();
    await budget({ amountUsd: '5' });
    const [none, little] = [await counted('no_budget'), await counted('no_money')];
    await whole();
    await expect.poll(() => counted('no_budget')).toBe(none + 1);
    await budget({ amountUsd: '0.000001', model: 'shadow/*' });
    // The record with the new budget has to arrive.
    await expect.poll(async () => [await whole(), await counted('no_money')][1]).toBeGreaterThan(little);
    expect(copies()).toEqual([]);
    expect((await rowsOf(1)).every(({ kind }) => kind === 'request')).toBe(true);
  });
});

describe('a caller', () => {
  it.each<readonly [string, Behaviour, object, boolean]>([
    [
      'never responds',
      { stop: { by: 'silence', beforeHead: true } },
      { result: 'timed_out', estimated: 'timed_out' },
      true,
    ],
    [
      'fails',
      { status: 500 },
      { result: 'failed', status: 500, error_source: 'provider', reason: expect.stringContaining('500') },
      false,
    ],
    [
      'resets the connection',
      { stop: { by: 'reset', afterPieces: 1 } },
      { result: 'failed', estimated: 'reset' },
      true,
    ],
    ['is slow', { headDelayMs: 600 }, { result: 'responded', status: 200 }, true],
  ])(
    'gets its response unchanged and at once when the model of the copies %s',
    async (_what, behaviour, line, hasCost) => {
      const ofCopies = await copiedRoute();
      script(behaviour);
      const { text, headers } = await whole(hasty);
      expect(text).not.toBe('');
      expect(headers.get('x-svc-attempts')).toBe('1');
      expect(shadowsOf().filter(({ result }) => result !== 'failed')).toEqual([]);
      expect(await ended()).toMatchObject([line]);
      // One attempt, whatever becomes of it.
      expect(copies()).toHaveLength(1);
      const rows = await rowsOf(2);
      const copied = rows.filter(({ kind }) => kind === 'shadow').map(costOf);
      expect(copied.map((cost) => cost > 0)).toEqual([hasCost]);
      await expect.poll(() => spentIn(ofCopies)).toEqual(copied);
    },
  );

  it('who leaves does not end the copy', async () => {
    await copiedRoute();
    script({ headDelayMs: 300 });
    gateway.simulator.script({ headDelayMs: 5000 }, { times: 1, when: ({ headers }) => !('x-api-key' in headers) });
    const leaving = new AbortController();
    const pending = chat().chat.completions.create({ model: 'fast', messages }, { signal: leaving.signal });
    await until(() => (copies().length > 0 ? true : undefined), { what: 'the copy' });
    leaving.abort();
    await expect(pending).rejects.toThrow();
    expect(await ended()).toMatchObject([{ result: 'responded' }]);
  });

  it('is served when a tenth of the slots has copies: there are no more of them', async () => {
    await copiedRoute();
    script({ headDelayMs: 700 });
    const before = await counted('no_room', hasty);
    const served = await Promise.all(Array.from({ length: 8 }, () => whole(hasty)));
    expect(served.every(({ text }) => text !== '')).toBe(true);
    await until(() => copies().length >= 2);
    expect(copies()).toHaveLength(2);
    expect(await counted('no_room', hasty)).toBe(before + 6);
    await ended(2);
  });
});

describe('a drain', () => {
  it('ends copies at once, and charges what was reserved for them', async () => {
    const ofCopies = await copiedRoute();
    script({ stop: { by: 'silence', beforeHead: true } });
    const proxy = await gateway.startProxy();
    await whole(proxy);
    await until(() => (copies().length > 0 ? true : undefined), { what: 'the copy' });
    await proxy.drain();
    expect(shadowsOf()).toMatchObject([{ result: 'shutdown', estimated: 'shutdown' }]);
    const rows = await rowsOf(2);
    const copied = rows.filter(({ kind }) => kind === 'shadow').map(costOf);
    expect(copied).toEqual([expect.any(Number)]);
    expect(copied[0]).toBeGreaterThan(0);
    expect(await wholeLedger(organization, ofCopies)).toMatchObject([{ spent: copied[0], leased: 0, unconfirmed: 0 }]);
  });
});

describe('a proxy that is killed', () => {
  it('leaves the reservation of a copy to the next one of its pod, which charges it to the budget for copies', async () => {
    const ofCopies = await copiedRoute();
    const ofAll = await budget({ amountUsd: '5' });
    const directory = mkdtempSync(join(tmpdir(), 'gateway-shadows-'));
    try {
      script({ stop: { by: 'silence', beforeHead: true } });
      const killed = await gateway.startProxyProcess({ GATEWAY_JOURNAL_DIR: directory });
      await whole(killed);
      await until(() => (copies().length > 0 ? true : undefined), { what: 'the copy' });
      await killed.child.stop('SIGKILL');
      await gateway.startProxy({ GATEWAY_JOURNAL_DIR: directory });
      const shadow = async () => (await rowsOf(2)).find(({ kind }) => kind === 'shadow');
      await expect.poll(shadow).toMatchObject({ modelAsked: claude, estimateReason: 'killed' });
      const copied = (await rowsOf(2)).filter(({ kind }) => kind === 'shadow').map(costOf);
      expect(copied[0]).toBeGreaterThan(0);
      await expect.poll(() => spentIn(ofCopies)).toEqual(copied);
      const served = (await rowsOf(2)).filter(({ kind }) => kind === 'request').map(costOf);
      await expect.poll(() => spentIn(ofAll)).toEqual(served);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
