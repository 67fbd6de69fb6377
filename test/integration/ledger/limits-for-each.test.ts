// Limits for each key, each value of a tag, and for one tag, with live planes: counters make themselves, a refusal names
// its value, and operators see whose counter is the highest.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, type Reply } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { createBudget, makeDear } from '../../support/spending.ts';

/** Cost of the simulator's usual response, in USD. */
const responseUsd = 0.001988;

let redis: TestRedis;
let gateway: TestGateway;
let proxies: readonly TestProxy[];

beforeAll(async () => {
  redis = await startRedis();
  gateway = await startGateway();
  proxies = [gateway.proxy, await gateway.startProxy({ REDIS_URL: redis.url })];
});
afterAll(async () => {
  await gateway?.close();
  await redis?.stop();
});

let scenes = 0;

async function tenant(tags: readonly string[] = []): Promise<TestOrganization> {
  const organization = await gateway.createOrganization(`each ${++scenes}`);
  await makeDear(organization);
  if (tags.length > 0)
    await organization.api.call('Organizations/UpdateSettings', {
      id: organization.id,
      settings: { tags: { names: { names: tags } } },
    });
  return organization;
}

function ask(
  key: string,
  tags: Readonly<Record<string, string>> = {},
  proxy: TestProxy = gateway.proxy,
): Promise<Reply> {
  const headers = Object.fromEntries(Object.entries(tags).map(([name, value]) => [`x-svc-tag-${name}`, value]));
  return chat(key, { max_tokens: 100 }, headers)(proxy);
}

type WindowOf = Readonly<Record<'limitId' | 'counter' | 'spentUsd' | 'amountUsd', string>> & {
  readonly counters?: number;
};

async function windowsOf({ api, id }: TestOrganization, limitId?: string): Promise<readonly WindowOf[]> {
  const { windows } = await api.call('Budgets/ListWindows', { organizationId: id, ...(limitId && { limitId }) });
  return windows as readonly WindowOf[];
}

const exceeded = '402 budget_exceeded';

async function untilOutcome(outcome: string, send: () => Promise<Reply>): Promise<Reply> {
  return await until(async () => {
    const reply = await send();
    if (reply.outcome === outcome) return reply;
    await sleep(50);
    return undefined;
  });
}

const ofOrganization = ({ id }: TestOrganization) => ({ kind: 'ORGANIZATION' as const, id });

describe('a budget for each key', () => {
  it('binds every key apart, also one that is created afterwards', async () => {
    const organization = await tenant();
    const id = await createBudget(organization, ofOrganization(organization), { amountUsd: '0.01', each: 'key' });
    const [first, second] = [await organization.createKey(), await organization.createKey()];
    for (const proxy of proxies) await untilOutcome(exceeded, () => ask(first.value, {}, proxy));
    const refused = await ask(first.value);
    expect(refused.message).toMatch(/^the organization's budget of \$0\.01 a day for each virtual key is spent;/);
    expect((await ask(second.value)).outcome).toBe('200');
    const { api, id: organizationId } = organization;
    const listed = await until(async () => {
      const windows = await windowsOf(organization, id);
      return windows.length === 2 && Number(windows[1]?.spentUsd) > 0 && windows;
    });
    expect(listed.map(({ counter, limitId }) => [counter, limitId])).toEqual([
      [first.id, id],
      [second.id, id],
    ]);
    for (const { spentUsd, amountUsd } of listed) expect(Number(spentUsd)).toBeLessThanOrEqual(Number(amountUsd));
    const windows = await windowsOf(organization);
    expect(windows).toMatchObject([{ limitId: id, counter: first.id, counters: 2 }]);
    const explained = await api.call('VirtualKeys/Explain', { id: second.id });
    expect(explained).toMatchObject({ limits: [{ limit: { id, each: 'key' }, window: { counter: second.id } }] });
    const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: second.id };
    expect(await api.call('Budgets/Explain', { organizationId, subject })).toMatchObject({
      budgets: [{ limit: { id }, window: { counter: second.id } }],
    });
    await api.call('Limits/Delete', { id });
    await untilOutcome('200', () => ask(first.value));
  });
});

describe('a budget for each person', () => {
  it('binds all keys of a person together, and one who comes later, but no key of an AI system', async () => {
    const organization = await tenant();
    const { api, id: organizationId } = organization;
    const id = await createBudget(organization, ofOrganization(organization), { amountUsd: '0.01', each: 'person' });
    const person = async (name: string) => {
      const role = 'ROLE_MEMBER';
      return String((await api.call('People/Create', { organizationId, name, email: `${name}@example.com`, role })).id);
    };
    const keyOf = (ofKind: string, ofId: string) =>
      organization.createKey({ scope: { kind: `KEY_SCOPE_KIND_${ofKind}`, id: ofId } });
    const ann = await person('ann');
    const [first, second] = [await keyOf('PERSON', ann), await keyOf('PERSON', ann)];
    const refused = await untilOutcome(exceeded, () => ask(first.value));
    expect(refused.message).toMatch(/^the organization's budget of \$0\.01 a day for each person is spent;/);
    await untilOutcome(exceeded, () => ask(second.value));
    const bob = await person('bob');
    const third = await keyOf('PERSON', bob);
    expect((await ask(third.value)).outcome).toBe('200');
    const system = await api.call('AiSystems/Create', { organizationId, name: 'shop' });
    const fourth = await keyOf('AI_SYSTEM', String(system.id));
    for (let i = 0; i < 8; i++) expect((await ask(fourth.value)).outcome).toBe('200');
    const listed = await until(async () => {
      const windows = await windowsOf(organization, id);
      return windows.length === 2 && Number(windows[1]?.spentUsd) > 0 && windows;
    });
    expect(listed).toMatchObject([
      { counter: ann, counterName: 'ann' },
      { counter: bob, counterName: 'bob' },
    ]);
    for (const { spentUsd } of listed) expect(Number(spentUsd)).toBeLessThanOrEqual(0.01);
    const explained = await api.call('VirtualKeys/Explain', { id: third.id });
    expect(explained).toMatchObject({ limits: [{ limit: { id }, window: { counter: bob } }] });
    expect((await api.call('VirtualKeys/Explain', { id: fourth.id })).limits).toEqual([]);
    const subject = { kind: 'LIMIT_SUBJECT_KIND_PERSON', id: bob };
    expect(await api.call('Budgets/Explain', { organizationId, subject })).toMatchObject({
      budgets: [{ limit: { id }, window: { counter: bob } }],
    });
  });
});

describe('a budget for each user', () => {
  it('refuses the user who has spent it, with their name, and no other one', async () => {
    const organization = await tenant(['user']);
    const { api } = organization;
    const id = await createBudget(organization, ofOrganization(organization), { amountUsd: '0.01', each: 'tag:user' });
    const { value } = await organization.createKey();
    await untilOutcome(exceeded, () => ask(value, { user: 'u-17' }));
    const refused = await ask(value, { user: 'u-17' });
    expect(refused.message).toContain("the organization's budget of $0.01 a day for each user, here u-17, is spent");
    expect((await ask(value, { user: 'u-18' })).outcome).toBe('200');
    // Without a user it does not bind.
    for (let i = 0; i < 8; i++) expect((await ask(value)).outcome).toBe('200');
    const windows = await windowsOf(organization, id);
    expect(windows[0]).toMatchObject({ counter: 'u-17' });
    expect(Number(windows[0]?.spentUsd)).toBeLessThanOrEqual(0.01);
    await api.call('Budgets/Reset', { limitId: id, counter: 'u-17', reason: 'a test' });
    await untilOutcome('200', () => ask(value, { user: 'u-17' }));
  });

  it('that is soft counts each user, and refuses nothing', async () => {
    const organization = await tenant(['user']);
    const budget = { amountUsd: '0.001', each: 'tag:user', soft: true };
    const id = await createBudget(organization, ofOrganization(organization), budget);
    const { value } = await organization.createKey();
    for (const user of ['ann', 'ann', 'bob']) expect((await ask(value, { user })).outcome).toBe('200');
    const listed = await until(async () => {
      const windows = await windowsOf(organization, id);
      return windows.length === 2 && windows[0]?.spentUsd === String(2 * responseUsd) && windows;
    });
    expect(listed.map(({ counter }) => counter)).toEqual(['ann', 'bob']);
  });

  it('requires the user if it says so, and names the header', async () => {
    const organization = await tenant(['user']);
    const limit = { amountUsd: '1', each: 'tag:user', required: true };
    const id = await createBudget(organization, ofOrganization(organization), limit);
    const { value } = await organization.createKey();
    const refused = await untilOutcome('400 invalid_request', () => ask(value));
    expect(refused.message).toBe(
      'a limit counts requests for each user, and this one names none: send the header x-svc-tag-user',
    );
    expect((await ask(value, { user: 'u-1' })).outcome).toBe('200');
    await organization.api.call('Limits/Update', { id, required: false });
    await untilOutcome('200', () => ask(value));
    const names = { settings: { tags: { names: { names: [] } } } };
    await expect(
      organization.api.call('Organizations/UpdateSettings', { id: organization.id, ...names }),
    ).rejects.toThrow(/must contain user: the limit/);
  });
});

describe('a budget for a tag', () => {
  it('counts and refuses requests with this tag alone', async () => {
    const organization = await tenant(['feature']);
    const tag = { name: 'feature', value: 'search' };
    const id = await createBudget(organization, ofOrganization(organization), { amountUsd: '0.01', tag });
    const { value } = await organization.createKey();
    const refused = await untilOutcome(exceeded, () => ask(value, { feature: 'search' }));
    expect(refused.message).toContain("the organization's budget of $0.01 a day with feature=search is spent");
    expect((await ask(value, { feature: 'chat' })).outcome).toBe('200');
    expect((await ask(value)).outcome).toBe('200');
    // Two requests, and only they.
    await until(async () => (await windowsOf(organization, id))[0]?.spentUsd === String(2 * responseUsd));
  });
});

describe('slots for each user', () => {
  it('are counted apart by two proxies over Redis together, and free when the request ends', async () => {
    const organization = await tenant(['user']);
    const { api, id: organizationId } = organization;
    const subject = { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: organizationId };
    const limit = { organizationId, subject, kind: 'LIMIT_KIND_CONCURRENT_REQUESTS', count: 1, each: 'tag:user' };
    await api.call('Limits/Create', limit);
    const { value } = await organization.createKey();
    const [, withRedis = gateway.proxy] = proxies;
    const second = await gateway.startProxy({ REDIS_URL: redis.url });
    // Both know the limit.
    for (const proxy of [withRedis, second]) expect((await ask(value, { user: 'zoe' }, proxy)).outcome).toBe('200');
    gateway.simulator.reset();
    gateway.simulator.script({ headDelayMs: 1_500 });
    const running = ask(value, { user: 'ann' }, withRedis);
    await until(() => gateway.simulator.requests.length === 1);
    const refused = await ask(value, { user: 'ann' }, second);
    expect(refused.outcome).toBe('429 concurrency_limit_exceeded');
    expect(refused.message).toMatch(/limit of 1 concurrent requests for each user, here ann, is reached;/);
    expect((await ask(value, { user: 'bob' }, second)).outcome).toBe('200');
    expect((await ask(value, {}, second)).outcome).toBe('200');
    expect((await running).outcome).toBe('200');
    await untilOutcome('200', () => ask(value, { user: 'ann' }, second));
  });
});

describe('rates for each user', () => {
  it.each([
    ['requests with Redis', 'REQUESTS_PER_MINUTE', 3, 1],
    ['tokens without Redis', 'TOKENS_PER_MINUTE', 400, 0],
  ])('of %s are counted apart', async (_what, kind, count, index) => {
    const organization = await tenant(['user']);
    const { api, id: organizationId } = organization;
    const subject = { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: organizationId };
    const limit = { organizationId, subject, kind: `LIMIT_KIND_${kind}`, count, each: 'tag:user' };
    await api.call('Limits/Create', limit);
    const { value } = await organization.createKey();
    const proxy = proxies[index];
    const refused = await untilOutcome('429 rate_limit_exceeded', () => ask(value, { user: 'ann' }, proxy));
    expect(refused.message).toContain('for each user, here ann, is reached');
    const other = await ask(value, { user: 'bob' }, proxy);
    expect(other.outcome).toBe('200');
    expect(Number(other.headers[`x-ratelimit-limit-${index === 1 ? 'requests' : 'tokens'}`])).toBe(count);
    expect((await ask(value, {}, proxy)).outcome).toBe('200');
  });
});
