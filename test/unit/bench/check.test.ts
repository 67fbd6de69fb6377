import { describe, expect, it } from 'vitest';
import { checkedFigures, compare } from '../../bench/check.ts';
import type { CaseResult, Figures } from '../../bench/report.ts';
import { spreads } from '../../bench/stats.ts';

const chat = 'chat, body 1 KiB: gateway ÷ floor';

describe('the comparison with the committed figures', () => {
  it.each([
    ['ok', 3, 3],
    ['ok', 3, 3.5],
    ['worse', 3, 3.7],
    ['better', 3, 2.4],
    // It could not be measured.
    ['worse', 3, Number.NaN],
  ])('is %s from %d to %d', (result, committed, measured) => {
    expect(compare({ [chat]: committed }, { [chat]: measured })).toEqual([{ name: chat, committed, measured, result }]);
  });

  it('allows less noise for the start and for memory', () => {
    const committed = { 'start to ready ÷ node -e 0': 8, 'idle proxy, MiB': 90 };
    const rows = compare(committed, { 'start to ready ÷ node -e 0': 9.2, 'idle proxy, MiB': 100 });
    expect(rows.map(({ result }) => result)).toEqual(['worse', 'worse']);
  });

  it('has a row for a figure that was not measured before', () => {
    expect(compare({}, { [chat]: 3 })).toMatchObject([{ committed: undefined, result: 'new' }]);
  });
});

describe('the checked figures', () => {
  const figures = (cpuMicroseconds: number): Figures =>
    spreads([{ perSecond: 1, cpuMicroseconds, cpuShare: 1, p50Ms: 1, p99Ms: 1, residentMiB: 1 }]);
  const one = { median: 1, min: 1, max: 1 };
  const startup = { coldStartMs: one, nodeStartMs: one, coldCpuMs: 300, nodeCpuMs: 40, idleMiB: 90.126 };

  it('are ratios of processor time within the run, and idle memory', () => {
    const cases: CaseResult[] = [
      { name: 'chat', unit: 'requests', subjects: { gateway: figures(75), floor: figures(25) } },
    ];
    expect(checkedFigures(cases, startup)).toEqual({
      'chat: gateway ÷ floor': 3,
      'start to ready ÷ node -e 0': 7.5,
      'idle proxy, MiB': 90.13,
    });
  });

  it('do not exist without a floor', () => {
    const cases: CaseResult[] = [{ name: 'chat', unit: 'requests', subjects: { gateway: figures(75) } }];
    expect(() => checkedFigures(cases, startup)).toThrow('chat: the gateway or the floor is missing');
  });
});
