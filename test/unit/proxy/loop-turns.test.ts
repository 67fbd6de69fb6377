// Turns at the event loop: what one organization sends in bulk waits in pieces, what another sends in small pieces passes.
import { expect, it } from 'vitest';
import { LoopTurns } from '../../../proxy/loop-turns.ts';

const owner = (organization: string, key = 'k') => ({ organization, key });

function begun() {
  let time = 0;
  const turns: (() => void)[] = [];
  const loop = new LoopTurns({ now: () => time, nextTurn: (work) => void turns.push(work) });
  const done: string[] = [];
  const work =
    (name: string, ms = 1) =>
    () => {
      time += ms;
      done.push(name);
    };
  const turn = () => {
    const [next] = turns.splice(0, 1);
    next?.();
    return done.splice(0);
  };
  return { loop, work, turn, done };
}

const large = 16 * 1024;

it('works at large pieces for 4 ms of a turn; the others wait, organizations in turn', () => {
  const { loop, work, turn, done } = begun();
  for (let n = 0; n < 6; n++) loop.run(owner('a'), large, work(`a${n}`));
  expect(done.splice(0)).toEqual(['a0', 'a1', 'a2', 'a3']);
  for (let n = 0; n < 6; n++) expect(loop.run(owner('b'), 64 * 1024, work(`b${n}`))).toBe(false);
  for (let n = 6; n < 16; n++) expect(loop.run(owner('a'), large, work(`a${n}`))).toBe(false);
  expect(loop.bytes.used).toBe(12 * large + 6 * 64 * 1024);
  // It has had nothing while the other had four.
  expect(turn()).toEqual(['b0', 'b1', 'b2', 'b3']);
  const order = [turn(), turn(), turn(), turn()].flat();
  expect(order.filter((name) => name.startsWith('a')).length).toBe(12);
  expect(order.indexOf('b5')).toBeLessThan(5);
  expect(loop.bytes.used).toBe(0);
});

it('does small pieces at once however much others have waiting, but not of one that has used up the turn', () => {
  const { loop, work, turn, done } = begun();
  for (let n = 0; n < 10; n++) loop.run(owner('a'), large, work('a'));
  done.splice(0);
  expect(loop.run(owner('b'), 100, work('b'))).toBe(true);
  expect(loop.run(owner('a'), 100, work('behind the others'))).toBe(false);
  for (let n = 0; n < 3; n++) expect(loop.run(owner('b'), 100, work('b'))).toBe(true);
  expect(loop.run(owner('b'), 100, work('b late'))).toBe(false);
  expect(loop.run(owner('c'), 100, work('c'))).toBe(true);
  done.splice(0);
  const order = [turn(), turn(), turn()].flat();
  expect(order).toContain('b late');
  expect(order.at(-1)).toBe('behind the others');
});

it('lets one thing that cannot be cut follow in a turn', async () => {
  const { loop, turn } = begun();
  const refused = () => new Error('refused');
  expect(loop.ready(owner('a'), 1000, refused)).toBeUndefined();
  const followed: string[] = [];
  for (const name of ['a', 'a', 'b'])
    void loop.ready(owner(name), 1024 * 1024, refused)?.then(() => followed.push(name));
  turn();
  await Promise.resolve();
  expect(followed.length).toBe(1);
  turn();
  await Promise.resolve();
  expect(followed.toSorted()).toEqual(['a', 'b']);
  expect(() => loop.ready(owner('a'), 300 * 1024 * 1024, refused)).toThrow('refused');
});
