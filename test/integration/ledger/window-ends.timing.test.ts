// Windows of budgets end while hundreds of them are in use: no request is refused because of it, and each request
// counts in the window in which it was reserved. The control plane uses the test's clock; the proxies follow it by its
// responses. GATEWAY_TEST_ROUNDS=2 runs the long form, with a thousand budgets.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BudgetCalendar, type BudgetPeriod, windowEnd, windowOf } from '../../../common/budget-window.ts';
import type { Clock } from '../../../common/clock.ts';
import { chat } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { roundsOf } from '../../support/seed.ts';
import { createBudget, makeDear, type Outcome, spend, spentModel, tally } from '../../support/spending.ts';

/** Each key's budgets: every request is charged to all four. */
const budgetsOfKey: readonly { readonly fields: object; readonly calendar: BudgetCalendar }[] = [
  { fields: { period: 'DAY' }, calendar: 'day' },
  // By the clocks of Lagos, which are always an hour ahead: these days begin at midnight in UTC, and have other names.
  {
    fields: { period: 'DAY', model: spentModel, timeZone: 'Africa/Lagos', startsOn: { hour: 1 } },
    calendar: { period: 'day', timeZone: 'Africa/Lagos', hour: 1, weekday: 1, dayOfMonth: 1, month: 1 },
  },
  { fields: { period: 'MONTH' }, calendar: 'month' },
  { fields: { period: 'MONTH', model: spentModel }, calendar: 'month' },
];
const keysInUse = roundsOf(125);
/** Number of requests in flight when the windows end. */
const underWay = 40;
/** Few: callers, both proxies and the control plane share a process, and nothing may wait long. */
const atOnce = 8;

/** A clock that stands still until it is started. */
class StandingClock implements Clock {
  #offsetMs = 0;
  #standsAt: number | undefined;

  now(): number {
    return this.#standsAt ?? Date.now() + this.#offsetMs;
  }

  monotonic(): number {
    return performance.now();
  }

  /** Stands still this long before the end of the current window. @returns the time of that end */
  standBefore(period: BudgetPeriod, ms: number): number {
    const end = windowEnd(period, this.now()) ?? Number.NaN;
    this.#standsAt = end - ms;
    return end;
  }

  go(): void {
    this.#offsetMs = this.now() - Date.now();
    this.#standsAt = undefined;
  }
}

const clock = new StandingClock();
/** Of the requests that are sent one after another. */
let slowestMs = 0;
let notLookedUp = 0;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ clock });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway?.close());

async function newOrganization(name: string): Promise<TestOrganization> {
  const organization = await gateway.createOrganization(name);
  await makeDear(organization);
  return organization;
}

/**
 * Starts the proxies after the clock was set, so that their sessions do not count as silent, and stops them in the end.
 */
async function withProxies(use: (proxies: readonly TestProxy[]) => Promise<void>): Promise<void> {
  const proxies = [await gateway.startProxy(), await gateway.startProxy()];
  try {
    await use(proxies);
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.drain()));
  }
}

interface BudgetedKey {
  readonly id: string;
  readonly value: string;
  readonly budgets: readonly { readonly id: string; readonly period: BudgetCalendar }[];
}

async function createBudgetedKeys(organization: TestOrganization): Promise<readonly BudgetedKey[]> {
  const keys: BudgetedKey[] = [];
  let started = 0;
  const make = async () => {
    while (started++ < keysInUse) {
      const { id, value } = await organization.createKey();
      const budgets: BudgetedKey['budgets'][number][] = [];
      for (const { calendar, fields } of budgetsOfKey) {
        const made = await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd: '1', ...fields });
        budgets.push({ id: made, period: calendar });
      }
      keys.push({ id, value, budgets });
    }
  };
  await Promise.all([make(), make(), make(), make()]);
  return keys;
}

/** Sends requests with one key after another, several at once, alternating between the proxies, until it is stopped. */
async function keepRequesting(
  proxies: readonly TestProxy[],
  keys: readonly BudgetedKey[],
  isContinued: (turn: number) => boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const caller = async () => {
    while (isContinued(next)) {
      const turn = next++;
      const sentAt = performance.now();
      let outcome = await askWith(proxies, keys, turn);
      // A key that could not be looked up in time, on a starved machine, is no result about budgets.
      for (; outcome === '503 access_unavailable'; notLookedUp++) outcome = await askWith(proxies, keys, turn);
      outcomes.push(outcome);
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return outcomes;
}

/** In the next cycle through the keys, each key is used at the other proxy. */
function askWith(proxies: readonly TestProxy[], keys: readonly BudgetedKey[], turn: number, fields: object = {}) {
  const proxy = proxies[(turn + Math.floor(turn / keys.length)) % proxies.length];
  return spend({ url: proxy?.url ?? '', key: keys[turn % keys.length]?.value ?? '', fields });
}

/**
 * A proxy may take the database's clock to be a little behind, and reserve in the old window just after its end. So each
 * key is used once more after this time.
 */
const clockErrorMs = 1_000;

/** A response that the provider delays. */
const respondedAfter = (headDelayMs: number) => ({
  messages: [{ role: 'user', content: JSON.stringify({ simulate: { headDelayMs } }) }],
});

describe('hundreds of budgets in use at the end of a day and a month', () => {
  let organization: TestOrganization;
  let keys: readonly BudgetedKey[];
  let end: number;
  let respondedLate = 0;
  const outcomes: Outcome[] = [];

  /** Every key is used before the window's end and after it; some requests are in flight at the end. */
  async function useOverTheEnd(proxies: readonly TestProxy[]): Promise<void> {
    end = clock.standBefore('month', 2_500);
    outcomes.push(...(await keepRequesting(proxies, keys, (turn) => turn < keys.length)));
    gateway.simulator.reset();
    const late = Array.from({ length: underWay }, (_, turn) => askWith(proxies, keys, turn, respondedAfter(5_000)));
    await until(() => gateway.simulator.requests.length >= underWay);
    clock.go();
    for (const response of late) response.then(() => clock.now() >= end && respondedLate++);
    let turnsAfter = 0;
    const clearlyOver = end + clockErrorMs;
    const pending = keepRequesting(proxies, keys, () => clock.now() < clearlyOver || turnsAfter++ < keys.length);
    outcomes.push(...(await pending), ...(await Promise.all(late)));
  }

  beforeAll(async () => {
    organization = await newOrganization('thousand');
    keys = await createBudgetedKeys(organization);
  });

  it('refuse no request because of it', async () => {
    await withProxies(async (proxies) => {
      await useOverTheEnd(proxies);
      const old = () => wholeLedger(organization).then((all) => all.filter((ledger) => isOver(ledger.endsAt)));
      await until(async () => (await old()).every(({ leased }) => leased === 0), {
        ...{ what: 'leases of old windows to be released', timeoutMs: 15_000 },
      });
      console.log(`nothing is leased of old windows ${clock.now() - end} ms after their end`);
    });
    console.log(`requests: ${JSON.stringify(tally(outcomes))}, the slowest took ${Math.round(slowestMs)} ms`);
    if (notLookedUp > 0) console.log(`sent again, because the key could not be looked up: ${notLookedUp}`);
    expect(Object.keys(tally(outcomes))).toEqual(['200']);
  }, 240_000);

  it('charge requests to the window in which they were reserved, the old or the new one', async () => {
    const found = () => recordedRequests({ ...gateway, organization });
    const rows = await until(async () => found().then((all) => all.length >= outcomes.length && all), {
      timeoutMs: 15_000,
    });
    expect(rows).toHaveLength(outcomes.length);
    expect(respondedLate).toBe(underWay);
    const budgetsOf = new Map(keys.map(({ id, budgets }) => [id, budgets]));
    const recorded = new Map<string, number>();
    for (const row of rows) {
      for (const { id, period } of budgetsOf.get(row.keyId) ?? []) {
        const name = `${id} ${windowOf(period, Date.parse(row.at))}`;
        recorded.set(name, (recorded.get(name) ?? 0) + costOf(row));
      }
    }
    const ledger = await wholeLedger(organization);
    // Each budget has two windows now.
    expect(ledger).toHaveLength(2 * budgetsOfKey.length * keysInUse);
    expect(new Map(ledger.map(({ limitId, window, spent }) => [`${limitId} ${window}`, spent]))).toEqual(recorded);
    expect(ledger.filter(({ leased, unconfirmed }) => leased + unconfirmed > 0)).toEqual([]);
  });
});

function isOver(endsAt: string | undefined): boolean {
  return endsAt !== undefined && Date.parse(endsAt) <= clock.now();
}

describe('the end of a week', () => {
  it('is on Monday at midnight: day and week start new windows, month and total continue', async () => {
    const organization = await newOrganization('weekly');
    const { id, value } = await organization.createKey();
    const budgets = new Map<BudgetPeriod, string>();
    for (const period of ['day', 'week', 'month', 'total'] as const) {
      const budget = { amountUsd: '1', period: period.toUpperCase() };
      budgets.set(period, await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, budget));
    }
    const end = clock.standBefore('week', 500);
    expect(new Date(end).getUTCDay()).toBe(1);
    const before = end - 1;
    await withProxies(async ([proxy]) => {
      const url = proxy?.url ?? '';
      expect(await spend({ url, key: value })).toBe('200');
      clock.go();
      await until(() => clock.now() >= end);
      // The proxy's estimate of the clock may be late by the time of a response.
      await until(async () => (await spend({ url, key: value })) === '200' && clock.now() > end + 200);
    });
    const rows = await recordedRequests({ ...gateway, organization });
    const spentIn = (isIn: (at: number) => boolean) =>
      rows.filter(({ at }) => isIn(Date.parse(at))).reduce((sum, row) => sum + costOf(row), 0);
    const [old, all] = [spentIn((at) => at < end), spentIn(() => true)];
    expect(old).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(old);
    for (const [period, limitId] of budgets) {
      const windows = (await wholeLedger(organization, limitId)).map(({ window, endsAt, spent }) => ({
        window,
        endsAt,
        spent,
      }));
      const [previous, current] = [before, end].map((at) => ({
        window: windowOf(period, at),
        endsAt: endOf(period, at),
      }));
      const isOne = previous?.window === current?.window;
      expect(windows).toEqual(
        isOne
          ? [{ ...current, spent: all }]
          : [
              { ...current, spent: all - old },
              { ...previous, spent: old },
            ],
      );
    }
    expect(windowOf('week', before)).not.toBe(windowOf('week', end));
    expect(windowOf('total', before)).toBe(windowOf('total', end));
  });
});

function endOf(period: BudgetPeriod, at: number): string | undefined {
  const end = windowEnd(period, at);
  return end === undefined ? undefined : new Date(end).toISOString();
}

describe('a budget that is spent when its window ends', () => {
  it('refuses until then with that time, and admits requests at once afterwards', async () => {
    const organization = await newOrganization('spent');
    const { id, value } = await organization.createKey();
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd: '0.007' });
    // Longer than a proxy takes between two calls of the ledger: its own clock runs on meanwhile.
    const end = clock.standBefore('day', 3_000);
    await withProxies(async (proxies) => {
      const ask = (turn: number) => chat(value, { max_tokens: 100 })(proxies[turn % 2] ?? gateway.proxy);
      const opens = new Date(end).toISOString().replace('.000Z', 'Z');
      const refusal = `the virtual key's budget of $0.007 a day is spent; it opens again at ${opens}`;
      // On a slow machine a proxy may take the window as over until it has called the ledger again.
      const isRefused = async () => {
        const { outcome, message } = await ask(0);
        return outcome === '402 budget_exceeded' && message === refusal;
      };
      await until(isRefused, { what: refusal });
      clock.go();
      const outcomes: string[] = [];
      let turn = 0;
      let slowest = 0;
      const opened = await until(async () => {
        const requested = clock.now();
        const { outcome } = await ask(turn++);
        slowest = Math.max(slowest, clock.now() - requested);
        outcomes.push(outcome);
        return outcome === '200' && requested;
      });
      console.log(`let in ${opened - end} ms after the window's end; requests took up to ${slowest} ms`);
      // On a busy machine a request takes longer, and the next one is sent after it.
      expect(Math.abs(opened - end)).toBeLessThan(500 + 2 * slowest);
      // Busy: the rest of the old window is in the other proxy's lease, so this one cannot call it spent.
      const decided = outcomes.filter((outcome) => outcome !== '429 budget_busy');
      expect(Object.keys(tally(decided)).toSorted()).toEqual(['200', '402 budget_exceeded']);
    });
  });
});
