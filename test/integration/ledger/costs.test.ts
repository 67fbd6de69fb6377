// The cost of a request in its response: in the header of a whole response, and in the usage chunk of a stream whose
// caller requested usage. It equals the cost in the ledger, and is absent if it is unknown. Dearer service tiers are
// reserved and charged with a budget.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { type VendorName, vendors } from '../../../simulator/vendors.ts';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { type RecordedRequest, recordedRequest } from '../../support/recorded.ts';
import { createBudget, ledgerOf } from '../../support/spending.ts';
import { plainModels } from '../../support/vendors.ts';

let gateway: TestGateway;
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };
let requests = 0;

beforeAll(async () => {
  gateway = await startGateway();
  ({ organization } = gateway);
  await organization.storeProviderKeys();
  const { id: organizationId, api } = organization;
  for (const [model, own] of Object.entries(prices)) {
    await api.call('Prices/Create', { organizationId, model, prices: own });
  }
  const baseUrl = gateway.simulator.baseUrls['gpt-provider'];
  const house = { organizationId, name: 'house', wireFormat: 'WIRE_FORMAT_GPT_PROVIDER', baseUrl };
  await api.call('Providers/Create', house);
  const secret = { apiKey: 'sk-sim-house-0123456789abcdef' };
  await api.call('ProviderKeys/Create', { organizationId, provider: 'house', name: 'house', secret });
  key = await organization.createKey();
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway?.close());

interface JsonResponse {
  readonly id: string;
  readonly status: number;
  readonly header: string | null;
  readonly text: string;
  /** The last chunk of a stream that has usage, or the whole response. */
  readonly usage: Record<string, unknown> | undefined;
}

async function ask(fields: object, by = key.value): Promise<JsonResponse> {
  const id = `costs-${++requests}`;
  const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id, authorization: `Bearer ${by}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  });
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  const reported = lines.length > 0 ? lines.map((line) => line.slice(6)) : [text];
  const usages = reported.flatMap((one) => JSON.parse(one).usage ?? []);
  return {
    id,
    status: response.status,
    header: response.headers.get('x-svc-cost'),
    text,
    usage: usages.at(-1),
  };
}

const recorded = (id: string): Promise<RecordedRequest> => recordedRequest({ ...gateway, organization }, id);
const streamed = { stream: true, stream_options: { include_usage: true } };
const says = (behaviour: Behaviour) => gateway.simulator.script(behaviour);

const audioModel = 'gpt-provider/gpt-audio-2025-08-28';
const plainModel = 'gpt-provider/gpt-4.1-mini';
const priorityModel = 'gpt-provider/gpt-4.1-nano';
const usual = { input: '1', output: '1' };
const prices = {
  [audioModel]: { input: '2.5', output: '10' },
  [plainModel]: usual,
  [priorityModel]: { ...usual, serviceTiers: { priority: { input: '3', output: '3' } } },
};

describe.each(Object.keys(vendors) as VendorName[])('a response of %s', (vendor) => {
  const model = `${vendor}/${plainModels[vendor]}`;

  it('has its cost in a header, the same as in the ledger', async () => {
    const { id, header, usage } = await ask({ model });
    const row = await recorded(id);
    expect(Number(header)).toBeGreaterThan(0);
    expect(header).toBe(row.costUsd);
    expect(usage).not.toHaveProperty('x_svc_cost');
  });

  it('has its cost in the usage chunk of a stream', async () => {
    const { id, header, usage } = await ask({ model, ...streamed });
    const row = await recorded(id);
    expect(header).toBeNull();
    expect(Number(row.costUsd)).toBeGreaterThan(0);
    expect(usage?.x_svc_cost).toBe(row.costUsd);
    expect(usage?.prompt_tokens).toBe(row.promptTokens);
  });

  it('has no cost in a stream whose caller did not request its usage', async () => {
    expect((await ask({ model, stream: true })).text).not.toContain('x_svc_cost');
  });

  it('has no cost when it failed', async () => {
    says({ status: 400 });
    const { status, header } = await ask({ model });
    expect([status, header]).toEqual([400, null]);
  });
});

describe('a request without a price', () => {
  it('has no cost in its response', async () => {
    const model = 'house/gpt-4o-mini';
    says({ body: JSON.stringify(responseOf({ prompt_tokens: 5, completion_tokens: 5 })), headers: json });
    const { id, header } = await ask({ model });
    expect(header).toBeNull();
    expect(await recorded(id)).toMatchObject({ costUsd: '0', unpriced: true });
  });

  it('has none when one part of it lacks a price, and is marked', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { audio_tokens: 90 } };
    says({ body: JSON.stringify(responseOf(usage)), headers: json });
    const { id, header } = await ask({ model: audioModel });
    expect(header).toBeNull();
    expect(await recorded(id)).toMatchObject({ costUsd: '0.00035', unpriced: true, audioPromptTokens: 90 });
  });

  it('has no cost when the vendor reported no usage', async () => {
    says({ usage: null });
    const { usage } = await ask({
      model: `assistant-provider/${plainModels['assistant-provider']}`,
      ...streamed,
    });
    expect(usage).not.toHaveProperty('x_svc_cost');
  });
});

describe('a response that failed at the model', () => {
  it.each([
    ['whole', false, 502],
    ['streamed', true, 200],
  ])('has its cost in the ledger, although a Messages client gets an error: %s', async (_form, stream, status) => {
    says({ text: 'Tea', finishReason: 'MALFORMED_FUNCTION_CALL' });
    const id = `costs-${++requests}`;
    const model = `search-provider/${plainModels['search-provider']}`;
    const response = await fetch(`${gateway.proxy.url}/v1/messages`, {
      method: 'POST',
      headers: { ...json, 'x-request-id': id, 'x-api-key': key.value },
      body: JSON.stringify({ model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(response.status).toBe(status);
    const pieces: string[] = [];
    const reading = readPieces(response, pieces);
    if (stream) await expect(reading).rejects.toThrow('terminated');
    else await reading;
    expect(pieces.join('')).toContain('"api_error"');
    expect(pieces.join('')).toContain('(MALFORMED_FUNCTION_CALL)');
    const row = await recorded(id);
    expect(row).toMatchObject({ status: 502, errorSource: 'provider', estimated: false });
    expect(row.completionTokens).toBeGreaterThan(0);
    expect(Number(row.costUsd)).toBeGreaterThan(0);
  });

  /** A stream that is cut has its pieces as well. */
  async function readPieces({ body }: Response, pieces: string[]): Promise<void> {
    for await (const piece of body ?? []) pieces.push(Buffer.from(piece).toString());
  }
});

describe('a request with a budget', () => {
  const priority = { service_tier: 'priority', max_tokens: 100 };

  it('for a dearer tier is refused without a price, and reserved and charged with one', async () => {
    const spender = await organization.createKey();
    const subject = { kind: 'VIRTUAL_KEY', id: spender.id } as const;
    const budget = await createBudget(organization, subject, { amountUsd: '1', period: 'TOTAL' });
    const refused = await ask({ model: plainModel, ...priority }, spender.value);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error).toMatchObject({
      code: 'unsupported_parameter',
      param: 'service_tier',
    });

    const { id, status, header } = await ask({ model: priorityModel, ...priority }, spender.value);
    expect(status).toBe(200);
    const row = await recorded(id);
    expect(row).toMatchObject({ unpriced: false, serviceTier: 'priority', costUsd: header });
    const cost = (row.promptTokens + row.completionTokens) * 3000;
    expect(Number(row.costUsd)).toBeCloseTo(cost / 1e9, 9);
    expect((await ledgerOf(organization, budget)).spent).toBe(cost);
  });
});

const json = { 'content-type': 'application/json' };

function responseOf(usage: object) {
  const message = { role: 'assistant', content: 'Hi' };
  return {
    id: 'a',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  };
}
