// The verifier of chaos notices every fault that is planted in a history without one; schedules repeat with their seed,
// and a failing one shrinks.
import { describe, expect, it } from 'vitest';
import { compact, planFaults } from '../../chaos/schedule.ts';
import { kindsOf, shrink } from '../../chaos/shrink.ts';
import {
  type Bounds,
  type ChaosCall,
  faultsOfHistory,
  faultsOfUnconfirmed,
  type History,
} from '../../chaos/verifier.ts';
import type { Reading } from '../../resilience/clients.ts';
import { textOf } from '../../resilience/plan.ts';
import { costOfTokens } from '../../resilience/prices.ts';
import type { RecordedRequest } from '../../support/recorded.ts';

const bounds: Bounds = { recoveryMs: 1_000, revokedMs: 500, staleMs: 55_000, noticeMs: 5_000, descriptorsMore: 10 };
const plan = { name: 'one', words: 5, prompt: 10, completion: 20 };
const whole = textOf(plan, 'gpt-provider');
const reading: Reading = {
  ...{ outcome: '200', text: whole, isWhole: true, provider: 'gpt-provider', attempts: 1, ms: 10, startedAt: 50_000 },
};
const call: ChaosCall = { name: 'one', plan, entry: 'proxy 1', reading, isSmall: false };
const row = {
  ...{ requestId: 'one', provider: 'gpt-provider', status: 200, estimated: false },
  costUsd: String(costOfTokens(plan) / 1e9),
} as RecordedRequest;
const trouble = { from: 10_000, to: 20_000, what: 'kill proxy 1' };
const sound: History = {
  began: 0,
  calls: [call],
  troubles: [trouble],
  slowness: () => 1,
  failoverAt: undefined,
  revocations: [],
  resources: [{ proxy: 'proxy 1', before: 30, after: 40, inFlight: 0 }],
  rows: [row],
  requests: new Map([['one', [{ status: 200, ended: 'finished' }]]]),
};
const failed = (outcome: string, startedAt: number, isSmall = false): ChaosCall => ({
  ...call,
  isSmall,
  reading: { ...reading, outcome, text: '', isWhole: false, startedAt },
});
const withCall = (changed: ChaosCall, rows: readonly RecordedRequest[] = []): History => ({
  ...sound,
  calls: [changed],
  rows,
});
const revoked = (startedAt: number, at = 30_000): History => ({
  ...sound,
  revocations: [{ key: 'k', at, probes: [{ proxy: 'proxy 1', startedAt, outcome: '200' }] }],
});

/** The call ended at 50,010; the database fails until 51,000. */
const lostWith = (what: string, from: number): History => ({
  ...{ ...sound, rows: [] },
  troubles: [
    { from, to: from + 100, what },
    { from: 49_000, to: 51_000, what: 'kill PostgreSQL' },
  ],
});

describe('a history', () => {
  it.each<readonly [string, History]>([
    ['as it should be', sound],
    ['with a failure during a fault', withCall(failed('503 ledger_unavailable', 15_000))],
    ['with a failure before everything has recovered', withCall(failed('cut', 20_900))],
    [
      'with a failure on a slow machine before everything has recovered',
      { ...withCall(failed('cut', 23_000)), slowness: () => 4 },
    ],
    ['with a small budget that is spent', withCall(failed('402 budget_exceeded', 50_000, true))],
    ['with a reservation charged after a kill', { ...sound, rows: [{ ...row, estimated: true, costUsd: '1' }] }],
    ['with usage that waited in Redis when its replica was promoted', lostWith('promote Redis', 50_500)],
    ['with a revoked key that works for an instant', revoked(30_400)],
    ['with a revoked key that works while the control plane is away', revoked(19_000, 15_000)],
    ['with a revocation that a failover lost', { ...revoked(90_000), failoverAt: 32_000 }],
  ])('%s has no fault', (_what, history) => {
    expect(faultsOfHistory(history, bounds)).toEqual([]);
  });

  it.each<readonly [string, History, RegExp]>([
    ['a wrong refusal during a fault', withCall(failed('401 access_not_found', 15_000)), /wrong refusal/],
    ['a budget that is wrongly spent', withCall(failed('402 budget_exceeded', 15_000)), /wrong refusal/],
    ['a failure while nothing else fails', withCall(failed('503 ledger_unavailable', 21_500)), /nothing else/],
    ['a revived key', revoked(30_600), /after its revocation/],
    ['a revived key after the stale bound', revoked(76_000, 15_000), /after its revocation/],
    ['lost usage', { ...sound, rows: [] }, /is not recorded/],
    ['usage that Redis cannot have lost', lostWith('empty Redis', 53_000), /is not recorded/],
    ['usage that was lost before Redis was', lostWith('empty Redis', 48_000), /is not recorded/],
    ['doubled usage', { ...sound, rows: [row, row] }, /recorded 2 times/],
    ['a second charge after a kill', { ...sound, rows: [row, { ...row, estimated: true }] }, /2 rows for 1/],
    ['another cost', { ...sound, rows: [{ ...row, costUsd: '7' }] }, /the vendor reported/],
    ['usage of nobody', { ...sound, calls: [] }, /nobody called/],
    ['a response that no vendor sent', { ...sound, requests: new Map() }, /no vendor/],
    ['a truncated text', withCall({ ...call, reading: { ...reading, text: 'g:one g1 ' } }, [row]), /truncated/],
    [
      'a glued text',
      withCall({ ...call, reading: { ...reading, text: whole.replace('g2', 'a2') } }, [row]),
      /another text/,
    ],
    [
      'a stream without its end',
      withCall({ ...call, reading: { ...reading, outcome: '200 without an end' } }, [row]),
      /end/,
    ],
    [
      'descriptors that leak',
      { ...sound, resources: [{ proxy: 'p', before: 30, after: 41, inFlight: 0 }] },
      /descriptors/,
    ],
    [
      'requests that stay in flight',
      { ...sound, resources: [{ proxy: 'p', before: 3, after: 3, inFlight: 1 }] },
      /flight/,
    ],
  ])('with %s is noticed', (_what, history, fault) => {
    expect(faultsOfHistory(history, bounds).join('\n')).toMatch(fault);
  });
});

describe('usage that Redis lost', () => {
  it('is unconfirmed money', () => {
    expect(faultsOfUnconfirmed([call, call], 2 * costOfTokens(plan))).toEqual([]);
    expect(faultsOfUnconfirmed([call, call], 2 * costOfTokens(plan) - 1)).toHaveLength(1);
    expect(faultsOfUnconfirmed([], 0)).toEqual([]);
  });
});

describe('a schedule', () => {
  const targets = { 'proxy 1': ['kill', 'pause'], PostgreSQL: ['failover'], network: ['slow'] } as const;
  const options = { seed: 7, ms: 120_000, targets, burstMs: 25_000, calmMs: 20_000 };
  const planned = planFaults(options);

  it('repeats with its seed, and only with it', () => {
    expect(planFaults(options)).toEqual(planned);
    expect(planFaults({ ...options, seed: 8 })).not.toEqual(planned);
  });

  it('has every kind of fault, a failover once, and no target with two faults at once', () => {
    expect(new Set(planned.map(({ kind }) => kind))).toEqual(new Set(['kill', 'pause', 'failover', 'slow']));
    expect(planned.filter(({ kind }) => kind === 'failover')).toHaveLength(1);
    for (const [index, { at, forMs, target }] of planned.entries())
      for (const later of planned.slice(index + 1))
        if (later.target === target) expect(later.at).toBeGreaterThan(at + forMs);
  });

  it('leaves calm times without a new fault', () => {
    expect(planned.filter(({ at, kind }) => at % 45_000 > 25_000 && kind !== 'failover')).toEqual([]);
  });
});

describe('a compact schedule', () => {
  it('has the same faults and overlaps, without long times between them', () => {
    const fault = (at: number, forMs: number) => ({ at, forMs, kind: 'kill', target: `${at}` }) as const;
    const compacted = compact([fault(30_000, 1_000), fault(30_500, 6_000), fault(36_600, 100), fault(90_000, 100)]);
    expect(compacted.map(({ at }) => at)).toEqual([2_000, 2_500, 8_600, 10_700]);
    expect(compacted.map(({ target }) => target)).toEqual(['30000', '30500', '36600', '90000']);
    expect(compact(compacted)).toEqual(compacted);
  });
});

describe('shrinking', () => {
  it('looks for faults of the same kind, whatever their names and numbers are', () => {
    const kinds = kindsOf(['1-2-3 (4.5 s, proxy 1: 200) is not recorded', 'proxy 2 has 31 descriptors, before 3']);
    expect(kindsOf(['1-9-9 (70.1 s, sidecar 1: 200) is not recorded'])).toEqual(new Set([' is not recorded']));
    expect(kindsOf(['1-9-9 (70.1 s, sidecar 1: 200) is not recorded']).isSubsetOf(kinds)).toBe(true);
    expect(kindsOf(['1-9-9 (70.1 s, sidecar 1: 200) is recorded 2 times']).isDisjointFrom(kinds)).toBe(true);
  });

  const numbers = Array.from({ length: 20 }, (_, index) => index);

  it('finds the elements that fail together', async () => {
    let runs = 0;
    const fails = async (some: readonly number[]) => {
      runs++;
      return some.includes(3) && some.includes(17);
    };
    expect(await shrink(numbers, fails)).toEqual([3, 17]);
    expect(runs).toBeLessThan(60);
  });

  it('keeps what fails only as a whole, and gives up after so many runs', async () => {
    expect(await shrink(numbers, async (some) => some.length === numbers.length)).toEqual(numbers);
    let runs = 0;
    await shrink(numbers, async (some) => ++runs > 0 && some.includes(3), 2);
    expect(runs).toBe(2);
  });
});
