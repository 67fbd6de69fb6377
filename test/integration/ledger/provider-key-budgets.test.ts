// Budgets of provider keys and of the platform, and budgets for a part of the traffic, with live planes: another key gets the request when the
// budget of one is spent, each attempt counts for its own key, and the ledger equals the rows of usage.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nanoOfUsd, usdOfNano } from '../../../common/money.ts';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import { chat, type Reply } from '../../support/chat-requests.ts';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, type RecordedRequest, recordedRequests } from '../../support/recorded.ts';
import { createBudget, ledgerOf, makeDear, spend, spentModel } from '../../support/spending.ts';

const firstSecret = 'sk-sim-first-0123456789';
const claude = 'assistant-provider/claude-haiku-4-5';
const exceeded = '402 budget_exceeded';

let database: StoreDatabase;
let gateway: TestGateway;
let organization: TestOrganization;
/** Of the first one in the order of priority, and of the one that gets what it cannot. */
let keys: { readonly first: string; readonly second: string };
let virtualKey: string;
let organizations = 0;

beforeAll(async () => {
  database = await freshSqlite();
  gateway = await startGateway({ databaseUrl: database.url });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`paying ${++organizations}`);
  await makeDear(organization);
  virtualKey = (await organization.createKey()).value;
  const first = await storedKey('gpt-provider');
  await organization.api.call('ProviderKeys/Update', { id: first, secret: { apiKey: firstSecret } });
  const request = { organizationId: organization.id, provider: 'gpt-provider', name: 'second', priority: 1 };
  const second = await organization.api.call('ProviderKeys/Create', {
    ...request,
    secret: { apiKey: 'sk-sim-second-0123456789' },
  });
  keys = { first, second: String(second.id) };
});

async function storedKey(of: string): Promise<string> {
  const { providerKeys } = await organization.api.call('ProviderKeys/List', { organizationId: organization.id });
  const found = (providerKeys as readonly { id: string; provider: string }[]).find(({ provider }) => provider === of);
  return found?.id ?? '';
}

function budgetOf(id: string, amountUsd: string, fields: object = {}): Promise<string> {
  return createBudget(organization, { kind: 'PROVIDER_KEY', id }, { amountUsd, period: 'MONTH', ...fields });
}

function ask(fields: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
  return chat(virtualKey, { model: spentModel, max_tokens: 100, ...fields }, headers)(gateway.proxy);
}

function failFirst(behaviour: Behaviour): void {
  const isFirst = (headers: Readonly<Record<string, unknown>>) => headers.authorization === `Bearer ${firstSecret}`;
  gateway.simulator.script(behaviour, { times: 9, when: ({ headers }) => isFirst(headers) });
}

async function rows(count: number): Promise<readonly RecordedRequest[]> {
  const of = { controlPlane: gateway.controlPlane, organization };
  return await until(
    async () => {
      const found = await recordedRequests(of);
      return found.length >= count && found;
    },
    { what: `${count} rows of usage` },
  );
}

const sumOf = (of: readonly RecordedRequest[]) => of.reduce((sum, row) => sum + costOf(row), 0);
const withKey = (of: readonly RecordedRequest[], id: string) => of.filter(({ providerKeyId }) => providerKeyId === id);

async function spentOf(id: string): Promise<number> {
  return (await ledgerOf(organization, id)).spent;
}

describe('a budget of a provider key', () => {
  it('leaves the rest to another key, and refuses only when no key has money left', async () => {
    const budgets = [await budgetOf(keys.first, '0.02'), await budgetOf(keys.second, '0.01')];
    const replies: Reply[] = [];
    await until(async () => {
      replies.push(await ask());
      return replies.at(-1)?.outcome === exceeded;
    });
    const refused = replies.at(-1);
    expect(refused?.message).toMatch(/^the provider key's budget of \$0\.0[12] a month is spent; it opens again at/);
    // Requests in flight may have reserved the rest of a key's budget, never all of them for good.
    for (const { outcome } of replies) expect(['200', '429 budget_busy', exceeded]).toContain(outcome);
    const served = replies.filter(({ outcome }) => outcome === '200').length;
    expect(served).toBeGreaterThan(2);
    const all = await rows(served);
    for (const [nth, id] of [keys.first, keys.second].entries()) {
      const own = withKey(all, id);
      expect(own.length).toBeGreaterThan(0);
      expect(await spentOf(budgets[nth] ?? '')).toBe(sumOf(own));
    }
    expect(await spentOf(budgets[0] ?? '')).toBeLessThanOrEqual(20_000_000);
    expect(await spentOf(budgets[1] ?? '')).toBeLessThanOrEqual(10_000_000);
    await organization.api.call('Limits/Raise', { id: budgets[1], amountUsd: '1' });
    await until(async () => (await ask()).outcome === '200');
    const { budgets: explained } = await organization.api.call('Budgets/Explain', {
      organizationId: organization.id,
      subject: { kind: 'LIMIT_SUBJECT_KIND_PROVIDER_KEY', id: keys.second },
    });
    expect(explained).toMatchObject([{ limit: { id: budgets[1] }, tightest: true }]);
  });

  it('counts the attempts of its own key: one that broke off, and one that cost nothing', async () => {
    const budgets = [await budgetOf(keys.first, '1'), await budgetOf(keys.second, '1')];
    failFirst({ stop: { by: 'cut', afterBytes: 50 } });
    expect((await ask()).outcome).toBe('200');
    gateway.simulator.reset();
    failFirst({ status: 500 });
    expect((await ask()).outcome).toBe('200');
    const all = await rows(3);
    expect(new Set(all.map(({ providerKeyId }) => providerKeyId))).toEqual(new Set([keys.first, keys.second]));
    for (const [nth, id] of [keys.first, keys.second].entries())
      expect(await spentOf(budgets[nth] ?? '')).toBe(sumOf(withKey(all, id)));
  });

  it('counts copies of requests too, and none is sent with a key that has no money left', async () => {
    await organization.storeProviderKeys();
    const copied = await storedKey('assistant-provider');
    await organization.api.call('Routes/Create', {
      ...{ organizationId: organization.id, name: 'fast', groups: [{ targets: [{ model: spentModel }] }] },
      settings: { shadow: { model: claude, percent: 100 } },
    });
    const ofOrganization = { kind: 'ORGANIZATION', id: organization.id } as const;
    const shadow = await createBudget(organization, ofOrganization, { amountUsd: '1', model: 'shadow/fast' });
    const budget = await budgetOf(copied, '1');
    expect((await ask({ model: 'fast' })).outcome).toBe('200');
    const copies = (await rows(2)).filter(({ kind }) => kind === 'shadow');
    expect(copies).toMatchObject([{ providerKeyId: copied }]);
    expect([await spentOf(budget), await spentOf(shadow)]).toEqual([sumOf(copies), sumOf(copies)]);
  });

  it('that is soft counts, and refuses nothing; it ends with its key', async () => {
    const budget = await budgetOf(keys.first, '0.001', { soft: true });
    for (let i = 0; i < 3; i++) expect((await ask()).outcome).toBe('200');
    const all = await rows(3);
    expect(await spentOf(budget)).toBe(sumOf(withKey(all, keys.first)));
    expect(await spentOf(budget)).toBeGreaterThan(1_000_000);
    await organization.api.call('ProviderKeys/Delete', { id: keys.first });
    const { limits } = await organization.api.call('Limits/List', { organizationId: organization.id });
    expect(limits).toEqual([]);
  });

  it('equals the rows of usage after its proxy was killed', async () => {
    const budgets = [await budgetOf(keys.first, '1'), await budgetOf(keys.second, '1')];
    const directory = mkdtempSync(join(tmpdir(), 'gateway-paying-'));
    try {
      const env = { GATEWAY_JOURNAL_DIR: directory };
      const { url, child } = await gateway.startProxyProcess(env);
      expect(await spend({ url, key: virtualKey })).toBe('200');
      gateway.simulator.script({ headDelayMs: 30_000 }, { times: 9 });
      const hanging = [1, 2, 3].map(() => spend({ url, key: virtualKey }));
      await until(() => gateway.simulator.requests.length >= 4, { what: 'the vendor to have them' });
      child.signal('SIGKILL');
      await Promise.all(hanging);
      gateway.simulator.reset();
      await gateway.startProxy(env);
      const all = await rows(4);
      expect(all.filter(({ estimateReason }) => String(estimateReason).endsWith('killed'))).toHaveLength(3);
      for (const [nth, id] of [keys.first, keys.second].entries()) {
        const settled = await until(async () => {
          const now = await ledgerOf(organization, budgets[nth] ?? '');
          return now.leased + now.unconfirmed === 0 && now;
        });
        expect(settled.spent).toBe(sumOf(withKey(all, id)));
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('a budget for a part of the traffic', () => {
  it('counts requests with stored provider keys, or those with callers’ own', async () => {
    await organization.api.call('Organizations/UpdateSettings', {
      id: organization.id,
      settings: { access: { callerProviderKeys: true } },
    });
    const ofOrganization = { kind: 'ORGANIZATION', id: organization.id } as const;
    const stored = { amountUsd: '0.01', traffic: 'LIMIT_TRAFFIC_STORED' } as const;
    const budgets = [
      await createBudget(organization, ofOrganization, stored),
      await createBudget(organization, ofOrganization, { amountUsd: '1', traffic: 'LIMIT_TRAFFIC_DIRECT' }),
    ];
    const own = { authorization: 'Bearer sk-sim-own-0123456789', 'x-svc-vk': virtualKey, 'x-svc-direct-key': 'true' };
    let served = 0;
    await until(async () => {
      const { outcome } = await ask();
      if (outcome === '200') served++;
      return outcome === exceeded;
    });
    for (let i = 0; i < 2; i++) expect((await ask({}, own)).outcome).toBe('200');
    const all = await rows(served + 2);
    const direct = all.filter(({ directKey }) => directKey);
    expect(direct).toHaveLength(2);
    expect(await spentOf(budgets[1] ?? '')).toBe(sumOf(direct));
    expect(await spentOf(budgets[0] ?? '')).toBe(sumOf(all) - sumOf(direct));
    const { limits } = await organization.api.call('Limits/List', { organizationId: organization.id });
    expect(limits).toMatchObject([{ traffic: 'LIMIT_TRAFFIC_STORED' }, { traffic: 'LIMIT_TRAFFIC_DIRECT' }]);
  });

  it('so does a rate', async () => {
    await organization.api.call('Limits/Create', {
      ...{ organizationId: organization.id, kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '1' },
      ...{ subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: organization.id }, traffic: 'LIMIT_TRAFFIC_DIRECT' },
    });
    for (let i = 0; i < 3; i++) expect((await ask()).outcome).toBe('200');
  });
});

describe('the platform’s budget', () => {
  it('bounds what all organizations spend together, and shows its figures to none of them', async () => {
    const { platform } = gateway;
    const other = await gateway.createOrganization(`neighbour ${++organizations}`);
    await makeDear(other);
    const callers = [virtualKey, (await other.createKey()).value];
    const amount = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '0.02', period: 'BUDGET_PERIOD_DAY' };
    const { id } = await platform.call('Limits/Create', amount);
    const soft = await platform.call('Limits/Create', { ...amount, soft: true });
    try {
      const last: Reply[] = [];
      let served = 0;
      await until(async () => {
        for (const [nth, key] of callers.entries()) {
          const reply = await chat(key, { model: spentModel, max_tokens: 100 })(gateway.proxy);
          if (reply.outcome === '200') served++;
          last[nth] = reply;
        }
        return last.every(({ outcome }) => outcome === exceeded);
      });
      for (const { message } of last)
        expect(message).toMatch(/^the platform's budget is spent; it opens again at \S+Z$/);
      const all = await until(async () => {
        const both = [organization, other].map((one) => recordedRequests({ ...gateway, organization: one }));
        const found = (await Promise.all(both)).flat();
        return found.length === served && found;
      });
      const { windows } = await platform.call('Budgets/ListWindows', {});
      const sum = nanoOfUsd((windows as readonly { spentUsd: string }[])[0]?.spentUsd ?? '');
      expect(windows).toMatchObject([{ limitId: soft.id }, { limitId: id, spentUsd: usdOfNano(sum ?? 0) }]);
      expect(sum).toBe(sumOf(all));
      expect(sum).toBeLessThanOrEqual(20_000_000);
    } finally {
      for (const limit of [id, soft.id]) await platform.call('Limits/Delete', { id: limit });
    }
    await until(async () => (await ask()).outcome === '200');
  });
});
