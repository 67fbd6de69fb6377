import { describe, expect, it } from 'vitest';
import { health, of, target } from './health.fixture.ts';

const [a, b] = [target('a'), target('b', { model: 'gpt-provider/gpt-4o' })];
const start = 1_000_000;

describe('the report of targets', () => {
  it('has nothing of a target that nobody used, and the healthy ones that somebody did', () => {
    const { made, succeed, pass } = health();
    expect(made.report).toEqual({ targets: [], leftOut: 0 });
    succeed(3, b);
    pass(1000);
    succeed(1, a);
    expect(made.report.targets).toMatchObject([
      { model: 'gpt-provider/gpt-4o', state: 'healthy', since: start },
      { model: 'gpt-provider/gpt-4o-mini', state: 'healthy', since: start + 1000 },
    ]);
    pass(300_000);
    expect(made.report.targets).toEqual([]);
  });

  it('has an ejected target since its first ejection, with the last cause, and healthy again since its readmission', () => {
    const { made, fail, succeed, pass } = health();
    fail(5, a, 'server');
    pass(5_000);
    made.mayTry(a.identity);
    fail(1, a, 'timeout');
    expect(made.report).toEqual({
      targets: [
        {
          ...{ organization: 'org', model: 'gpt-provider/gpt-4o-mini', providerKeyId: undefined },
          ...{ state: 'ejected', since: start, cause: 'timeout' },
        },
      ],
      leftOut: 0,
    });
    pass(10_000);
    made.mayTry(a.identity);
    succeed(1, a);
    expect(made.report.targets).toMatchObject([{ state: 'healthy', since: start + 15_000, cause: undefined }]);
  });

  it('forgets an ejection whose trial nobody makes', () => {
    const { made, fail, pass } = health();
    fail(5, a);
    pass(304_999);
    expect(made.report.targets).toHaveLength(1);
    pass(1);
    expect(made.report.targets).toEqual([]);
  });

  it('has refused and limited provider keys, of one model or of all', () => {
    const { made, pass } = health();
    made.failed(a.identity, 'key');
    made.failed(b.identity, 'rate', 20_000);
    pass(15_000);
    made.failed(b.identity, 'rate', 20_000);
    expect(made.report.targets).toMatchObject([
      { model: undefined, providerKeyId: 'key-a', state: 'ejected', since: start, cause: 'key' },
      { model: 'gpt-provider/gpt-4o', providerKeyId: undefined, state: 'healthy' },
      { model: 'gpt-provider/gpt-4o', providerKeyId: 'key-b', state: 'limited', since: start, cause: 'rate' },
      { model: 'gpt-provider/gpt-4o-mini', providerKeyId: undefined, state: 'healthy' },
    ]);
    pass(20_000);
    expect(made.report.targets.map(({ state }) => state)).not.toContain('limited');
  });

  it('has a host that is out for all at the organizations that use it, and at no others', () => {
    const { made, fail, succeed, pass } = health();
    succeed(1, of('third', a));
    succeed(1, of('fourth', b));
    pass(1);
    fail(5, of('first', a));
    fail(5, of('second', a));
    expect(made.report.targets.map(({ organization, state }) => [organization, state])).toEqual([
      ['first', 'ejected'],
      ['fourth', 'healthy'],
      ['second', 'ejected'],
      ['third', 'ejected'],
    ]);
  });

  it('is bounded: an organization with very many cannot push out another’s first', () => {
    const { made } = health();
    const failing = (organization: string, models: number) => {
      for (let model = 0; model < models; model++) {
        const { identity } = of(organization, target(`host-${model}`, { model: `gpt-provider/model-${model}` }));
        for (let attempt = 0; attempt < 5; attempt++) made.failed({ ...identity, organization }, 'server');
      }
    };
    for (let index = 0; index < 40; index++) failing(`greedy-${index}`, 20);
    failing('late', 1);
    const { targets, leftOut } = made.report;
    expect(targets).toHaveLength(512);
    expect(leftOut).toBe(40 * 20 + 1 - 512);
    expect(targets.filter(({ organization }) => organization === 'late')).toHaveLength(1);
    expect(targets.every(({ state }) => state === 'ejected')).toBe(true);
  });
});
