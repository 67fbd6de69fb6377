// Turns at the event loop: what one organization sends in bulk waits in pieces, what another sends in small pieces passes.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../proxy/errors.ts';
import { LoopTurns } from '../../../proxy/loop-turns.ts';

const owner = (organization: string, key = 'k') => ({ organization, key });

function begun() {
  let time = 0;
  const turns: (() => void)[] = [];
  const loop = new LoopTurns({ now: () => time, nextTurn: (work) => void turns.push(work) });
  const done: string[] = [];
  const work =
    (name: string, ms = 0.5) =>
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

it('works at large pieces for 2 ms of a turn; the others wait, organizations in turn', () => {
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
  // With two of them an equal part is 1 ms.
  expect(loop.run(owner('b'), 100, work('b'))).toBe(true);
  expect(loop.run(owner('b'), 100, work('b late'))).toBe(false);
  expect(loop.run(owner('c'), 100, work('c'))).toBe(true);
  done.splice(0);
  const order = [turn(), turn(), turn()].flat();
  expect(order).toContain('b late');
  expect(order.at(-1)).toBe('behind the others');
});

it('begins requests at once, but of one that floods no more than there is time for in a turn', async () => {
  const { loop, turn } = begun();
  const order: string[] = [];
  const request = (name: string) => {
    const turnOf = loop.begin(owner(name));
    if (turnOf === undefined) order.push(name);
    else void turnOf.then(() => order.push(`${name} later`));
  };
  for (let n = 0; n < 20; n++) request('a');
  request('b');
  expect(order).toEqual([...Array(4).fill('a'), 'b']);
  order.splice(0);
  turn();
  request('b');
  await Promise.resolve();
  expect(order).toEqual(['b', ...Array(4).fill('a later')]);
  expect(loop.bytes.used).toBe(0);
});

describe('work in slices', () => {
  const stays = () => false;

  it('has one a turn, between others, until it is over; what it throws is its own', async () => {
    const { loop, work, turn } = begun();
    const slices = (name: string, count: number) => {
      const slice = work(name, 1.5);
      return loop.slices(
        owner(name),
        () => {
          slice();
          return --count === 0 ? 'over' : 'more';
        },
        stays,
      );
    };
    const long = slices('a', 3);
    const short = slices('b', 1);
    expect([turn(), turn()]).toEqual([
      ['a', 'b'],
      ['a', 'a'],
    ]);
    await expect(Promise.all([long, short])).resolves.toEqual(['over', 'over']);
    const failing = loop.slices(
      owner('a'),
      () => {
        throw new Error('its own');
      },
      stays,
    );
    turn();
    await expect(failing).rejects.toThrow('its own');
  });

  it('may have its first at once where nobody waits, or where it is short', () => {
    const { loop } = begun();
    expect(loop.mayBegin(owner('a'), 2)).toBe(true);
    loop.took(owner('a'), 4);
    expect(loop.mayBegin(owner('b'), 2)).toBe(false);
    expect(loop.mayBegin(owner('b'), 0.5)).toBe(true);
    expect(loop.mayBegin(owner('a'), 0.5)).toBe(false);
  });

  it('ends where nobody waits for it, or where it had no turn for long', async () => {
    const { loop, work, turn } = begun();
    const left = loop.slices(
      owner('a'),
      () => 'more',
      () => true,
    );
    turn();
    await expect(left).resolves.toBe('left');
    loop.run(owner('b'), large, work('b', 11_000));
    const late = loop.finish(owner('a'), (function* () {})(), stays);
    loop.run(owner('c'), large, work('c', 11_000));
    // Whoever has had less goes first: c keeps a from its turn for 11 s.
    loop.took(owner('a'), 60_000);
    turn();
    turn();
    await expect(late).rejects.toThrow('late');
  });
});

it('lets one thing that cannot be cut follow in a turn', async () => {
  const { loop, turn } = begun();
  expect(loop.ready(owner('a'), 1000)).toBeUndefined();
  const followed: string[] = [];
  for (const name of ['a', 'a', 'b'])
    void loop.ready(owner(name), 1024 * 1024)?.then(() => followed.push(name));
  turn();
  await Promise.resolve();
  expect(followed.length).toBe(1);
  turn();
  await Promise.resolve();
  expect(followed.toSorted()).toEqual(['a', 'b']);
  expect(() => loop.ready(owner('a'), 300 * 1024 * 1024)).toThrow(GatewayError);
});
