// Counting tokens where the vendor's counter fails: which errors the client gets, and which the estimate replaces. And
// what a count costs: a request, and nothing else.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../simulator/index.ts';
import type { TestProxy } from '../support/gateway.ts';
import { createLimit } from '../support/limited-callers.ts';
import { accessLine } from '../support/observe.ts';
import { recordedRequest, recordedRequests } from '../support/recorded.ts';
import { createBudget, ledgerOf } from '../support/spending.ts';
import { countFormats, home, useCounts } from './clients/counts.ts';
import { modelAt } from './clients/scene.ts';

const { clients, post, count } = useCounts();
const estimated = (response: Response) => [response.status, response.headers.get('x-svc-estimated')];

beforeEach(() => clients.scene.gateway.simulator.reset());

/** Failures of a counter, or of the way to it. */
const failures: readonly (readonly [string, Behaviour])[] = [
  ['403', { status: 403 }],
  ['404', { status: 404 }],
  ['500', { status: 500 }],
  ['503', { status: 503 }],
  ['a response without a number', { body: '{"tokens":"many"}' }],
  ['a response that is not JSON', { body: '<html>' }],
  ['a cut connection', { stop: { by: 'cut', beforeHead: true } }],
  ['a reset connection', { stop: { by: 'reset', afterBytes: 3 } }],
];

describe.each(countFormats)('a client of %s, at the vendor of its format', (format) => {
  it.each(failures)('gets the estimate instead of %s', async (_failure, behaviour) => {
    clients.scene.gateway.simulator.script(behaviour, { times: 2 });
    const response = await count(format, home[format], 'word '.repeat(400));
    expect(estimated(response)).toEqual([200, 'true']);
    expect(JSON.stringify(await response.json())).toMatch(/:[4-9]\d\d[,}]/);
    // Another one only if the connection was dead.
    expect(response.headers.get('x-svc-attempts')).toMatch(/^[12]$/);
  });

  it.each([400, 429])('gets the vendor’s own error of status %i', async (status) => {
    clients.scene.gateway.simulator.script({ status, error: { message: 'prompt is too long: 7 > 5' } });
    const response = await count(format, home[format]);
    expect(estimated(response)).toEqual([status, null]);
    expect(await response.text()).toContain('prompt is too long: 7 > 5');
    expect(response.headers.get('x-svc-error-source')).toBe('provider');
  });

  it('learns that the stored key is refused', async () => {
    // The cloud has one status for a key that it does not know and for a right that a key lacks.
    const refusal = { status: 403, error: { type: 'UnrecognizedClientException' } };
    clients.scene.gateway.simulator.script(format === 'converse' ? refusal : { status: 401 });
    const response = await count(format, home[format]);
    expect(response.headers.get('x-svc-error-code')).toBe('upstream_authentication_failed');
  });
});

describe('at a vendor with another format', () => {
  it.each([...failures, ...[400, 401, 429, 529].map((status) => [String(status), { status }] as const)])(
    'the estimate replaces %s',
    async (_failure, behaviour) => {
      clients.scene.gateway.simulator.script(behaviour, { times: 2 });
      expect(estimated(await count('converse', 'assistant-provider'))).toEqual([200, 'true']);
    },
  );
});

describe('the vendor’s wait', () => {
  it('at status 529 is the client’s', async () => {
    clients.scene.gateway.simulator.script({ status: 529 });
    expect(estimated(await count('messages', 'assistant-provider'))).toEqual([529, null]);
  });
});

describe('a model without a counter', () => {
  it.each(['amazon.nova-lite-v1:0', 'us.meta.llama3-3-70b-instruct-v1:0'])(
    'of the cloud gets the estimate: %s',
    async (model) => {
      expect(estimated(await post('converse', `managed-cloud-models/${model}`))).toEqual([200, 'true']);
      expect(clients.scene.received()).toMatchObject({ status: 400 });
    },
  );
});

describe('a counter that does not respond', () => {
  let hasty: TestProxy | undefined;
  beforeAll(async () => {
    hasty = await clients.scene.gateway.startProxy({ GATEWAY_FIRST_BYTE_TIMEOUT: '1s' });
  });
  afterAll(() => hasty?.drain());

  it.each(['messages', 'converse'] as const)('is replaced by the estimate after a moment: %s', async (format) => {
    clients.scene.gateway.simulator.script({ stop: { by: 'silence', beforeHead: true } });
    const begun = performance.now();
    const response = await count(format, 'assistant-provider', 'Hello', { url: hasty?.url ?? '' });
    expect(estimated(response)).toEqual([200, 'true']);
    expect(performance.now() - begun).toBeLessThan(9000);
  });
});

describe('a count', () => {
  it.each(['assistant-provider', 'studio-ai'] as const)('at %s is a request, and no tokens', async (vendor) => {
    const { organization } = clients.scene.gateway;
    const limited = await organization.createKey();
    await createLimit(organization, ['VIRTUAL_KEY', limited.id], ['REQUESTS_PER_MINUTE', 2]);
    await createLimit(organization, ['VIRTUAL_KEY', limited.id], ['TOKENS_PER_MINUTE', 1]);
    const statuses = [];
    for (let index = 0; index < 3; index++) {
      statuses.push((await count('messages', vendor, 'Hello', { key: limited.value })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('costs nothing, is not recorded as usage, and is possible when the budget is spent', async () => {
    const { gateway } = clients.scene;
    const { organization } = gateway;
    const poor = await organization.createKey();
    const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: poor.id }, { amountUsd: '0.000001' });
    const ids = ['count-own', 'count-failed', 'count-estimated'];
    const vendors = ['assistant-provider', 'assistant-provider', 'studio-ai'] as const;
    for (const [index, id] of ids.entries()) {
      if (id === 'count-failed') gateway.simulator.script({ stop: { by: 'cut', afterBytes: 3 } });
      const sent = { key: poor.value, headers: { 'x-request-id': id } };
      expect((await count('messages', vendors[index] ?? 'studio-ai', 'Hello', sent)).status).toBe(200);
    }
    const headers = { authorization: `Bearer ${clients.scene.key}`, 'x-request-id': 'called-after-counts' };
    const body = JSON.stringify({ model: modelAt('studio-ai'), messages: [{ role: 'user', content: 'Hello' }] });
    await fetch(`${clients.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    await recordedRequest(gateway, 'called-after-counts');
    const recorded = (await recordedRequests(gateway)).map(({ requestId }) => requestId);
    expect(recorded.filter((id) => ids.includes(id))).toEqual([]);
    expect(await ledgerOf(organization, budget).catch(() => ({ spent: 0 }))).toMatchObject({ spent: 0 });
  });

  it('has a log line that says who counted', async () => {
    const { gateway } = clients.scene;
    const lineOf = async (id: string, vendor: 'assistant-provider' | 'studio-ai', behaviour: Behaviour = {}) => {
      gateway.simulator.reset();
      gateway.simulator.script(behaviour);
      await count('messages', vendor, 'Hello', { headers: { 'x-request-id': id } });
      return accessLine(gateway, id);
    };
    const counted = { route: 'count', status: 200, client_format: 'messages', streamed: false };
    const own = await lineOf('count-line-1', 'assistant-provider');
    expect(own).toMatchObject({ ...counted, provider: 'assistant-provider', attempts: 1 });
    for (const field of ['estimated', 'prompt_tokens', 'completion_tokens']) expect(own).not.toHaveProperty(field);
    expect(await lineOf('count-line-2', 'assistant-provider', { status: 500 })).toMatchObject({
      ...counted,
      estimated: 'counter_failed',
      attempts: 1,
    });
    expect(await lineOf('count-line-3', 'studio-ai')).toMatchObject({
      ...counted,
      estimated: 'no_counter',
      attempts: 0,
    });
  });

  it('is cancelled at the vendor when its client leaves', async () => {
    const { simulator } = clients.scene.gateway;
    simulator.script({ headDelayMs: 5000 });
    const leaving = new AbortController();
    const body = JSON.stringify({
      model: modelAt('assistant-provider'),
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const counting = fetch(`${clients.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${clients.scene.key}`,
        ...{ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      },
      body,
      signal: leaving.signal,
    });
    await expect.poll(() => simulator.requests.length).toBe(1);
    leaving.abort();
    await expect(counting).rejects.toThrow();
    await expect.poll(() => simulator.requests[0]?.ended).toBe('client_left');
  });
});
