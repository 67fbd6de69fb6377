// The owner that used the least lately is served first, however much work of others waits.
import { expect, it } from 'vitest';
import { LeastServed } from '../../../common/least-served.ts';

function begun() {
  let time = 0;
  const waiting = new LeastServed<string>(() => time);
  const push = (organization: string, key: string, count = 1) => {
    for (let n = 0; n < count; n++) waiting.push({ organization, key }, `${organization}${key}`);
  };
  const serve = (count: number, ms = 1) =>
    Array.from({ length: count }, () => {
      const work = waiting.shift();
      if (work !== undefined) waiting.charge({ organization: work[0] ?? '', key: work.slice(1) }, ms);
      return work;
    });
  return { waiting, push, serve, later: (ms: number) => (time += ms) };
}

it('owners with much work get equal parts, and a new owner is served next', () => {
  const { push, serve, waiting } = begun();
  push('a', '1', 100);
  push('b', '1', 100);
  const first = serve(40);
  expect(first.filter((work) => work === 'a1')).toHaveLength(20);
  push('c', '1');
  expect(serve(1)).toEqual(['c1']);
  expect(waiting.length).toBe(160);
  expect([waiting.isWaiting('a'), waiting.isWaiting('c')]).toEqual([true, false]);
});

it('use is measured in time, not in number, and is forgotten later', () => {
  const { push, serve, waiting, later } = begun();
  push('a', '1', 100);
  push('b', '1', 100);
  waiting.charge({ organization: 'a', key: '1' }, 10);
  expect(new Set(serve(10))).toEqual(new Set(['b1']));
  // Time used long ago no longer counts; equal owners are served in the order of arrival.
  later(60_000);
  expect(serve(2)).toEqual(['a1', 'b1']);
});

it('keys of one organization are served in the same way', () => {
  const { push, serve } = begun();
  push('a', '1', 50);
  serve(10);
  push('a', '2', 2);
  expect(serve(3)).toEqual(['a2', 'a2', 'a1']);
  expect(serve(60).filter(Boolean)).toHaveLength(39);
});
