// A model has one name through the whole gateway: the same limits, prices and allow-lists apply to every spelling in a
// request, however they were written; the provider gets the name of the request; and a mistyped model is refused with
// the nearest names.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { chatBody, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { recordedRequest, recordedRequests } from '../../support/recorded.ts';
import { createBudget, ledgerOf } from '../../support/spending.ts';
import { ownHeaders, ownPath } from '../../support/vendors.ts';

let database: StoreDatabase;
let gateway: TestGateway;
let count = 0;

beforeAll(async () => {
  database = await freshSqlite();
  gateway = await startGateway({ databaseUrl: database.url });
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

/** An organization with stored keys of all providers that allows callers' own. */
async function newOrganization(): Promise<TestOrganization> {
  const organization = await gateway.createOrganization(`named ${++count}`);
  const { api, id } = organization;
  await organization.storeProviderKeys();
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  return organization;
}

interface ReadResponse {
  readonly id: string;
  readonly status: number;
  readonly error: Readonly<Record<'code' | 'message' | 'param' | 'hint', string>>;
  readonly headers: Headers;
}

async function post(path: string, headers: Record<string, string>, body: object): Promise<ReadResponse> {
  const id = `names-${++count}`;
  const response = await fetch(gateway.proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers },
    body: chatBody(body),
  });
  const text = await response.text();
  const error = text.startsWith('{"error"') ? JSON.parse(text).error : {};
  return { id, status: response.status, error, headers: response.headers };
}

function ask(key: string, model: string, more: object = {}): Promise<ReadResponse> {
  return post('/v1/chat/completions', { authorization: `Bearer ${key}` }, { model, ...more });
}

/** On the provider's own route, with the caller's own credential. */
function askOwnRoute(key: string, model: string): Promise<ReadResponse> {
  const headers = { 'project-api-key': key, ...ownHeaders['gpt-provider'] };
  return post(`${ownPath('gpt-provider')}/chat/completions`, headers, { model });
}

const outcome = ({ status, error }: ReadResponse) =>
  error.code === undefined ? `${status}` : `${status} ${error.code}`;

const writings = ['openai/gpt-4o', 'gpt-provider/gpt-4o-2024-08-06', 'openai/gpt-4o-2024-08-*', '*/gpt-4o'];
const spellings = [
  'gpt-provider/gpt-4o',
  'openai/gpt-4o',
  'gpt-provider/gpt-4o-2024-08-06',
  'openai/gpt-4o-2024-08-06',
];

describe('a budget', () => {
  it.each(writings)('written as %s applies to every spelling', async (model) => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.000001', model });
    for (const spelling of spellings) {
      expect(outcome(await ask(key.value, spelling)), spelling).toBe('402 budget_exceeded');
      expect(outcome(await ask(key.value, spelling, { stream: true })), spelling).toBe('402 budget_exceeded');
    }
    for (const name of ['gpt-4o', 'gpt-4o-2024-08-06'])
      expect(outcome(await askOwnRoute(key.value, name)), name).toBe('402 budget_exceeded');
    expect(outcome(await ask(key.value, 'gpt-provider/gpt-4.1'))).toBe('200');
    expect(gateway.simulator.requests).toHaveLength(1);
  });

  it('of a whole provider, by its alias, applies to each of its models', async () => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    const subject = { kind: 'ORGANIZATION', id: organization.id } as const;
    await createBudget(organization, subject, { amountUsd: '0.000001', model: 'anthropic/*' });
    for (const spelling of [
      ...['anthropic/claude-sonnet-4-5', 'assistant-provider/claude-sonnet-4-5'],
      ...['anthropic/claude-sonnet-4-5-20250929', 'assistant-provider/claude-haiku-4-5-20251001'],
    ])
      expect(outcome(await ask(key.value, spelling)), spelling).toBe('402 budget_exceeded');
    expect(outcome(await ask(key.value, 'openai/gpt-4o'))).toBe('200');
  });

  it('charges every spelling at one price, as one model', async () => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    const { api, id: organizationId } = organization;
    const prices = { input: '1000', output: '1000' };
    await api.call('Prices/Create', { organizationId, model: 'openai/gpt-4o-2024-08-06', prices });
    const budget = { amountUsd: '100', model: 'gpt-provider/gpt-4o' };
    const id = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, budget);
    const of = { controlPlane: gateway.controlPlane, organization };
    for (const spelling of spellings) {
      const response = await ask(key.value, spelling, { max_tokens: 10 });
      expect(outcome(response), spelling).toBe('200');
      await recordedRequest(of, response.id);
    }
    const rows = await recordedRequests(of);
    expect(new Set(rows.map(({ modelAsked }) => modelAsked))).toEqual(new Set(['gpt-provider/gpt-4o']));
    const costs = rows.map(({ costUsd }) => Number(costUsd));
    expect(Math.min(...costs)).toBeGreaterThan(0.01);
    expect((await ledgerOf(organization, id)).spent).toBe(Math.round(costs.reduce((a, b) => a + b, 0) * 1e9));
    for (const model of [...spellings, 'openai/gpt-4o*']) {
      const { totals } = (await api.call('Usage/Totals', { organizationId, model })) as {
        totals: { requests: string }[];
      };
      expect(totals[0]?.requests, model).toBe('4');
    }
  });

  it('of an undated name applies to snapshots too, and ignores letter case', async () => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    const budget = (model: string) =>
      createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.000001', model });
    await budget('gpt-provider/gpt-4o');
    await budget('azure/Our-Deployment');
    for (const spelling of ['gpt-provider/gpt-4o-2024-05-13', 'gpt-provider/gpt-4o-2024-11-20'])
      expect(outcome(await ask(key.value, spelling)), spelling).toBe('402 budget_exceeded');
    // Its price is unknown, so a budget refuses it.
    for (const spelling of ['gpt-provider/GPT-4o', 'azure/our-deployment', 'studio-ai/OUR-DEPLOYMENT'])
      expect(outcome(await ask(key.value, spelling)), spelling).toMatch(/^4\d\d model_not_(priced|found)$/);
    expect(gateway.simulator.requests).toHaveLength(0);
  });

  it('of a cloud’s model applies to an alias of the ARN that ends in its id, and the reverse', async () => {
    const id = 'managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
    const arn =
      'managed-cloud-models/arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
    for (const model of [id, arn]) {
      const organization = await newOrganization();
      const aliases = [{ name: 'by-arn', model: arn }];
      await organization.api.call('Organizations/UpdateSettings', {
        ...{ id: organization.id, settings: { models: { aliases: { aliases } } }, allowUnmatched: true },
      });
      const key = await organization.createKey();
      await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.000001', model });
      for (const spelling of [id, 'by-arn'])
        expect(outcome(await ask(key.value, spelling)), spelling).toBe('402 budget_exceeded');
      for (const spelling of [arn, arn.replace('managed-cloud-models', 'bedrock')])
        expect(outcome(await ask(key.value, spelling)), spelling).toBe('400 unsupported_parameter');
    }
  });
});

describe('a limit on requests', () => {
  it.each(writings)('written as %s counts every spelling', async (model) => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    await organization.api.call('Limits/Create', {
      ...{ organizationId: organization.id, kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '2', model },
      subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.id },
    });
    const seen: string[] = [];
    for (const spelling of spellings) seen.push(outcome(await ask(key.value, spelling)));
    expect(seen).toEqual(['200', '200', '429 rate_limit_exceeded', '429 rate_limit_exceeded']);
    expect(outcome(await ask(key.value, 'openai/gpt-4.1'))).toBe('200');
  });
});

describe('an allow-list', () => {
  it.each(writings.slice(0, 3))('written as %s allows every spelling of the model, and no other', async (glob) => {
    const organization = await newOrganization();
    const { value } = await organization.createKey({ allowedModels: { globs: [glob] } });
    for (const spelling of spellings) expect(outcome(await ask(value, spelling)), spelling).toBe('200');
    expect(outcome(await askOwnRoute(value, 'gpt-4o-2024-08-06'))).toBe('200');
    for (const other of ['openai/gpt-4o-mini', 'openai/gpt-4o-2024-05-13', 'azure/gpt-4o', 'anthropic/claude-opus-5'])
      expect(outcome(await ask(value, other)), other).toBe('403 model_not_allowed');
    const list = await fetch(`${gateway.proxy.url}/v1/models`, {
      headers: { authorization: `Bearer ${value}` },
    });
    const { data } = (await list.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-2024-08-06']);
  });
});

describe('a request', () => {
  it('is sent to the provider unchanged, and logged and returned with the canonical name', async () => {
    const organization = await newOrganization();
    const { value } = await organization.createKey();
    const response = await ask(value, 'openai/gpt-4o-2024-08-06');
    expect(response.headers.get('x-svc-provider')).toBe('gpt-provider');
    expect(response.headers.get('x-svc-model')).toBe('gpt-4o');
    expect(gateway.simulator.requests.map(({ body }) => JSON.parse(body.toString()).model)).toEqual([
      'gpt-4o-2024-08-06',
    ]);
    const line = await until(async () => gateway.logs.find((one) => one.includes(`"${response.id}"`)));
    expect(JSON.parse(line)).toMatchObject({
      provider: 'gpt-provider',
      model: 'gpt-4o',
      model_sent: 'gpt-4o-2024-08-06',
    });
    const plain = await ask(value, 'gpt-provider/gpt-4o');
    const plainLine = await until(async () => gateway.logs.find((one) => one.includes(`"${plain.id}"`)));
    expect(JSON.parse(plainLine)).toMatchObject({ model: 'gpt-4o' });
    expect(JSON.parse(plainLine).model_sent).toBeUndefined();
  });

  it('finds one model by each of its names', async () => {
    const organization = await newOrganization();
    const { value } = await organization.createKey();
    const headers = { authorization: `Bearer ${value}` };
    const id = async (name: string) => {
      const response = await fetch(`${gateway.proxy.url}/v1/models/${encodeURIComponent(name)}`, { headers });
      return ((await response.json()) as { id?: string }).id;
    };
    expect(await id('openai/gpt-4o-2024-08-06')).toBe('gpt-provider/gpt-4o-2024-08-06');
    // The catalog has no row for this name.
    expect(await id('anthropic/claude-sonnet-4-0')).toBe('assistant-provider/claude-sonnet-4-20250514');
    expect(await id('anthropic/claude-sonnet-9-0')).toBeUndefined();
  });
});

describe('a mistyped model', () => {
  const near = /gpt-provider\/gpt-4o-mini/;

  it('is model_not_found with the nearest names when a budget applies', async () => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
    const response = await ask(key.value, 'openai/gpt-4o-minni');
    expect(outcome(response)).toBe('404 model_not_found');
    expect(response.error).toMatchObject({
      param: 'model',
      message: expect.stringMatching(
        /^no such model: gpt-provider\/gpt-4o-minni; the nearest that this key may call: gpt-provider\/gpt-4o-mini, /,
      ),
      hint: expect.stringMatching(/^if it is newer than the catalog of \d{4}-\d\d-\d\d: /),
    });
    expect(response.headers.get('x-svc-error-source')).toBe('gateway');
    expect(gateway.simulator.requests).toHaveLength(0);
    const far = await ask(key.value, 'gpt-provider/nope');
    expect(far.error).toMatchObject({
      code: 'model_not_found',
      message: expect.stringMatching(/GET \/v1\/models lists/),
    });
  });

  it('is model_not_found with the nearest names when the vendor refuses it', async () => {
    const organization = await newOrganization();
    const { value } = await organization.createKey();
    for (const [model, nearest] of [
      ['openai/gpt-4o-minni', near],
      ['anthropic/claude-sonet-4-5', /assistant-provider\/claude-sonnet-4-5/],
      ['gemini/gemini-2.5-falsh', /search-provider\/gemini-2\.5-flash/],
      ['bedrock/eu.anthropc.claude-sonnet-4-6', /managed-cloud-models\/eu\.anthropic\.claude-sonnet-4-6/],
      ['azure/gpt-4o-minni', /studio-ai\/gpt-4o-mini/],
    ] as const) {
      for (const stream of [false, true]) {
        const response = await ask(value, model, { stream });
        expect(outcome(response), model).toBe('404 model_not_found');
        expect(response.headers.get('x-svc-error-source'), model).toBe('provider');
        expect(response.error, model).toMatchObject({
          message: expect.stringMatching(
            /^the provider does not know this model, .*; the nearest that this key may call: /,
          ),
          hint: expect.stringMatching(nearest),
        });
        expect(response.error.message).toMatch(nearest);
      }
    }
    const own = await askOwnRoute(value, 'gpt-4o-minni');
    expect(outcome(own)).toBe('404 model_not_found');
    expect(own.error.hint).toMatch(near);
  });

  it('is model_not_found with the nearest allowed names when an allow-list applies', async () => {
    const organization = await newOrganization();
    const { value } = await organization.createKey({
      allowedModels: { globs: ['azure/gpt-4o-mini', 'openai/gpt-4.1'] },
    });
    const slip = await ask(value, 'openai/gpt-4o-minni');
    expect(outcome(slip)).toBe('404 model_not_found');
    // Only models that the key may call.
    expect(slip.error.message).toMatch(/may call: studio-ai\/gpt-4o-mini(, gpt-provider\/gpt-4\.1)?$/);
    const other = await ask(value, 'openai/gpt-4o-mini');
    expect(outcome(other)).toBe('403 model_not_allowed');
    expect(other.error.message).toBe('this virtual key may not call this model');
    expect(other.error.hint).toMatch(/^did you mean studio-ai\/gpt-4o-mini/);
    expect(outcome(await ask(value, 'openai/gpt-99'))).toBe('403 model_not_allowed');
  });

  it('that may be a new one is sent to the provider, and needs a price when a budget applies', async () => {
    const organization = await newOrganization();
    const { api, id: organizationId } = organization;
    const key = await organization.createKey();
    expect((await ask(key.value, 'openai/gpt-99')).headers.get('x-svc-error-source')).toBe('provider');
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
    const budgeted = async (model: string) => {
      const response = await ask(key.value, model);
      return response.headers.get('x-svc-error-source') === 'provider' ? 'went up' : outcome(response);
    };
    await until(async () => (await budgeted('openai/gpt-99')) === '400 model_not_priced');
    expect(await budgeted('azure/our-deployment')).toBe('400 model_not_priced');
    const prices = { input: '1', output: '2' };
    const price = (model: string, more: object = {}) =>
      api.call('Prices/Create', { organizationId, model, prices, ...more });
    await price('openai/gpt-99', { allowUnmatched: true });
    await price('azure/our-deployment');
    await until(async () => (await budgeted('openai/gpt-99')) === 'went up');
    expect(await budgeted('azure/our-deployment')).toBe('went up');
  });
});

describe('a selector that an older control plane stored', () => {
  it('with an alias or a synonym applies from now on', async () => {
    const organization = await newOrganization();
    const key = await organization.createKey();
    const subject = { kind: 'VIRTUAL_KEY', id: key.id } as const;
    const id = await createBudget(organization, subject, { amountUsd: '0.000001', model: 'gpt-provider/o3' });
    const allowed = await organization.createKey({ allowedModels: { globs: ['gpt-provider/o3'] } });
    expect(outcome(await ask(key.value, 'openai/gpt-4o'))).toBe('200');
    await database.raw(`update limits set model = 'openai/gpt-4o-2024-08-06' where id = '${id}'`);
    await database.raw(`update virtual_keys set allowed_models = '["openai/*"]' where id = '${allowed.id}'`);
    const restarted = await gateway.startProxy();
    const at = async (value: string, model: string) => {
      const response = await fetch(`${restarted.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${value}` },
        body: chatBody({ model }),
      });
      await response.text();
      return response.status;
    };
    for (const spelling of spellings) expect(await at(key.value, spelling), spelling).toBe(402);
    expect(await at(allowed.value, 'gpt-provider/gpt-4.1')).toBe(200);
    expect(await at(allowed.value, 'anthropic/claude-sonnet-4-5')).toBe(403);
  });
});
