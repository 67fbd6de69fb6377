// Fair grants of event-loop time: an organization's bulk work waits in pieces, while small pieces of others pass.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../proxy/errors.ts';
import { LoopScheduler } from '../../../proxy/loop-scheduler.ts';

const owner = (organization: string, key = 'k') => ({ organization, key });

function begun() {
  let time = 0;
  const turns: (() => void)[] = [];
  const loop = new LoopScheduler({ now: () => time, nextTick: (work) => void turns.push(work) });
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

it('large pieces run for 2 ms of a tick; the rest waits, alternating between organizations', () => {
  const { loop, work, turn, done } = begun();
  for (let n = 0; n < 6; n++) loop.run(owner('a'), large, work(`a${n}`));
  expect(done.splice(0)).toEqual(['a0', 'a1', 'a2', 'a3']);
  for (let n = 0; n < 6; n++) expect(loop.run(owner('b'), 64 * 1024, work(`b${n}`))).toBe(false);
  for (let n = 6; n < 16; n++) expect(loop.run(owner('a'), large, work(`a${n}`))).toBe(false);
  expect(loop.bytes.used).toBe(12 * large + 6 * 64 * 1024);
  // Organization b has used nothing yet, while a has used four pieces.
  expect(turn()).toEqual(['b0', 'b1', 'b2', 'b3']);
  const order = [turn(), turn(), turn(), turn()].flat();
  expect(order.filter((name) => name.startsWith('a')).length).toBe(12);
  expect(order.indexOf('b5')).toBeLessThan(5);
  expect(loop.bytes.used).toBe(0);
});

it('small pieces run at once, however much others have waiting, but not for an organization that has used up its tick', () => {
  const { loop, work, turn, done } = begun();
  for (let n = 0; n < 10; n++) loop.run(owner('a'), large, work('a'));
  done.splice(0);
  expect(loop.run(owner('b'), 100, work('b'))).toBe(true);
  expect(loop.run(owner('a'), 100, work('behind the others'))).toBe(false);
  // With two organizations an equal share of the tick is 1 ms.
  expect(loop.run(owner('b'), 100, work('b'))).toBe(true);
  expect(loop.run(owner('b'), 100, work('b late'))).toBe(false);
  expect(loop.run(owner('c'), 100, work('c'))).toBe(true);
  done.splice(0);
  const order = [turn(), turn(), turn()].flat();
  expect(order).toContain('b late');
  expect(order.at(-1)).toBe('behind the others');
});

it('requests begin at once, but an organization that floods begins only as many as fit in a tick', async () => {
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

  it('runs one slice a tick, between others, until it is done; its own error rejects it', async () => {
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

  it('may run its first slice at once when no other work waits or it is short', () => {
    const { loop } = begun();
    expect(loop.mayBegin(owner('a'), 2)).toBe(true);
    loop.took(owner('a'), 4);
    expect(loop.mayBegin(owner('b'), 2)).toBe(false);
    expect(loop.mayBegin(owner('b'), 0.5)).toBe(true);
    expect(loop.mayBegin(owner('a'), 0.5)).toBe(false);
  });

  it('ends when its caller has left, or when it got no slice for a long time', async () => {
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
    // The organization that has used less goes first: c delays the slice of a for 11 s.
    loop.took(owner('a'), 60_000);
    turn();
    turn();
    await expect(late).rejects.toThrow('late');
  });
});

it('one piece of work that cannot be cut runs in each tick', async () => {
  const { loop, turn } = begun();
  expect(loop.ready(owner('a'), 1000)).toBeUndefined();
  const followed: string[] = [];
  for (const name of ['a', 'a', 'b']) void loop.ready(owner(name), 1024 * 1024)?.then(() => followed.push(name));
  turn();
  await Promise.resolve();
  expect(followed.length).toBe(1);
  turn();
  await Promise.resolve();
  expect(followed.toSorted()).toEqual(['a', 'b']);
  expect(() => loop.ready(owner('a'), 300 * 1024 * 1024)).toThrow(GatewayError);
});
