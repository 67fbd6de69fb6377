// Rate limits from the operator's call to the caller's response: through the whole gateway, with one Redis or none, on
// every route, for keys of both headers and callers' own provider keys.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startForwarder } from '../../support/black-hole.ts';
import { type Reply, redisResponds } from '../../support/chat-requests.ts';
import { log } from '../../support/figures.ts';
import {
  chatBody,
  startGateway,
  type TestGateway,
  type TestOrganization,
  type TestProxy,
} from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

let gateway: TestGateway;
let redis: TestRedis;
/** Two proxies that share a Redis. */
let proxies: readonly [TestProxy, TestProxy];
/** A proxy without Redis. */
let alone: TestProxy;
let organizations = 0;

beforeAll(async () => {
  [gateway, redis] = await Promise.all([startGateway(), startRedis()]);
  alone = gateway.proxy;
  const settings = { REDIS_URL: redis.url };
  proxies = [await gateway.startProxy(settings), await gateway.startProxy(settings)];
  await Promise.all(proxies.map(redisResponds));
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await gateway?.close();
  await redis?.stop();
});

type ReadResponse = Pick<Reply, 'outcome' | 'message'> & { readonly headers: Headers };

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

async function ask(proxy: TestProxy, key: string, sent: Sent = {}): Promise<ReadResponse> {
  const { path = '/v1/chat/completions', headers = { 'x-svc-vk': key }, body = {}, signal } = sent;
  const response = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: chatBody(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const { error } = text.startsWith('{') ? (JSON.parse(text) as { error?: { code: string; message: string } }) : {};
  const outcome = error === undefined ? String(response.status) : `${response.status} ${error.code}`;
  return { outcome, message: error?.message, headers: response.headers };
}

async function outcomes(proxy: TestProxy, key: string, count: number, sent: Sent = {}): Promise<string[]> {
  const seen: string[] = [];
  for (let i = 0; i < count; i++) seen.push((await ask(proxy, key, sent)).outcome);
  return seen;
}

/** A separate organization that allows callers' own provider keys. */
async function newOrganization(): Promise<TestOrganization> {
  const organization = await gateway.createOrganization(`limited ${++organizations}`);
  const { id, api } = organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  return organization;
}

type Kind = 'REQUESTS_PER_MINUTE' | 'TOKENS_PER_MINUTE' | 'CONCURRENT_REQUESTS';
type Level = 'ORGANIZATION' | 'AI_SYSTEM' | 'PERSON' | 'VIRTUAL_KEY';

interface NewLimit {
  readonly on: readonly [Level, string];
  readonly kind: Kind;
  readonly count: number;
  readonly model?: string;
}

function limit({ id: organizationId, api }: TestOrganization, { on: [level, id], kind, ...fields }: NewLimit) {
  const subject = { kind: `LIMIT_SUBJECT_KIND_${level}`, id };
  return api.call('Limits/Create', { organizationId, subject, kind: `LIMIT_KIND_${kind}`, ...fields });
}

/** A key with its own limit. */
async function limitedKey(kind: Kind, count: number, fields: object = {}): Promise<string> {
  const organization = await newOrganization();
  const key = await organization.createKey();
  await limit(organization, { on: ['VIRTUAL_KEY', key.id], kind, count, ...fields });
  return key.value;
}

const refused = '429 rate_limit_exceeded';

/** The refill of 30,000 a minute in the six seconds that a slow machine may take. */
const comesBackMax = 3_000;

describe('requests per minute', () => {
  it('are counted by all proxies together', async () => {
    const key = await limitedKey('REQUESTS_PER_MINUTE', 5);
    expect(await outcomes(proxies[0], key, 3)).toEqual(['200', '200', '200']);
    expect(await outcomes(proxies[1], key, 3)).toEqual(['200', '200', refused]);
    expect(await outcomes(proxies[0], key, 1)).toEqual([refused]);
    expect(gateway.simulator.requests).toHaveLength(5);
    expect(await metric(proxies[0], 'gateway_rate_limit_local_total')).toBe(0);
  });

  it('of a busy limit are seldom decided by Redis, which a metric counts, and all are counted', async () => {
    const key = await limitedKey('REQUESTS_PER_MINUTE', 6_000);
    const sent = (await outcomes(proxies[0], key, 300)).length;
    expect(await metric(proxies[0], 'gateway_rate_limit_leased_total')).toBeGreaterThan(0);
    const left = (await ask(proxies[1], key)).headers.get('x-ratelimit-remaining-requests');
    expect(Number(left)).toBeLessThan(6_000 - sent + (await metric(proxies[0], 'gateway_rate_limit_local_total')));
  });

  it('are counted by each proxy alone without Redis, which a metric counts', async () => {
    const key = await limitedKey('REQUESTS_PER_MINUTE', 2);
    const before = await metric(alone, 'gateway_rate_limit_local_total');
    expect(await outcomes(alone, key, 3)).toEqual(['200', '200', refused]);
    expect(await metric(alone, 'gateway_rate_limit_local_total')).toBe(before + 3);
    expect(await outcomes(proxies[0], key, 1)).toEqual(['200']);
  });

  it('are refused with the limit and its next opening, and refusals are counted by level and kind', async () => {
    const key = await limitedKey('REQUESTS_PER_MINUTE', 1, { model: 'gpt-provider/gpt-4o*' });
    const labels = { level: 'virtual_key', kind: 'requests_per_minute' };
    const before = await metric(proxies[0], 'gateway_rate_limit_refusals_total', labels);
    expect(await outcomes(proxies[0], key, 1)).toEqual(['200']);
    const { outcome, message, headers } = await ask(proxies[0], key);
    expect(outcome).toBe(refused);
    expect(message).toMatch(
      /^the virtual key's limit of 1 requests per minute for gpt-provider\/gpt-4o\* is reached; it opens in \d\d seconds$/,
    );
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(55);
    expect(seconds).toBeLessThanOrEqual(61);
    expect(message).toContain(`in ${seconds} seconds`);
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(await metric(proxies[0], 'gateway_rate_limit_refusals_total', labels)).toBe(before + 1);
    const other = { body: { model: 'gpt-provider/gpt-4.1-mini' } };
    expect(await outcomes(proxies[0], key, 2, other)).toEqual(['200', '200']);
  });

  it('are in headers of a response, whole or streamed, for the tightest limit', async () => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    await limit(organization, {
      on: ['ORGANIZATION', organization.id],
      kind: 'REQUESTS_PER_MINUTE',
      count: 50,
    });
    await limit(organization, { on: ['VIRTUAL_KEY', key.id], kind: 'REQUESTS_PER_MINUTE', count: 9 });
    for (const [stream, left] of [
      [false, '8'],
      [true, '7'],
    ] as const) {
      const { headers } = await ask(proxies[0], key.value, { body: { stream } });
      expect(headers.get('x-ratelimit-limit-requests')).toBe('9');
      expect(headers.get('x-ratelimit-remaining-requests')).toBe(left);
      expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^1m[01]s$/);
      expect(headers.get('x-ratelimit-limit-tokens')).toBeNull();
    }
  });

  it('have no headers without a limit', async () => {
    const { headers } = await ask(proxies[0], (await (await newOrganization()).createKey()).value);
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit-'))).toEqual([]);
  });
});

describe('every level of a key', () => {
  it('limits it: organization, AI system, person', async () => {
    const organization = await newOrganization();
    const { id, api, ownerId } = organization;
    const system = await api.call('AiSystems/Create', { organizationId: id, name: 'bot' });
    const rows = [
      ['AI_SYSTEM', String(system.id), 'AI system'],
      ['PERSON', ownerId, 'person'],
      ['ORGANIZATION', id, 'organization'],
    ] as const;
    for (const [level, subject, word] of rows) {
      const key = await organization.createKey({ scope: { kind: `KEY_SCOPE_KIND_${level}`, id: subject } });
      const { id: limitId } = await limit(organization, {
        ...{ on: [level, subject], kind: 'REQUESTS_PER_MINUTE', count: 1 },
      });
      // The organization's records are cached already, so the change arrives by the feed.
      const message = await until(async () => (await ask(alone, key.value)).message);
      expect(message).toMatch(`the ${word}'s limit of 1 requests per minute is reached`);
      await api.call('Limits/Delete', { id: limitId });
      await until(async () => (await ask(alone, key.value)).outcome === '200');
    }
  });

  it('limits it for both keys of a provider’s route with a project key', async () => {
    const organization = await newOrganization();
    const [caller, project] = [await organization.createKey(), await organization.createKey()];
    await limit(organization, { on: ['VIRTUAL_KEY', project.id], kind: 'REQUESTS_PER_MINUTE', count: 1 });
    const sent = {
      path: '/v1/gpt-provider/chat/completions',
      headers: {
        ...{ 'x-svc-vk': caller.value, 'project-api-key': project.value, authorization: 'Bearer sk-sim-own' },
      },
      body: { model: 'gpt-4o-mini' },
    };
    expect(await outcomes(proxies[0], caller.value, 2, sent)).toEqual(['200', refused]);
    expect(await outcomes(proxies[0], caller.value, 1)).toEqual(['200']);
  });
});

describe('every way of calling', () => {
  const own = { authorization: 'Bearer sk-sim-own' };

  it('counts towards the same limit: stored key, direct key, a provider’s own route, streamed', async () => {
    const key = await limitedKey('REQUESTS_PER_MINUTE', 4);
    const ways: Sent[] = [
      {},
      { headers: { 'x-svc-vk': key, 'x-svc-direct-key': 'true', ...own } },
      {
        ...{ path: '/v1/gpt-provider/chat/completions', body: { model: 'gpt-4o-mini' } },
        headers: { 'project-api-key': key, ...own },
      },
      { body: { stream: true } },
    ];
    for (const way of ways) expect((await ask(proxies[0], key, way)).outcome).toBe('200');
    for (const way of ways) expect((await ask(proxies[1], key, way)).outcome).toBe(refused);
  });
});

describe('tokens per minute', () => {
  const remaining = ({ headers }: ReadResponse) => Number(headers.get('x-ratelimit-remaining-tokens'));

  it('are reserved as estimated and settled as used, whole or streamed', async () => {
    const key = await limitedKey('TOKENS_PER_MINUTE', 100_000);
    gateway.simulator.script({ usage: { prompt_tokens: 20_000, completion_tokens: 10_000 } }, { times: 2 });
    const first = await ask(proxies[0], key, { body: { max_tokens: 16_000 } });
    expect(first.outcome).toBe('200');
    expect(remaining(first)).toBeLessThan(100_000 - 16_000);
    expect(remaining(first)).toBeGreaterThan(100_000 - 16_000 - 100);
    const second = await ask(proxies[0], key, { body: { stream: true, max_tokens: 1_000 } });
    expect(remaining(second)).toBeGreaterThan(68_000);
    expect(remaining(second)).toBeLessThan(72_000);
    const third = await ask(proxies[0], key, { body: { max_tokens: 1_000 } });
    expect(remaining(third)).toBeGreaterThan(38_000);
    expect(remaining(third)).toBeLessThan(44_000);
    expect(third.headers.get('x-ratelimit-limit-tokens')).toBe('100000');
    expect(third.headers.get('x-ratelimit-reset-tokens')).toMatch(/^3\ds$/);
  });

  it('are refused with a retry time while others may use them', async () => {
    const key = await limitedKey('TOKENS_PER_MINUTE', 10_000);
    gateway.simulator.script({ usage: { prompt_tokens: 9_000, completion_tokens: 900 } });
    expect((await ask(proxies[0], key)).outcome).toBe('200');
    const { outcome, message, headers } = await ask(proxies[0], key);
    expect(outcome).toBe(refused);
    expect(message).toMatch(/limit of 10000 tokens per minute is reached; it opens in \d\d seconds/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(40);
  });

  it('above the size of the limit are a 400 with advice', async () => {
    const key = await limitedKey('TOKENS_PER_MINUTE', 5_000);
    const { outcome, message } = await ask(proxies[0], key, { body: { max_tokens: 8_192 } });
    expect(outcome).toBe('400 invalid_request');
    expect(message).toMatch(
      /^this request may use 82\d\d tokens \(input about \d\d, output up to 8192\), more than the virtual key's limit of 5000 tokens per minute ever lets in; send a lower max_completion_tokens$/,
    );
    expect(await outcomes(proxies[0], key, 1, { body: { max_tokens: 100 } })).toEqual(['200']);
    const long = { messages: [{ role: 'user', content: 'x'.repeat(40_000) }] };
    expect((await ask(proxies[0], key, { body: long })).message).toMatch(/; send less$/);
  });

  it('admit a request without a maximum below the estimate of its response, and send it unchanged', async () => {
    const key = await limitedKey('TOKENS_PER_MINUTE', 1_000);
    const { outcome, headers } = await ask(proxies[0], key);
    expect([outcome, headers.get('x-ratelimit-remaining-tokens')]).toEqual(['200', '0']);
    const [sent] = gateway.simulator.requests;
    expect(Object.keys(sent?.json() as object).filter((field) => /max/.test(field))).toEqual([]);
    expect(headers.get('x-svc-max-tokens')).toBeNull();
    expect((await ask(proxies[0], key)).outcome).toBe(refused);
    expect(await outcomes(proxies[0], key, 1, { body: { max_tokens: 100 } })).toEqual(['200']);
  });

  it('are not used by requests that a provider refuses', async () => {
    const key = await limitedKey('TOKENS_PER_MINUTE', 30_000);
    gateway.simulator.script({ status: 400 }, { times: 8 });
    expect(await outcomes(proxies[0], key, 8)).toEqual(Array(8).fill(expect.stringMatching('^400')));
    expect(remaining(await ask(proxies[0], key, { body: { max_tokens: 1 } }))).toBeGreaterThan(29_900);
  });

  it('are used as estimated when a response breaks off, and as reported when the caller leaves', async () => {
    const key = await limitedKey('TOKENS_PER_MINUTE', 30_000);
    const left = async () => remaining(await ask(proxies[0], key, { body: { max_tokens: 1 } }));
    const limited = { max_tokens: 2_000 };
    const expectUsed = (used: number, now: number) => {
      expect(now).toBeGreaterThan(30_000 - used - 500);
      expect(now).toBeLessThan(30_000 - used + comesBackMax);
    };
    const messages = [{ role: 'user', content: 'x'.repeat(24_000) }];
    const [body, most] = [{ messages, ...limited }, 24_000 / 4 + 2_000];
    const { simulator } = gateway;

    simulator.script({ body: '<html>' });
    expect((await ask(proxies[0], key, { body })).outcome).toBe('502 upstream_protocol_error');
    expectUsed(most, await left());

    simulator.script({ tokens: 50, stop: { by: 'cut', afterPieces: 42 } });
    await expect(ask(proxies[0], key, { body: { stream: true, ...limited } })).rejects.toThrow();
    const cut = 2_000;
    expectUsed(most + cut, await left());

    simulator.script({ headDelayMs: 300, usage: { prompt_tokens: 4_000, completion_tokens: 500 } });
    const [leave, before] = [new AbortController(), simulator.requests.length];
    const gone = ask(proxies[0], key, { body, signal: leave.signal });
    await until(() => simulator.requests.length > before);
    leave.abort();
    await expect(gone).rejects.toThrow();
    // Until its response has arrived, the whole estimate is reserved.
    const settled = await until(async () => [await left()].find((now) => now > 30_000 - 2 * most - cut + 500));
    expectUsed(most + cut + 4_500, settled);
  });
});

describe('concurrent requests', () => {
  const busy = '429 concurrency_limit_exceeded';

  it('free their slot however they end: a response, an error, a client that leaves', async () => {
    const key = await limitedKey('CONCURRENT_REQUESTS', 1);
    for (const proxy of [...proxies, alone]) {
      gateway.simulator.reset();
      // The stream of a provider that stops: other responses keep their slot until they have arrived.
      gateway.simulator.script({ stop: { by: 'silence', beforeHead: true } });
      const leave = new AbortController();
      const left = ask(proxy, key, { body: { stream: true }, signal: leave.signal }).catch(() => 'left');
      await until(() => gateway.simulator.requests.length === 1);
      const { outcome, message, headers } = await ask(proxy, key);
      expect(outcome).toBe(busy);
      expect(message).toBe(
        "the virtual key's limit of 1 concurrent requests is reached; it opens when one of them ends",
      );
      expect(headers.get('retry-after')).toBe('1');
      leave.abort();
      expect(await left).toBe('left');
      await until(async () => (await ask(proxy, key)).outcome === '200');
      gateway.simulator.script({ status: 500 });
      expect((await ask(proxy, key)).outcome).toMatch('500');
      await until(async () => (await ask(proxy, key, { body: { stream: true } })).outcome === '200');
      await until(async () => (await ask(proxy, key)).outcome === '200');
    }
  });

  it('never exceed the limit at the provider, from two proxies under load', async () => {
    const key = await limitedKey('CONCURRENT_REQUESTS', 3);
    gateway.simulator.script({ headDelayMs: 300 }, { times: 40 });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => proxies.map((proxy) => ask(proxy, key))).flat(),
    );
    const counts = Object.groupBy(responses, ({ outcome }) => outcome);
    expect([counts['200']?.length, counts[busy]?.length]).toEqual([3, 37]);
    expect(gateway.simulator.requests).toHaveLength(3);
  });
});

describe('a Redis that falls silent', () => {
  it('leaves limits to the proxy alone, delays no request by more than 100 ms, and is used again when it is back', async () => {
    const link = await startForwarder({ port: redis.port });
    const proxy = await gateway.startProxy({ REDIS_URL: `redis://127.0.0.1:${link.port}` });
    await redisResponds(proxy);
    const key = await limitedKey('REQUESTS_PER_MINUTE', 20);
    const other = await limitedKey('REQUESTS_PER_MINUTE', 30);
    expect(await outcomes(proxy, key, 20)).toEqual(Array(20).fill('200'));
    expect(await outcomes(proxy, other, 1)).toEqual(['200']);
    const before = await metric(proxy, 'gateway_rate_limit_local_total');
    link.freeze();
    // Redis had admitted the whole limit, so nothing of its last figure is left; a proxy's share is at least one.
    const [waited, received]: [number[], string[]] = [[], []];
    for (let from = performance.now(); received.length < 21; from = performance.now()) {
      received.push((await ask(proxy, key)).outcome);
      waited.push(performance.now() - from);
    }
    expect(received.filter((outcome) => outcome === '200').length).toBeLessThanOrEqual(1);
    expect(received.slice(1)).toEqual(Array(20).fill(refused));
    log('Redis silent: limited requests', waited);
    expect(Math.max(...waited)).toBeLessThan(10 * 100);
    expect(await metric(proxy, 'gateway_rate_limit_local_total')).toBe(before + 21);
    await link.heal();
    await redisResponds(proxy);
    // On a busy machine Redis may take too long once more, and count that request later.
    let sent = 0;
    const left = async () => (await ask(proxy, other)).headers.get('x-ratelimit-remaining-requests');
    await until(async () => (await left()) === String(29 - ++sent));
    expect((await ask(proxy, key)).outcome).toBe(refused);
    expect(await metric(proxy, 'gateway_rate_limit_local_total')).toBeLessThanOrEqual(before + 21 + sent);
    await link.stop();
  });
});
