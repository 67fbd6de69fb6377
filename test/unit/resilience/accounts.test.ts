// The verifiers of the runs in test/resilience notice every fault that is planted in a history without one.
import { describe, expect, it } from 'vitest';
import { type Accounts, faultsOfAccounts, faultsOfReading } from '../../resilience/accounts.ts';
import type { Reading } from '../../resilience/clients.ts';
import { faultsOfFairness } from '../../resilience/fairness.ts';
import { faultsOfOutage } from '../../resilience/outage.ts';
import { faultOfText, textOf } from '../../resilience/plan.ts';
import { costOfTokens } from '../../resilience/prices.ts';
import { faultsOfGrowth, growthOf, type Sample } from '../../resilience/soak.ts';
import type { RecordedRequest } from '../../support/recorded.ts';

const plan = { name: 'one', words: 5, prompt: 10, completion: 20 };
const whole = textOf(plan, 'gpt-provider');
const reading: Reading = {
  ...{ outcome: '200', text: whole, isWhole: true, provider: 'gpt-provider', attempts: 1, ms: 5, startedAt: 0 },
};
const cost = costOfTokens(plan);
const row = {
  ...{ requestId: 'one', provider: 'gpt-provider', status: 200, estimated: false },
  costUsd: String(cost / 1e9),
} as RecordedRequest;
const sound: Accounts = {
  calls: [{ name: 'one', plan, reading }],
  requests: { 'gpt-provider': { one: [{ status: 200, ended: 'finished' }] }, 'assistant-provider': {} },
  rows: [row],
  ledger: { spent: cost, leased: 0, unconfirmed: 0 },
};

describe('a text', () => {
  const at = { vendor: 'gpt-provider', isWhole: true };

  it('without a fault has none, whole or cut', () => {
    expect(faultOfText(whole, plan, at)).toBeUndefined();
    expect(faultOfText(whole.slice(0, 9), plan, { ...at, isWhole: false })).toBeUndefined();
  });

  it.each([
    ['truncated that looks complete', whole.slice(0, -2), /truncated/],
    ['with a gap', whole.replace(' g3', ''), /another text/],
    ['with a repetition', whole.replace('g3', 'g3 g3'), /another text/],
    ['that continues with the text of the other vendor', whole.replace('g4 g5', 'a4 a5'), /another text/],
    ['of another call', textOf({ ...plan, name: 'two' }, 'gpt-provider'), /another text/],
  ])('%s is noticed', (_what, text, fault) => {
    expect(faultOfText(text, plan, at)).toMatch(fault);
  });

  it('with a repetition is noticed in a response that was cut, too', () => {
    expect(faultOfText('g:one g1 g1', plan, { ...at, isWhole: false })).toMatch(/another text/);
  });
});

describe('a reading', () => {
  it('that ends in order without the end of its format is noticed', () => {
    expect(faultsOfReading({ plan, reading: { ...reading, outcome: '200 without an end' } })).toHaveLength(1);
  });

  it('of a defect is noticed', () => {
    const defect = { ...reading, outcome: '500 internal_error', text: '', isWhole: false };
    expect(faultsOfReading({ plan, reading: defect })).toHaveLength(1);
  });
});

describe('accounts', () => {
  it('without a fault have none', () => {
    expect(faultsOfAccounts(sound)).toEqual([]);
    const abandoned = { ...row, estimated: true, status: 504, costUsd: '0.000000001' };
    const second = { ...sound.requests, 'assistant-provider': { one: [{ status: 200, ended: 'stopped' as const }] } };
    const spent = cost + 1;
    const both = { ...sound, requests: second, rows: [abandoned, row], ledger: { ...sound.ledger, spent } };
    expect(faultsOfAccounts(both)).toEqual([]);
  });

  const planted: readonly (readonly [string, Partial<Accounts>, RegExp])[] = [
    ['lost usage', { rows: [], ledger: { ...sound.ledger, spent: 0 } }, /is not recorded/],
    ['doubled usage', { rows: [row, row], ledger: { ...sound.ledger, spent: 2 * cost } }, /recorded 2 times/],
    [
      'another cost',
      { rows: [{ ...row, costUsd: '0.5' }], ledger: { ...sound.ledger, spent: 5e8 } },
      /the vendor reported/,
    ],
    ['another provider', { rows: [{ ...row, provider: 'assistant-provider' }] }, /recorded for/],
    ['a response from nowhere', { requests: { 'gpt-provider': {} } }, /no vendor/],
    ['usage of nobody', { calls: [] }, /nobody called/],
    ['a budget that has spent less', { ledger: { ...sound.ledger, spent: cost - 1 } }, /has spent/],
    ['money that is still leased', { ledger: { ...sound.ledger, leased: 1 } }, /still leased/],
    ['unconfirmed money', { ledger: { ...sound.ledger, unconfirmed: 1 } }, /unconfirmed/],
  ];

  it.each(planted)('with %s are noticed', (_what, changed, fault) => {
    expect(faultsOfAccounts({ ...sound, ...changed }).join('\n')).toMatch(fault);
  });
});

describe('the figures of an outage', () => {
  const good = {
    ...{ calls: 1_000, ejectedAfterMs: 100, served: 1, servedOfAll: 1, quietP99Ms: 10, p99Ms: 20, retries: 0.2 },
  };

  it('are good up to their bounds', () => {
    expect(faultsOfOutage({ ...good, served: 0.999, ejectedAfterMs: 5_000 })).toEqual([]);
  });

  it.each([{ ejectedAfterMs: 5_001 }, { served: 0.998 }, { p99Ms: 20.1 }, { retries: 0.201 }, { p99Ms: Number.NaN }])(
    'are bad with %o',
    (worse) => {
      expect(faultsOfOutage({ ...good, ...worse })).toHaveLength(1);
    },
  );
});

describe('the figures of fairness', () => {
  const good = { served: 1, quietP99Ms: 10, p99Ms: 30 };

  it('are good up to their bounds', () => {
    expect(faultsOfFairness({ sibling: { ...good, served: 0.99 }, other: { ...good, served: 0.999 } })).toEqual([]);
  });

  it.each([
    { sibling: { ...good, served: 0.989 }, other: good },
    { sibling: good, other: { ...good, served: 0.998 } },
    { sibling: { ...good, p99Ms: 30.1 }, other: good },
    { sibling: good, other: { ...good, p99Ms: 31 } },
  ])('are bad with %o', (figures) => {
    expect(faultsOfFairness(figures)).toHaveLength(1);
  });
});

describe('the growth in a soak', () => {
  const samples = (change: (index: number) => Partial<Sample>): readonly Sample[] =>
    Array.from({ length: 400 }, (_, index) => ({
      ...{ minute: index / 10, residentMiB: 100 + (index % 7), descriptors: 30 + (index % 3) },
      ...(index % 15 === 14 && { retainedMiB: 40 + (index % 2) }),
      ...change(index),
    }));
  const faults = (change: (index: number) => Partial<Sample>) =>
    faultsOfGrowth({ name: 'proxy', ...growthOf(samples(change)) });

  it('of memory that goes up and down is none, nor is that of a warm-up', () => {
    expect(faults(() => ({}))).toEqual([]);
    expect(faults((index) => (index < 100 ? { residentMiB: index } : {}))).toEqual([]);
  });

  it('is the slope by linear regression', () => {
    const { slope, error } = growthOf(samples((index) => ({ residentMiB: 50 + index / 20 }))).resident;
    expect(slope).toBeCloseTo(0.5);
    expect(error).toBeCloseTo(0);
  });

  it('of memory or descriptors is noticed', () => {
    expect(faults((index) => ({ residentMiB: 100 + (index % 7) + index / 10 }))).toHaveLength(1);
    expect(faults((index) => ({ retainedMiB: 40 + index / 100 }))).toHaveLength(1);
    expect(faults((index) => ({ descriptors: 30 + index / 20 }))).toHaveLength(1);
  });
});
