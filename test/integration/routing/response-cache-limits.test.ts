// Who never gets a cached response, what is never stored, and what someone who writes to Redis can do: nothing but make
// responses be generated again.
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { hello, useCachedGateway } from '../../support/cached-gateway.ts';
import type { TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { readValues } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

const cached = useCachedGateway();
const { createRoute, whole, streamed, storing, storedNames, vendorCalls } = cached;
const claude = 'assistant-provider/claude-haiku-4-5';

const cacheOf = async (fields: object, key?: string) => (await whole(fields, key === undefined ? {} : { key })).cache;
const notStored = (reason: string, proxy: TestProxy = cached.gateway.proxy) =>
  metric(proxy, 'gateway_response_cache_not_stored_total', { reason });
const ignored = (reason: string) => metric(cached.gateway.proxy, 'gateway_response_cache_ignored_total', { reason });

async function createGuardrail(fields: object): Promise<void> {
  const { organization } = cached;
  const guardrail = { organizationId: organization.id, name: 'watch', enabled: true, ...fields };
  await organization.api.call('Guardrails/Create', guardrail);
  const header = async () =>
    (await whole({ messages: [{ role: 'user', content: 'probe' }] })).headers.get('x-svc-guardrails');
  await until(async () => (await header()) !== null, { what: 'the proxy to receive the guardrail' });
}

describe('a cached response is never that of', () => {
  it('another organization, with the same keys, routes and requests', async () => {
    await createRoute();
    await storing(() => whole());
    expect(await cacheOf({})).toBe('hit');
    const other = await cached.gateway.createOrganization(`other-${Date.now()}`);
    await other.storeProviderKeys();
    await createRoute({}, {}, other);
    expect(await cacheOf({}, (await other.createKey()).value)).toBe('miss');
    expect(vendorCalls()).toBe(2);
  });

  it('a key with another allow-list', async () => {
    await createRoute();
    await storing(() => whole());
    const keyOf = async (...globs: string[]) =>
      (await cached.organization.createKey({ allowedModels: { globs } })).value;
    const [narrow, same] = [await keyOf('route/faq', 'gpt-provider/*'), await keyOf('gpt-provider/*', 'route/faq')];
    expect(await cacheOf({}, (await cached.organization.createKey()).value)).toBe('hit');
    await storing(async () => expect(await cacheOf({}, narrow)).toBe('miss'));
    expect(await cacheOf({}, same)).toBe('hit');
    await expect(whole({}, { key: await keyOf('gpt-provider/*') })).rejects.toMatchObject({ status: 403 });
  });

  it('other guardrails, nor of the route before its change', async () => {
    const id = await createRoute();
    await storing(() => whole());
    await createGuardrail({
      ...{ check: { words: { phrases: ['never in a response'] } } },
      ...{ stage: 'GUARDRAIL_STAGE_OUTPUT', action: 'GUARDRAIL_ACTION_BLOCK' },
    });
    await storing(async () => expect(await cacheOf({})).toBe('miss'));
    const hit = await whole();
    // The guardrails of responses have inspected the stored one.
    expect([hit.cache, hit.headers.get('x-svc-guardrails')]).toEqual(['hit', 'watch=pass']);
    expect((await streamed()).headers.get('x-svc-guardrails')).toBe('watch=stream');
    await cached.organization.api.call('Routes/Update', { id, settings: { onContext: true } });
    await until(async () => (await cacheOf({})) === 'miss', { what: 'the change to reach the proxy' });
  });

  it('another scope, if the route says so', async () => {
    await createRoute({ perScope: true });
    const { organization } = cached;
    const systemKey = async (name: string) => {
      const { id } = await organization.api.call('AiSystems/Create', { organizationId: organization.id, name });
      const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id };
      return [
        (await organization.createKey({ scope })).value,
        (await organization.createKey({ scope })).value,
      ] as const;
    };
    const [first, same] = await systemKey('shop');
    await storing(() => whole({}, { key: first }));
    expect(await cacheOf({}, same)).toBe('hit');
    expect(await cacheOf({}, (await systemKey('help'))[0])).toBe('miss');
  });

  it('a target that is not in the chain of the request', async () => {
    const tagged = { targets: [{ model: claude }], conditions: { tag: 'claude' } };
    await createRoute({}, { groups: [tagged, { targets: [{ model: 'gpt-provider/gpt-4o-mini' }] }] });
    const before = await ignored('target');
    const params = { model: 'faq', messages: hello };
    const headers = { 'x-svc-route-tag': 'claude' };
    const { response } = await storing(() =>
      cached.openai().chat.completions.create(params, { headers }).withResponse(),
    );
    expect(response.headers.get('x-svc-provider')).toBe('assistant-provider');
    expect((await whole()).headers.get('x-svc-provider')).toBe('gpt-provider');
    expect((await ignored('target')) - before).toBe(1);
  });
});

describe('input that guardrails redact', () => {
  it('gives equal requests, and each caller gets the own values back', async () => {
    await createRoute();
    await createGuardrail({
      ...{ check: { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL'], restore: true } } },
      ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_REDACT' },
    });
    const about = (email: string) => ({ messages: [{ role: 'user', content: `Write to ${email}` }] });
    cached.gateway.simulator.script({ echo: true });
    const first = await storing(() => whole(about('ann@example.com')));
    expect(first.text).toContain('ann@example.com');
    const second = await whole(about('bob@example.com'));
    expect(second.cache).toBe('hit');
    expect(second.text).toContain('bob@example.com');
    expect(second.text).not.toContain('ann@');
    expect((await streamed(about('eve@example.com'))).text).toBe(first.text.replaceAll('ann@', 'eve@'));
  });
});

describe('no response is stored', () => {
  type Fields = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;
  it.each<[string, Fields, object]>([
    ['own_tools', { web_search_options: {} }, {}],
    ['choices', { n: 2 }, {}],
    ['state', { store: true }, {}],
    ['finish', {}, { finishReason: 'length' }],
    ['incomplete', {}, { usage: null }],
    ['large_response', {}, { tokens: 9000, tokenBytes: 130 }],
  ])('for the reason %s', async (reason, fields, behaviour) => {
    await createRoute();
    cached.gateway.simulator.script(behaviour, { times: 2 });
    const before = await notStored(reason);
    const model = reason === 'own_tools' ? 'searching' : 'faq';
    if (model === 'searching') {
      await createRoute({}, { name: model, groups: [{ targets: [{ model: 'gpt-provider/gpt-4o-search-preview' }] }] });
    }
    expect([await cacheOf({ ...fields, model }), await cacheOf({ ...fields, model })]).toEqual(['miss', 'miss']);
    expect(vendorCalls()).toBe(2);
    expect((await notStored(reason)) - before).toBe(2);
  });

  it('of a failed request, or of a stream that was cut', async () => {
    await createRoute();
    const names = await storedNames();
    cached.gateway.simulator.script({ status: 500 });
    await expect(whole()).rejects.toMatchObject({ status: 500 });
    cached.gateway.simulator.script({ tokens: 9, stop: { by: 'cut', afterPieces: 4 } });
    await expect(streamed()).rejects.toThrow();
    expect(await cacheOf({})).toBe('miss');
    expect((await storedNames()).length - names.length).toBeLessThanOrEqual(1);
  });

  it('that a guardrail has changed', async () => {
    await createRoute();
    await createGuardrail({
      ...{ check: { pattern: { patterns: ['T-[0-9]+'] } } },
      ...{ stage: 'GUARDRAIL_STAGE_OUTPUT', action: 'GUARDRAIL_ACTION_REDACT' },
    });
    const before = await notStored('guardrail');
    cached.gateway.simulator.script({ text: 'See T-12345.' }, { times: 2 });
    const [first, second] = [await whole(), await streamed()];
    expect([first.cache, second.cache]).toEqual(['miss', 'miss']);
    expect(first.text + second.text).not.toContain('T-12345');
    expect((await notStored('guardrail')) - before).toBe(2);
  });

  it('of a route that does not store, and without the header', async () => {
    const groups = [{ targets: [{ model: 'gpt-provider/gpt-4o-mini' }] }];
    await cached.organization.api.call('Routes/Create', {
      organizationId: cached.organization.id,
      name: 'plain',
      groups,
    });
    for (let request = 0; request < 2; request++) expect(await cacheOf({ model: 'plain' })).toBeNull();
    expect(vendorCalls()).toBe(2);
  });

  it('beyond the bytes of an organization, and others have their own', async () => {
    const proxy = await cached.gateway.startProxy({
      ...{ REDIS_URL: cached.redis.url, GATEWAY_RESPONSE_CACHE_BYTES_MAX: '2KiB' },
    });
    await createRoute();
    const numbered = (n: number, key = cached.key.value) =>
      whole({ messages: [{ role: 'user', content: `Number ${n}` }] }, { proxy, key });
    await storing(() => numbered(1));
    for (let n = 2; n < 5; n++) await numbered(n);
    await until(async () => (await notStored('full', proxy)) >= 1, { what: 'a response to be refused' });
    expect((await numbered(1)).cache).toBe('hit');
    expect((await numbered(4)).cache).toBe('miss');
    const other = await cached.gateway.createOrganization(`room-${Date.now()}`);
    await other.storeProviderKeys();
    await createRoute({}, {}, other);
    const { value } = await other.createKey();
    await storing(() => numbered(1, value));
  });
});

describe('someone who writes to Redis', () => {
  const first = { messages: [{ role: 'user', content: 'One' }] };
  const second = { messages: [{ role: 'user', content: 'Two' }] };

  /** Stores two responses. @returns the name and value of each */
  async function twoStored() {
    const before = new Set(await storedNames());
    cached.gateway.simulator.script({ text: 'response one' });
    await storing(() => whole(first));
    const [one = ''] = (await storedNames()).filter((name) => !before.has(name));
    cached.gateway.simulator.script({ text: 'response two' });
    await storing(() => whole(second));
    const [two = ''] = (await storedNames()).filter((name) => !before.has(name) && name !== one);
    const values = await readValues(cached.redis.url).catch(() => new Map<string, Buffer>());
    const value = async (name: string) =>
      values.get(name) ?? (await cached.commands.getBuffer(name)) ?? Buffer.alloc(0);
    return { one, two, sealed: { one: await value(one), two: await value(two) } };
  }

  it('cannot read responses or which requests were made', async () => {
    await createRoute();
    const { one, sealed } = await twoStored();
    expect(one).toMatch(/^gateway:response:1:\{l\d\d\}:[\w-]{43}$/);
    expect(sealed.one.toString('latin1')).not.toMatch(/response one|gpt-4o/);
  });

  /** What is put there in place of the response to the first request. */
  const forgeries: Readonly<Record<string, (value: Buffer, other: Buffer) => Buffer>> = {
    'the response to another request': (_value, other) => other,
    'a changed bit': (value) => Buffer.from(value.map((byte, at) => (at === value.length - 3 ? byte ^ 1 : byte))),
    'a part of it': (value) => value.subarray(0, 100),
    'any text': () => Buffer.from('{"form":"whole"}'),
    'a value of 4 MiB': (value) => Buffer.concat([value, Buffer.alloc(4 * 1024 * 1024)]),
  };

  it(`and puts ${Object.keys(forgeries).join(', or ')} there has it generated again`, async () => {
    await createRoute();
    const { one, sealed } = await twoStored();
    const before = await ignored('unreadable');
    for (const [name, forge] of Object.entries(forgeries)) {
      const forged = forge(sealed.one, sealed.two);
      await cached.commands.set(one, forged);
      cached.gateway.simulator.script({ text: `not ${name}` });
      const response = await whole(first);
      expect([response.text, response.cache]).toEqual([`not ${name}`, 'miss']);
      const isAgain = async () => (await cached.commands.getBuffer(one))?.equals(forged) === false;
      await until(isAgain, { what: 'the response to be stored again' });
    }
    expect((await ignored('unreadable')) - before).toBe(Object.keys(forgeries).length);
    expect((await whole(second)).text).toBe('response two');
  });

  it('and puts an old value back has it generated again', async () => {
    await createRoute({ ttlSeconds: 1 });
    cached.gateway.simulator.script({ text: 'an old response' });
    const names = new Set(await storedNames());
    await storing(() => whole(first));
    const [name = ''] = (await storedNames()).filter((one) => !names.has(one));
    const value = (await cached.commands.getBuffer(name)) ?? Buffer.alloc(0);
    await until(async () => (await cached.commands.exists(name)) === 0, { what: 'the response to expire' });
    await cached.commands.set(name, value);
    const before = await ignored('old');
    expect((await whole(first)).text).not.toBe('an old response');
    expect((await ignored('old')) - before).toBe(1);
  });

  it('and puts another kind of value there stops nobody', async () => {
    await createRoute();
    const { one } = await twoStored();
    await cached.commands.del(one);
    await cached.commands.lpush(one, 'x');
    expect(await cacheOf(first)).toBe('miss');
  });
});

describe('without Redis', () => {
  it.each([
    ['configured', {}],
    ['that responds', { REDIS_URL: 'redis://127.0.0.1:1' }],
  ])('%s every request reaches its provider, and nothing waits', async (_name, env) => {
    const proxy = await cached.gateway.startProxy({ REDIS_URL: undefined, ...env });
    await createRoute();
    const startedAt = performance.now();
    for (let request = 0; request < 3; request++) expect((await whole({}, { proxy })).cache).toBe('miss');
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(vendorCalls()).toBe(3);
  });
});

describe('equal requests at the same time', () => {
  it('share one call, whole and streamed; of 70 callers, those beyond 64 that wait go alone', async () => {
    await createRoute();
    cached.gateway.simulator.script({ text: 'shared', headDelayMs: 700 }, { times: 70 });
    const callers = Array.from({ length: 70 }, (_, at) => (at % 2 === 0 ? whole() : streamed()));
    const responses = await Promise.all(callers);
    expect(new Set(responses.map(({ text }) => text))).toEqual(new Set(['shared']));
    expect(responses.filter(({ cache }) => cache === 'hit')).toHaveLength(64);
    expect(vendorCalls()).toBe(6);
  });

  it('have another leader when the first one hangs up', async () => {
    await createRoute();
    cached.gateway.simulator.script({ text: 'led on', headDelayMs: 500 }, { times: 9 });
    const leaving = new AbortController();
    const leader = cached
      .openai()
      .chat.completions.create({ model: 'faq', messages: hello }, { signal: leaving.signal })
      .catch(() => 'left');
    await until(() => vendorCalls() === 1, { what: 'the leader to reach the vendor' });
    const waiting = Array.from({ length: 5 }, () => whole());
    await until(async () => (await metric(cached.gateway.proxy, 'gateway_in_flight_requests')) === 6);
    leaving.abort();
    expect(await leader).toBe('left');
    const responses = await Promise.all(waiting);
    expect(responses.map(({ text }) => text)).toEqual(Array(5).fill('led on'));
    expect(responses.filter(({ cache }) => cache === 'miss')).toHaveLength(1);
    expect(vendorCalls()).toBe(2);
  });

  it('do not wait for a leader that does not read its stream', async () => {
    await createRoute();
    cached.gateway.simulator.script({ tokens: 4000, tokenBytes: 250 }, { times: 9 });
    const body = JSON.stringify({ model: 'faq', messages: hello, stream: true });
    const headers = { 'content-type': 'application/json', 'x-svc-vk': cached.key.value };
    const stalled = new AbortController();
    const url = `${cached.gateway.proxy.url}/v1/chat/completions`;
    await fetch(url, { method: 'POST', headers, body, signal: stalled.signal });
    const { text, cache } = await streamed();
    expect([text.length > 900_000, cache]).toEqual([true, 'miss']);
    stalled.abort();
  });

  it('do not wait one after the other for a provider that is down', async () => {
    await createRoute();
    cached.gateway.simulator.script({ status: 503, headDelayMs: 200 }, { times: 99 });
    const startedAt = performance.now();
    const failed = await Promise.all(Array.from({ length: 20 }, () => whole().catch(({ status }) => status)));
    expect(failed).toEqual(Array(20).fill(503));
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });
});
