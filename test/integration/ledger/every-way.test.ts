// Every way of a request (a stored provider key or the caller's own, the generic route or a provider's, one virtual key
// or two, whole or streamed): it is charged once to every budget of its keys, their scopes and organization, and is
// limited by them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, type RecordedRequest, recordedRequest, wholeLedger } from '../../support/recorded.ts';
import { createBudget, ledgerOf, type Subject } from '../../support/spending.ts';
import { ownHeaders, ownPath, plainModels } from '../../support/vendors.ts';

let gateway: TestGateway;
let organization: TestOrganization;
let requests = 0;

interface Key {
  readonly id: string;
  readonly value: string;
}

beforeAll(async () => {
  gateway = await startGateway();
  ({ organization } = gateway);
  const { api, id } = organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway?.close());

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
}

/** A way to send a request with a key. */
type Way = (key: Key) => Sent;

const own = ownHeaders['gpt-provider'];
const model = 'gpt-4o-mini';
const generic = { path: '/v1/chat/completions', model: `gpt-provider/${model}` };
const ownRoute = { path: `${ownPath('gpt-provider')}/chat/completions`, model };

const stored: Way = ({ value }) => ({ ...generic, headers: { authorization: `Bearer ${value}` } });
const direct: Way = ({ value }) => ({
  ...generic,
  headers: { 'x-svc-vk': value, 'x-svc-direct-key': 'true', ...own },
});
const byProject: Way = ({ value }) => ({ ...ownRoute, headers: { 'project-api-key': value, ...own } });
const byBoth = (project: Key, caller: Key): Sent => ({
  ...ownRoute,
  headers: { 'project-api-key': project.value, 'x-svc-vk': caller.value, ...own },
});

interface ReadResponse {
  readonly id: string;
  readonly outcome: string;
  readonly message: string | undefined;
  readonly headers: Headers;
}

function send({ path, headers, model }: Sent, fields: object = {}, signal?: AbortSignal) {
  const id = `every-way-${++requests}`;
  const messages = [{ role: 'user', content: 'Hello' }];
  const pending = fetch(gateway.proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers },
    body: JSON.stringify({ model, messages, ...fields }),
    ...(signal && { signal }),
  });
  return { id, pending };
}

async function ask(sent: Sent, fields: object = {}): Promise<ReadResponse> {
  const { id, pending } = send(sent, fields);
  const response = await pending;
  const text = await response.text().catch(() => '');
  const { error } = text.startsWith('{') ? (JSON.parse(text) as { error?: { code: string; message: string } }) : {};
  const outcome = error === undefined ? String(response.status) : `${response.status} ${error.code}`;
  return { id, outcome, message: error?.message, headers: response.headers };
}

const recorded = (id: string): Promise<RecordedRequest> => recordedRequest({ ...gateway, organization }, id);

async function storedKeyId(): Promise<string | undefined> {
  const { providerKeys } = (await organization.api.call('ProviderKeys/List', {
    organizationId: organization.id,
  })) as { providerKeys: readonly { id: string; provider: string }[] };
  return providerKeys.find(({ provider }) => provider === 'gpt-provider')?.id;
}

async function createSystem(): Promise<string> {
  const fields = { organizationId: organization.id, name: `system ${++requests}` };
  return String((await organization.api.call('AiSystems/Create', fields)).id);
}

const inSystem = (id: string) => ({ scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id } });
const ofKey = ({ id }: Key): Subject => ({ kind: 'VIRTUAL_KEY', id });
const ofSystem = (id: string): Subject => ({ kind: 'AI_SYSTEM', id });

/** @returns budgets by name, each of ten dollars with nothing spent */
async function createBudgets(subjects: Readonly<Record<string, Subject>>): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [name, subject] of Object.entries(subjects)) {
    ids.set(name, await createBudget(organization, subject, { amountUsd: '10', period: 'TOTAL' }));
  }
  return ids;
}

/** Spend of these budgets; call it when their usage is in the ledger. */
async function spentOf(budgets: ReadonlyMap<string, string>): Promise<Record<string, number>> {
  const spent = new Map((await wholeLedger(organization)).map((ledger) => [ledger.limitId, ledger.spent]));
  return Object.fromEntries([...budgets].map(([name, id]) => [name, spent.get(id) ?? Number.NaN]));
}

/** Organization, one system with two keys, another system with a key, and budgets of all of them. */
async function createScene() {
  const [system, otherSystem] = [await createSystem(), await createSystem()];
  const [key, second] = [
    await organization.createKey(inSystem(system)),
    await organization.createKey(inSystem(system)),
  ];
  const other = await organization.createKey(inSystem(otherSystem));
  const budgets = await createBudgets({
    ...{ organization: { kind: 'ORGANIZATION', id: organization.id } as const },
    ...{ system: ofSystem(system), otherSystem: ofSystem(otherSystem) },
    ...{ key: ofKey(key), second: ofKey(second), other: ofKey(other) },
  });
  return { system, otherSystem, key, second, other, budgets };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

const whole = {};
const streamed = { stream: true };

describe.each([
  ['whole', whole],
  ['streamed', streamed],
])('a response that is %s', (_, form) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await createScene();
  });
  afterAll(async () => {
    const { api } = organization;
    for (const id of scene.budgets.values()) await api.call('Limits/Delete', { id });
  });

  /** The row of the request, after it was charged to these budgets and no others. */
  async function charged(sent: Sent, names: readonly string[]): Promise<RecordedRequest> {
    const before = await spentOf(scene.budgets);
    const result = await ask(sent, form);
    expect(result.outcome).toBe('200');
    const row = await recorded(result.id);
    expect(costOf(row)).toBeGreaterThan(0);
    const after = await spentOf(scene.budgets);
    const difference = Object.entries(after).map(([name, spent]) => [name, spent - (before[name] ?? 0)]);
    const expected = [...scene.budgets.keys()].map((name) => [name, names.includes(name) ? costOf(row) : 0]);
    expect(Object.fromEntries(difference)).toEqual(Object.fromEntries(expected));
    return row;
  }

  it.each([
    ['a stored provider key', stored, false],
    ["the caller's own provider key", direct, true],
    ["a provider's own route", byProject, true],
  ])('with %s is charged to key, scope and organization', async (_way, way, directKey) => {
    const row = await charged(way(scene.key), ['organization', 'system', 'key']);
    expect(row).toMatchObject({
      ...{ keyId: scene.key.id, aiSystemId: scene.system, directKey, streamed: form === streamed },
      ...{ provider: 'gpt-provider', modelAsked: 'gpt-provider/gpt-4o-mini', status: 200, estimated: false },
      ...{ promptTokens: 8, completionTokens: 33, unpriced: false },
    });
    expect(row.projectKeyId).toBeUndefined();
    expect(row.providerKeyId).toBe(directKey ? undefined : await storedKeyId());
    // 8 tokens at $0.15 and 33 at $0.60 a million.
    expect(costOf(row)).toBe(8 * 150 + 33 * 600);
  });

  it('with two keys is charged to both keys, both scopes and the organization', async () => {
    const row = await charged(byBoth(scene.key, scene.other), [
      ...['organization', 'system', 'key', 'otherSystem', 'other'],
    ]);
    expect(row).toMatchObject({
      ...{ keyId: scene.other.id, aiSystemId: scene.otherSystem, directKey: true },
      ...{ projectKeyId: scene.key.id, projectAiSystemId: scene.system },
    });
  });

  it('with two keys of one scope is charged to that scope once', async () => {
    const row = await charged(byBoth(scene.key, scene.second), ['organization', 'system', 'key', 'second']);
    expect(row).toMatchObject({
      keyId: scene.second.id,
      aiSystemId: scene.system,
      projectAiSystemId: scene.system,
    });
  });

  it('with the same key twice is charged to it once', async () => {
    const row = await charged(byBoth(scene.key, scene.key), ['organization', 'system', 'key']);
    expect(row).toMatchObject({ keyId: scene.key.id, projectKeyId: scene.key.id });
  });

  it.each(Object.keys(plainModels) as (keyof typeof plainModels)[])('on the route of %s is charged', async (vendor) => {
    const sent = {
      ...{ path: `${ownPath(vendor)}/chat/completions`, model: plainModels[vendor] },
      headers: { 'project-api-key': scene.key.value, ...ownHeaders[vendor] },
    };
    const row = await charged(sent, ['organization', 'system', 'key']);
    expect(row).toMatchObject({ provider: vendor, directKey: true, estimated: false });
  });

  it('has the maximum that the gateway has set in a header, in every way', async () => {
    for (const sent of [stored(scene.key), direct(scene.key), byProject(scene.key), byBoth(scene.key, scene.other)]) {
      expect((await ask(sent, form)).headers.get('x-svc-max-tokens')).toBe('8192');
      expect((await ask(sent, { ...form, max_tokens: 50 })).headers.get('x-svc-max-tokens')).toBeNull();
      gateway.simulator.script({ status: 500 });
      expect((await ask(sent, form)).headers.get('x-svc-max-tokens')).toBe('8192');
    }
  });
});

describe('prices of requests', () => {
  const custom = { path: generic.path, model: 'own-server/gpt-4o-mini' };
  let key: Key;

  beforeAll(async () => {
    const { api, id: organizationId } = organization;
    const models = [
      { name: 'gpt-4o-mini', maxOutputTokens: 4096, prices: { input: '0.02', output: '0.06' } },
      { name: 'gpt-4.1-mini', maxOutputTokens: 4096 },
    ];
    await api.call('Providers/Create', {
      ...{ organizationId, name: 'own-server', wireFormat: 'WIRE_FORMAT_GPT_PROVIDER' },
      ...{ baseUrl: gateway.simulator.baseUrls['gpt-provider'], keyForm: 'KEY_FORM_BEARER' },
      models: { models },
    });
    key = await organization.createKey();
    const headers = direct(key).headers;
    await until(async () => (await ask({ ...custom, headers })).outcome === '200');
  });

  it("are those of a custom provider's model", async () => {
    const { id } = await ask({ ...direct(key), ...custom });
    expect(costOf(await recorded(id))).toBe(8 * 20 + 33 * 60);
  });

  it("are the organization's own before others, in every way", async () => {
    const { api, id: organizationId } = organization;
    const made = [];
    for (const named of [generic.model, custom.model]) {
      const prices = { input: '2', output: '3' };
      made.push(await api.call('Prices/Create', { organizationId, model: named, prices }));
    }
    const cost = 8 * 2_000 + 33 * 3_000;
    await until(async () => costOf(await recorded((await ask(stored(key))).id)) === cost);
    const ids: string[] = [];
    for (const sent of [direct(key), byProject(key), { ...direct(key), ...custom }]) {
      for (const form of [whole, streamed]) ids.push((await ask(sent, form)).id);
    }
    for (const id of ids) expect(costOf(await recorded(id))).toBe(cost);
    for (const { id } of made) await api.call('Prices/Delete', { id });
  });

  it('may be missing without a budget, which is recorded; with a budget the request is refused', async () => {
    const sent = { ...direct(key), path: custom.path, model: 'own-server/gpt-4.1-mini' };
    const { id, outcome } = await ask(sent);
    expect(outcome).toBe('200');
    expect(await recorded(id)).toMatchObject({ unpriced: true, costUsd: '0', status: 200 });
    const budget = await createBudget(organization, ofKey(key), { amountUsd: '1' });
    await until(async () => (await ask(sent)).outcome === '400 model_not_priced');
    await organization.api.call('Limits/Delete', { id: budget });
  });
});

describe('a budget that is spent', () => {
  it('refuses in every way, with its name in the message', async () => {
    const system = await createSystem();
    const [key, free] = [await organization.createKey(inSystem(system)), await organization.createKey()];
    await createBudget(organization, ofSystem(system), { amountUsd: '0.000001', period: 'MONTH' });
    const ways = [stored(key), direct(key), byProject(key), byBoth(key, free), byBoth(free, key), byBoth(key, key)];
    for (const sent of ways) {
      for (const form of [whole, streamed]) {
        const { outcome, message } = await ask(sent, form);
        expect(outcome).toBe('402 budget_exceeded');
        expect(message).toMatch(
          /^the AI system's budget of \$0\.000001 a month is spent; it opens again at \S+-01T00:00:00Z$/,
        );
      }
    }
    expect(gateway.simulator.requests).toEqual([]);
    for (const way of [stored, direct, byProject]) expect((await ask(way(free))).outcome).toBe('200');
  });

  it('is busy in every way while a request has reserved the rest', async () => {
    const [key, free] = [await organization.createKey(), await organization.createKey()];
    // Two requests of this size cost more than the budget.
    const fields = { max_tokens: 10_000 };
    await createBudget(organization, ofKey(key), { amountUsd: '0.01' });
    gateway.simulator.script({ headDelayMs: 1_500 });
    const pending = ask(direct(key), fields);
    await until(() => gateway.simulator.requests.length === 1);
    for (const sent of [stored(key), direct(key), byProject(key), byBoth(key, free), byBoth(free, key)]) {
      const { outcome, headers } = await ask(sent, fields);
      expect(outcome).toBe('429 budget_busy');
      expect(headers.get('retry-after')).toBe('1');
    }
    expect((await pending).outcome).toBe('200');
    await until(async () => (await ask(byBoth(free, key), fields)).outcome === '200');
  });
});

describe('a request that does not end normally', () => {
  let key: Key;
  let budget: string;

  beforeEach(async () => {
    key = await organization.createKey();
    budget = await createBudget(organization, ofKey(key), { amountUsd: '10' });
  });

  const ways: readonly (readonly [string, Way])[] = [
    ['a stored key', stored],
    ['a direct key', direct],
    ["a provider's route", byProject],
  ];

  it.each(ways)('costs nothing after an error of the provider: %s', async (_, way) => {
    const ids: string[] = [];
    for (const status of [400, 429, 500]) {
      for (const form of [whole, streamed]) {
        gateway.simulator.script({ status });
        const { id, outcome } = await ask(way(key), form);
        expect(outcome).not.toBe('200');
        ids.push(id);
      }
    }
    for (const id of ids) {
      expect(await recorded(id)).toMatchObject({ costUsd: '0', estimated: false, errorSource: 'provider' });
    }
    expect(await ledgerOf(organization, budget)).toMatchObject({ spent: 0, unconfirmed: 0 });
  });

  it.each(ways)('is charged an estimate when its client leaves, and the provider is cancelled: %s', async (_, way) => {
    gateway.simulator.script({ tokens: 1_000, pieceDelayMs: 20 });
    const leave = new AbortController();
    const { id, pending } = send(way(key), streamed, leave.signal);
    const response = await pending;
    await response.body?.getReader().read();
    leave.abort();
    await until(() => gateway.simulator.requests.at(-1)?.ended === 'client_left');
    const row = await recorded(id);
    expect(row).toMatchObject({ status: 499, estimated: true, streamed: true, keyId: key.id });
    expect(costOf(row)).toBeGreaterThan(0);
    expect(costOf(row)).toBeLessThan(1_000 * 600);
    expect(await ledgerOf(organization, budget)).toMatchObject({ spent: costOf(row) });
  });

  it.each(ways)('is charged an estimate when the provider cuts the stream: %s', async (_, way) => {
    gateway.simulator.script({ tokens: 100, stop: { by: 'cut', afterPieces: 50 } });
    const { id } = await ask(way(key), streamed);
    const row = await recorded(id);
    expect(row).toMatchObject({ estimated: true, errorCode: 'upstream_protocol_error' });
    // Fifty tokens of six bytes arrived.
    expect(costOf(row)).toBeGreaterThan(40 * 600);
    expect(await ledgerOf(organization, budget)).toMatchObject({ spent: costOf(row) });
  });

  it('leaves no lease of any budget with the proxy', async () => {
    const leased = async () => (await wholeLedger(organization)).filter((ledger) => ledger.leased > 0);
    await until(async () => (await leased()).length === 0, { timeoutMs: 10_000 });
    expect((await wholeLedger(organization)).filter(({ unconfirmed }) => unconfirmed > 0)).toEqual([]);
  });
});
