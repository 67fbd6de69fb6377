// Budgets that operators lower, raise, create and delete while requests run: a change applies within a second or two,
// nothing is granted above the new amount, and requests in flight are charged.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chat, type Question, type Reply } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { createBudget, ledgerAtRest, ledgerOf, makeDear } from '../../support/spending.ts';

/** Cost of the simulator's usual response. */
const responseNano = 33 * 60_000 + 8 * 1_000;

let gateway: TestGateway;
let proxies: readonly TestProxy[];

beforeAll(async () => {
  gateway = await startGateway();
  proxies = [gateway.proxy, await gateway.startProxy()];
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway?.close());

interface Scene {
  readonly organization: TestOrganization;
  readonly keyId: string;
  readonly question: Question;
}

let scenes = 0;

async function newScene(): Promise<Scene> {
  const organization = await gateway.createOrganization(`changes ${++scenes}`);
  await makeDear(organization);
  const { id, value } = await organization.createKey();
  return { organization, keyId: id, question: chat(value, { max_tokens: 100 }) };
}

function budget({ organization, keyId }: Scene, amountUsd: string, period = 'DAY'): Promise<string> {
  return createBudget(organization, { kind: 'VIRTUAL_KEY', id: keyId }, { amountUsd, period });
}

const change = ({ organization: { api } }: Scene, id: string, amountUsd: string) =>
  api.call('Limits/Update', { id, amountUsd });

/** @returns milliseconds until every proxy returns this outcome, and its last response. */
async function untilAll(question: Question, outcome: string) {
  const from = performance.now();
  const replies = await Promise.all(
    proxies.map((proxy) =>
      until(async () => {
        const reply = await question(proxy);
        return reply.outcome === outcome && reply;
      }),
    ),
  );
  return { ms: performance.now() - from, replies };
}

const exceeded = '402 budget_exceeded';
const passing = new Set(['200', exceeded, '429 budget_busy']);

/** Sends requests to both proxies with short pauses, four at a time, until it is stopped. @returns all responses */
function keepRequesting(question: Question): { stop(): Promise<readonly Reply[]> } {
  const replies: Reply[] = [];
  let stopped = false;
  const callers = [0, 1, 2, 3].map(async (index) => {
    while (!stopped) {
      replies.push(await question(proxies[index % 2] ?? gateway.proxy));
      await sleep(20);
    }
  });
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(callers);
      return replies;
    },
  };
}

describe('a spent budget', () => {
  it('passes requests again within two seconds of a raise or a reset, and refuses them when the raise ends', async () => {
    const scene = await newScene();
    const { api } = scene.organization;
    const id = await budget(scene, '0.004');
    await untilAll(scene.question, exceeded);
    // Too little, and the refusal says how much there is.
    await api.call('Limits/Raise', { id, amountUsd: '0.0001' });
    await until(async () =>
      / budget of \$0\.0041 a day is spent;/.test((await scene.question(gateway.proxy)).message ?? ''),
    );
    const [, raise] = (await api.call('Limits/Raise', { id, amountUsd: '0.1' })).raises as { readonly id: string }[];
    const raised = await untilAll(scene.question, '200');
    await api.call('Limits/EndRaise', { id, raiseId: raise?.id });
    await untilAll(scene.question, exceeded);
    await api.call('Limits/Update', { id, amountUsd: '0.1' });
    await api.call('Budgets/Reset', { limitId: id, reason: 'a test' });
    const reset = await untilAll(scene.question, '200');
    for (const { ms } of [raised, reset]) expect(ms).toBeLessThan(20_000);
  });

  it('refuses nothing while it is soft, and counts on', async () => {
    const scene = await newScene();
    const id = await budget(scene, '0.004');
    await untilAll(scene.question, exceeded);
    await scene.organization.api.call('Limits/Update', { id, soft: true });
    await untilAll(scene.question, '200');
    const before = (await ledgerOf(scene.organization, id)).spent;
    for (const proxy of proxies) expect((await scene.question(proxy)).outcome).toBe('200');
    await until(async () => (await ledgerOf(scene.organization, id)).spent >= before + 2 * responseNano);
    await scene.organization.api.call('Limits/Update', { id, soft: false });
    await untilAll(scene.question, exceeded);
  });
});

describe('a budget that is lowered below the spent amount', () => {
  it('refuses within two seconds, and allows requests within two seconds after it is raised again', async () => {
    const scene = await newScene();
    const id = await budget(scene, '1');
    for (const proxy of [...proxies, ...proxies]) expect((await scene.question(proxy)).outcome).toBe('200');
    await until(async () => (await ledgerOf(scene.organization, id)).spent === 4 * responseNano);
    await change(scene, id, '0.005');
    const refused = await untilAll(scene.question, exceeded);
    for (const { message } of refused.replies) {
      expect(message).toMatch(/^the virtual key's budget of \$0\.005 a day is spent; it opens again at \S+T00:00:00Z$/);
    }
    const { spent } = await ledgerAtRest(scene.organization, id);
    expect(spent).toBeGreaterThan(5_000_000);
    await change(scene, id, '0.1');
    const opened = await untilAll(scene.question, '200');
    console.log(
      `lowered: refused after ${Math.round(refused.ms)} ms; raised: let in after ${Math.round(opened.ms)} ms`,
    );
    expect(refused.ms).toBeLessThan(2_000);
    expect(opened.ms).toBeLessThan(2_000);
  });

  it('grants nothing above the new amount, except for leases acquired before', async () => {
    const scene = await newScene();
    const id = await budget(scene, '5');
    const requested = keepRequesting(scene.question);
    await until(async () => (await ledgerOf(scene.organization, id)).spent > 20 * responseNano);
    await change(scene, id, '0.01');
    const lowered = await ledgerOf(scene.organization, id);
    await until(async () => (await scene.question(gateway.proxy)).outcome === exceeded, {
      timeoutMs: 10_000,
    });
    const outcomes = new Set((await requested.stop()).map(({ outcome }) => outcome));
    expect([...outcomes].filter((outcome) => !passing.has(outcome))).toEqual([]);
    const { spent } = await ledgerAtRest(scene.organization, id);
    expect(spent).toBeLessThanOrEqual(lowered.spent + lowered.leased);
    expect(spent).toBe(await recordedOf(scene));
  });
});

describe('a budget that is created while requests run', () => {
  it('applies at once, and counts the requests in flight', async () => {
    const scene = await newScene();
    const running = Promise.all(proxies.map(askSlowly(scene)));
    await until(() => gateway.simulator.requests.length === 2);
    const id = await budget(scene, '0.004');
    const { ms } = await untilAll(scene.question, exceeded);
    console.log(`made: refused after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(2_000);
    expect((await running).map(({ outcome }) => outcome)).toEqual(['200', '200']);
    const ledger = await until(async () => {
      const found = await ledgerAtRest(scene.organization, id);
      return found.spent === (await recordedOf(scene)) && found.spent >= 2 * responseNano && found;
    });
    expect(ledger).toMatchObject({ leased: 0, unconfirmed: 0 });
  });

  it('of all time does not count them, because it begins at its creation', async () => {
    const scene = await newScene();
    const running = Promise.all(proxies.map(askSlowly(scene)));
    await until(() => gateway.simulator.requests.length === 2);
    const id = await budget(scene, '1', 'TOTAL');
    expect((await running).map(({ outcome }) => outcome)).toEqual(['200', '200']);
    await until(async () => (await recordedOf(scene)) === 2 * responseNano);
    const windows = async () => await wholeLedger(scene.organization, id);
    expect((await windows()).map(({ spent }) => spent)).toEqual([0]);
    await untilAll(scene.question, '200');
    await until(async () => (await windows())[0]?.spent === (await recordedOf(scene)) - 2 * responseNano);
  });
});

describe('a budget that is deleted while requests run', () => {
  it('refuses no more requests, and its ledger entries remain and include late reports', async () => {
    const scene = await newScene();
    const id = await budget(scene, '0.02');
    const running = Promise.all(proxies.map(askSlowly(scene)));
    await until(() => gateway.simulator.requests.length === 2);
    await until(async () => (await scene.question(gateway.proxy)).outcome === exceeded, {
      timeoutMs: 10_000,
    });
    await scene.organization.api.call('Limits/Delete', { id });
    const { ms } = await untilAll(scene.question, '200');
    console.log(`deleted: let in after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(2_000);
    const requested = keepRequesting(scene.question);
    expect((await running).map(({ outcome }) => outcome)).toEqual(['200', '200']);
    expect(new Set((await requested.stop()).map(({ outcome }) => outcome))).toEqual(new Set(['200']));
    const ledger = async () => (await wholeLedger(scene.organization, id))[0];
    await until(async () => (await ledger())?.spent === (await recordedOf(scene)));
    await until(async () => (await ledger())?.leased === 0, { timeoutMs: 10_000 });
    expect(await ledger()).toMatchObject({ amount: 20_000_000, unconfirmed: 0 });
  });
});

/** Requests a response that takes two seconds. */
function askSlowly({ question }: Scene): Question {
  return (proxy) => {
    gateway.simulator.script({ headDelayMs: 2_000 });
    return question(proxy);
  };
}

async function recordedOf({ organization }: Scene): Promise<number> {
  const rows = await recordedRequests({ ...gateway, organization });
  return rows.reduce((sum, row) => sum + costOf(row), 0);
}
