// Captures through a whole gateway over PostgreSQL and Redis: what callers notice, which texts are kept of whole responses
// and of streams in each client's format, what of guardrails' work is in them, and that nothing is anywhere in plain text.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Canaries } from '../../support/canaries.ts';
import { inDays } from '../../support/captures.ts';
import { chatRequest, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { postgresAt, readRedis } from '../../support/persistent-databases.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

interface Content {
  readonly form: string;
  readonly text: string;
  readonly cut: boolean;
  readonly unfinished: boolean;
}

interface Opened {
  /** Absent: it is not kept. */
  readonly request?: Content;
  readonly response?: Content;
}

const reason = 'ticket 4711: a wrong response';
const model = 'gpt-provider/gpt-4o-mini';
const email = 'ada.lovelace@example.com';
const secret = 'Rosebud-7f3e9d7a3c5e1b2f4a6d';

let database: TestDatabase;
let redis: TestRedis;
let gateway: TestGateway;
let acme: TestOrganization;
let key: string;
let made: (readonly [method: string, request: object])[] = [];

beforeAll(async () => {
  [database, redis] = await Promise.all([createDatabase(), startRedis()]);
  gateway = await startGateway({ databaseUrl: database.url, proxy: { REDIS_URL: redis.url } });
  acme = gateway.organization;
  await acme.storeProviderKeys();
  await acme.api.call('Organizations/UpdateSettings', {
    ...{ id: acme.id, settings: { access: { callerProviderKeys: true } } },
  });
  key = (await acme.createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterEach(async () => {
  for (const [method, request] of made) await acme.api.call(method, request).catch(() => undefined);
  made = [];
  // Otherwise the next test would capture by the setting of this one.
  await until(async () => !(await isCaptured()), { what: 'the proxy to capture no more' });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([redis?.stop(), database?.drop()]);
});

const chat = (fields: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(key, fields, headers));
const models = () => fetch(`${gateway.proxy.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
const isCaptured = async () => (await models()).headers.get('x-svc-captured') === 'true';

/** Turns capture on, of the organization unless fields say otherwise, until the end of the test. */
async function enable(fields: object = {}): Promise<void> {
  const target = { kind: 'CAPTURE_TARGET_KIND_ORGANIZATION', id: acme.id };
  const request = { organizationId: acme.id, target, endsAt: inDays(1), ...fields };
  const { id } = (await acme.api.call('Captures/Enable', request)) as { id: string };
  made.push(['Captures/Disable', { id, purge: true }]);
}

/** Captures the organization's requests, from the time at which the proxy knows it. */
async function capture(fields: object = {}): Promise<void> {
  await enable(fields);
  await until(isCaptured, { what: 'the proxy to capture' });
}

async function guard(fields: object): Promise<void> {
  const name = `guard-${made.length}`;
  const { guardrail } = (await acme.api.call('Guardrails/Create', {
    ...{ organizationId: acme.id, name, enabled: true, ...fields },
  })) as { guardrail: { id: string } };
  made.unshift(['Guardrails/Delete', { id: guardrail.id }]);
  await until(async () => (await chat()).headers.get('x-svc-guardrails')?.includes(name), {
    what: 'the proxy to receive the guardrail',
  });
}

const idOf = (response: Response) => response.headers.get('x-request-id') ?? '';
const openNow = (id: string) => acme.api.call('Captures/Get', { organizationId: acme.id, id, reason });

async function opened(id: string): Promise<Opened> {
  const content = await until(() => openNow(id).catch(() => undefined), { what: 'the content to be kept' });
  return content as unknown as Opened;
}

/** Requests after it are kept in order, so one that is not there by then will not come. */
async function keptAfter(id: string): Promise<Opened | undefined> {
  const later = await chat();
  await later.text();
  await opened(idOf(later));
  return (await openNow(id).catch(() => undefined)) as Opened | undefined;
}

const textsOf = ({ response }: Opened, kind = 'text') =>
  (JSON.parse(response?.text ?? '[]') as { kind: string; text: string }[])
    .filter((one) => one.kind === kind)
    .map(({ text }) => text)
    .join('');

describe('callers', () => {
  it('notice captures by a header of every response, refused, of other routes, or not in the sample', async () => {
    expect(await isCaptured()).toBe(false);
    expect((await chat()).headers.get('x-svc-captured')).toBeNull();
    await capture({ samplePerThousand: 1 });
    const responses = [await chat(), await chat({ stream: true }), await chat({ model: 'gpt-provider/gpt-none' })];
    expect(responses.map((response) => response.headers.get('x-svc-captured'))).toEqual(['true', 'true', 'true']);
    expect(responses[2]?.status).toBe(404);
    const stranger = await fetch(`${gateway.proxy.url}/v1/models`, {
      headers: { authorization: 'Bearer sk-svc-none' },
    });
    expect(stranger.headers.get('x-svc-captured')).toBeNull();
  });

  it('are captured until the end by the proxy’s clock, without a message, and only with a key that is named', async () => {
    const other = await acme.createKey();
    let endsAt = 0;
    let wasCaptured = false;
    // A slow machine may see the setting only after its end.
    for (let ms = 1_000; !wasCaptured; ms *= 2) {
      endsAt = Date.now() + ms;
      await enable({ endsAt: new Date(endsAt).toISOString() });
      await until(
        async () => {
          wasCaptured = await isCaptured();
          return wasCaptured || Date.now() > endsAt;
        },
        { what: 'the proxy to capture, or the end' },
      );
    }
    await until(async () => !(await isCaptured()), { what: 'captures to end' });
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    const target = { kind: 'CAPTURE_TARGET_KIND_VIRTUAL_KEY', id: other.id };
    await enable({ target });
    const of = (value: string) =>
      fetch(`${gateway.proxy.url}/v1/models`, { headers: { authorization: `Bearer ${value}` } });
    await until(async () => (await of(other.value)).headers.get('x-svc-captured') === 'true', { what: 'the key' });
    expect(await isCaptured()).toBe(false);
  });
});

describe('what is kept', () => {
  it('of a whole response is the request and the response, without headers and keys', async () => {
    await capture();
    gateway.simulator.script({ text: 'The text' });
    const own = 'sk-sim-own-0123456789abcdef';
    const messages = [{ role: 'user', content: `my keys are ${key} and ${own}` }];
    const response = await chat(
      { messages },
      { authorization: `Bearer ${own}`, 'x-svc-vk': key, 'x-svc-direct-key': 'true' },
    );
    const body = await response.text();
    expect(response.status).toBe(200);
    const { request, response: kept } = await opened(idOf(response));
    expect(JSON.parse(request?.text ?? '')).toEqual({
      ...{ model, messages: [{ role: 'user', content: 'my keys are [key] and [key]' }] },
    });
    expect(kept).toMatchObject({ form: 'CAPTURE_FORM_BODY', text: body, cut: false, unfinished: false });
    expect(await metric(gateway.proxy, 'gateway_captures_total', { result: 'recorded' })).toBeGreaterThan(1);
  });

  it('is cut at the size of the setting', async () => {
    await capture({ sideBytesMax: 2048 });
    gateway.simulator.script({ text: 'é'.repeat(20_000) });
    const response = await chat({ messages: [{ role: 'user', content: 'ü'.repeat(20_000) }] });
    await response.text();
    const { request, response: kept } = await opened(idOf(response));
    for (const side of [request, kept]) {
      expect(side?.cut).toBe(true);
      const bytes = Buffer.byteLength(side?.text ?? '');
      expect([bytes > 2000, bytes <= 2048]).toEqual([true, true]);
      expect(side?.text).not.toContain('�');
    }
  });

  const turns = [{ role: 'user', content: 'Hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const claude = 'assistant-provider/claude-sonnet-4-5';
  const gemini = 'search-provider/gemini-2.5-flash';
  const nova = encodeURIComponent('managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0');
  const invoked = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 99, messages: turns };
  const streams: readonly (readonly [format: string, path: string, body: object])[] = [
    ['chat completions', '/v1/chat/completions', { model, messages: turns, stream: true }],
    ['chat completions of another vendor', '/v1/chat/completions', { model: claude, messages: turns, stream: true }],
    ['Messages', '/v1/messages', { model: claude, max_tokens: 99, messages: turns, stream: true }],
    ['Messages of another vendor', '/v1/messages', { model, max_tokens: 99, messages: turns, stream: true }],
    ['Responses', '/v1/responses', { model, input: 'Hello', stream: true }],
    ['generateContent', `/v1beta/models/${gemini}:streamGenerateContent?alt=sse`, { contents }],
    ['generateContent as a list', `/v1beta/models/${gemini}:streamGenerateContent`, { contents }],
    ['Converse', `/model/${nova}/converse-stream`, { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] }],
    ['InvokeModel', `/model/${nova}/invoke-with-response-stream`, invoked],
  ];

  it('of a stream is the text that the caller got, in every client format', async () => {
    await capture();
    const headers = { 'content-type': 'application/json', 'x-svc-vk': key, 'anthropic-version': '2023-06-01' };
    for (const [format, path, body] of streams) {
      gateway.simulator.script({ text: 'Ein Text über alles Mögliche.', pieceBytes: [7] });
      const response = await fetch(gateway.proxy.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      await response.arrayBuffer();
      expect([format, response.status]).toEqual([format, 200]);
      const content = await opened(idOf(response));
      const whole = { form: 'CAPTURE_FORM_STREAM', cut: false, unfinished: false };
      expect([format, content.response]).toMatchObject([format, whole]);
      expect([format, textsOf(content)]).toEqual([format, 'Ein Text über alles Mögliche.']);
      expect(content.request?.text).toContain('Hello');
    }
  });

  it('of a stream that its caller leaves is the part that was sent, as unfinished', async () => {
    await capture();
    gateway.simulator.script({ text: 'first second third fourth', pieceDelayMs: 100 });
    const leaving = new AbortController();
    const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, {
      ...chatRequest(key, { stream: true }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    const content = await opened(idOf(response));
    expect(content.response?.unfinished).toBe(true);
    expect('first second third fourth'.startsWith(textsOf(content))).toBe(true);
    expect(textsOf(content)).not.toContain('fourth');
  });

  it('is nothing of a request that is refused before guardrails have inspected it', async () => {
    await capture();
    const refused = await chat({ model: 'nobody/gpt-none' });
    expect(await keptAfter(idOf(refused))).toBeUndefined();
  });
});

describe('of what guardrails do,', () => {
  const ask = async (content: string, fields: object = {}) => {
    const response = await chat({ messages: [{ role: 'user', content }], ...fields });
    // A blocked stream is cut.
    return { response, body: await response.text().catch(() => '') };
  };

  it.each([false, true])(
    'redacted text is never kept, even if the caller gets it back (stream: %s)',
    async (stream) => {
      const restoring = { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL'], restore: true } };
      await guard({ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_REDACT', check: restoring });
      await capture();
      gateway.simulator.script({ text: 'I wrote to [EMAIL_1], as "[EMAIL_1]" wished.', pieceBytes: [5] });
      const { response, body } = await ask(`write to ${email}`, { stream });
      const content = await opened(idOf(response));
      const caller = stream ? body.match(/"content":"(.*?[^\\])"/g)?.join('') : body;
      expect(caller?.replaceAll(/","?|"content":"/g, '')).toContain('ada.lovelace');
      expect(JSON.stringify(content)).not.toContain('ada.lovelace');
      expect(content.request?.text).toContain('write to [EMAIL_1]');
      expect(content.response?.text).toContain('[EMAIL_1]');
    },
  );

  it('a blocked request is not kept, and neither is its refusal', async () => {
    const check = { pattern: { patterns: ['Rosebud-[0-9a-f]+'] } };
    await guard({ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK', check });
    await capture();
    const { response } = await ask(`say ${secret}`);
    expect([response.status, response.headers.get('x-svc-captured')]).toEqual([400, 'true']);
    expect(await keptAfter(idOf(response))).toBeUndefined();
  });

  it.each([false, true])('a blocked response is not kept, its request is (stream: %s)', async (stream) => {
    const check = { pattern: { patterns: ['Rosebud-[0-9a-f]+'] } };
    await guard({ stage: 'GUARDRAIL_STAGE_OUTPUT', action: 'GUARDRAIL_ACTION_BLOCK', check });
    await capture();
    gateway.simulator.script({ text: `${'Before it. '.repeat(200)} ${secret}`, pieceBytes: [64] });
    const { response } = await ask('What is it?', { stream });
    const content = await opened(idOf(response));
    expect(content.request?.text).toContain('What is it?');
    expect(content.response).toBeUndefined();
  });

  it('what a guardrail could not inspect is not kept: neither the request nor its response', async () => {
    const check = { webhook: { url: 'https://nobody.invalid/' } };
    const failing = { check, onFailure: 'GUARDRAIL_FAILURE_RULE_PASS' };
    await guard({ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK', ...failing });
    await capture();
    const { response } = await ask(`say ${secret}`);
    expect(response.headers.get('x-svc-guardrails')).toContain('failed_pass');
    expect(response.status).toBe(200);
    expect(await openNow(idOf(response)).catch(() => 'nothing')).toBe('nothing');
    await acme.api.call(...(made.shift() ?? ['', {}]));
    await until(async () => (await chat()).headers.get('x-svc-guardrails') === null, { what: 'no guardrail' });
    expect(await keptAfter(idOf(response))).toBeUndefined();
  });
});

it('nothing of it is in the database, in Redis or in a log in plain text', async () => {
  await capture();
  gateway.simulator.script({ text: `The word is ${secret}` });
  const canaries = new Canaries();
  canaries.add('the content', secret);
  const response = await chat({ messages: [{ role: 'user', content: `say ${secret}` }] });
  await response.text();
  const content = await opened(idOf(response));
  expect(content.request?.text).toContain(secret);
  expect(content.response?.text).toContain(secret);
  const haystack = new Map([
    ['the database', await postgresAt(database.url).read()],
    ['Redis', await readRedis(redis.url)],
    ['the logs', Buffer.from(gateway.logs.join(''))],
  ]);
  expect(haystack.get('the database')?.includes(idOf(response))).toBe(true);
  expect(canaries.search(haystack)).toEqual([]);
  expect(canaries.unseen(haystack)).toEqual([]);
});
