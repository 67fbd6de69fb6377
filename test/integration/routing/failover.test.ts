// A failed target is not the caller's failure: the next provider key of the organization gets the request, before
// anything was passed on. Tested with the vendor's SDK, without its own retries, and by the ledger.
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { createBudget } from '../../support/spending.ts';

const model = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const first = 'sk-sim-first-0123456789';
const second = 'sk-sim-second-0123456789';
let organizations = 0;

let gateway: TestGateway;
/** It does not wait long for a first byte. */
let hasty: TestProxy;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let keyIds: { readonly first: string; readonly second: string };
let virtualKey: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  hasty = await gateway.startProxy({ GATEWAY_FIRST_BYTE_TIMEOUT: '300ms' });
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  virtualKey = await organization.createKey();
  const { providerKeys } = (await organization.api.call('ProviderKeys/List', { organizationId: organization.id })) as {
    providerKeys: { id: string }[];
  };
  const id = providerKeys[0]?.id ?? '';
  await organization.api.call('ProviderKeys/Update', { id, secret: { apiKey: first } });
  keyIds = { first: id, second: await storeKey({ name: 'second', apiKey: second, priority: 1 }) };
});
afterAll(() => gateway?.close());

async function storeKey({ apiKey, ...fields }: { name: string; apiKey: string; priority: number }): Promise<string> {
  const request = { organizationId: organization.id, provider: 'gpt-provider', ...fields, secret: { apiKey } };
  return String((await organization.api.call('ProviderKeys/Create', request)).id);
}

function client(proxy: TestProxy = gateway.proxy): OpenAI {
  return new OpenAI({ apiKey: virtualKey.value, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
}

function keysUsed(): readonly string[] {
  return gateway.simulator.requests.map(({ headers }) => String(headers.authorization).slice('Bearer '.length));
}

function failFirst(behaviour: Behaviour): void {
  const { simulator } = gateway;
  simulator.script(behaviour, { times: 9, when: ({ headers }) => headers.authorization === `Bearer ${first}` });
}

async function whole(proxy?: TestProxy) {
  const { data, response } = await client(proxy).chat.completions.create({ model, messages }).withResponse();
  return { text: data.choices[0]?.message.content ?? '', headers: response.headers };
}

async function streamed(proxy?: TestProxy) {
  const pending = client(proxy).chat.completions.create({ model, messages, stream: true });
  const { data, response } = await pending.withResponse();
  let text = '';
  for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
  return { text, headers: response.headers };
}

const failures: readonly (readonly [string, Behaviour])[] = [
  ['is rate limited', { status: 429, headers: { 'retry-after': '30' } }],
  ['has no money left', { status: 429, error: { code: 'insufficient_quota', type: 'insufficient_quota' } }],
  ['fails', { status: 500 }],
  ['is a bad gateway', { status: 502 }],
  ['is overloaded', { status: 503 }],
  ['is refused', { status: 401 }],
  ['is forbidden', { status: 403 }],
  ['does not have the model', { status: 404 }],
  ['closes the connection', { stop: { by: 'cut', beforeHead: true } }],
  ['resets the connection', { stop: { by: 'reset', beforeHead: true } }],
];

const inBothForms = failures.flatMap(([name, behaviour]) => [
  [name, 'whole', behaviour, whole] as const,
  [name, 'streamed', behaviour, streamed] as const,
]);

describe('the second key responds when the first one', () => {
  it.each(inBothForms)('%s, %s', async (_name, _form, behaviour, request) => {
    failFirst(behaviour);
    const { text, headers } = await request();
    expect(text).not.toBe('');
    expect(headers.get('x-svc-attempts')).toMatch(/^[23]$/);
    expect(keysUsed().at(0)).toBe(first);
    expect(keysUsed().at(-1)).toBe(second);
  });

  it('sends no first byte of a stream', async () => {
    failFirst({ headDelayMs: 5000 });
    const { text, headers } = await streamed(hasty);
    expect(text).not.toBe('');
    expect([keysUsed(), headers.get('x-svc-attempts')]).toEqual([[first, second], '2']);
  });
});

describe('the second key is not called when the request', () => {
  it.each([400, 413, 422])('is refused with %d', async (status) => {
    failFirst({ status });
    await expect(whole()).rejects.toMatchObject({ status });
    expect(keysUsed()).toEqual([first]);
  });

  it('has failed after its first token', async () => {
    failFirst({ tokens: 20, stop: { by: 'cut', afterPieces: 5 } });
    await expect(streamed()).rejects.toThrow();
    expect(keysUsed()).toEqual([first]);
  });
});

describe('a second key of the same priority that is mistyped', () => {
  it('fails no request, and gets one of forty', async () => {
    await storeKey({ name: 'mistyped', apiKey: 'sk-mistyped-0123456789', priority: 0 });
    for (let request = 0; request < 40; request++) {
      expect((await (request % 2 === 0 ? whole() : streamed())).text).not.toBe('');
    }
    // The simulator records what it refuses, too.
    expect(keysUsed().filter((key) => key.includes('mistyped')).length).toBeLessThanOrEqual(1);
  });
});

describe('when both keys fail', () => {
  it('the caller gets the last failure, with the shortest wait, and no reason to retry at once', async () => {
    const { simulator } = gateway;
    failFirst({ status: 429, headers: { 'retry-after': '7' } });
    simulator.script({ status: 503, headers: { 'retry-after': '30' } }, { times: 9 });
    const error = await whole().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    const { status, headers } = error as InstanceType<typeof OpenAI.APIError>;
    expect([status, headers?.get('retry-after'), headers?.get('x-should-retry')]).toEqual([503, '7', 'false']);
    expect(headers?.get('x-svc-attempts')).toBe('2');
  });
});

describe('a request that a second key served', () => {
  it('is recorded with that key, once, and charged once', async () => {
    failFirst({ status: 500 });
    const { headers } = await whole();
    const rows = await rowsOf(headers.get('x-request-id') ?? '', 1);
    expect(rows.map(({ providerKeyId, status }) => [providerKeyId, status])).toEqual([[keyIds.second, 200]]);
  });

  it('is recorded and charged for both attempts if the first one may have cost something', async () => {
    const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: virtualKey.id }, { amountUsd: '5' });
    failFirst({ headDelayMs: 5000 });
    const { headers } = await streamed(hasty);
    const rows = await rowsOf(headers.get('x-request-id') ?? '', 2);
    expect(rows.map(({ providerKeyId, estimateReason }) => [providerKeyId, estimateReason])).toEqual([
      [keyIds.first, 'timed_out'],
      [keyIds.second, undefined],
    ]);
    const [abandoned = 0, served = 0] = rows.map(costOf);
    expect(abandoned).toBeGreaterThan(served);
    await expect
      .poll(async () => (await wholeLedger(organization, budget)).map(({ spent }) => spent))
      .toEqual([abandoned + served]);
  });
});

async function rowsOf(requestId: string, count: number) {
  const of = { controlPlane: gateway.controlPlane, organization };
  return await until(
    async () => {
      const rows = (await recordedRequests(of)).filter((row) => row.requestId === requestId);
      return rows.length >= count ? rows : undefined;
    },
    { what: `${count} rows of ${requestId}` },
  );
}
