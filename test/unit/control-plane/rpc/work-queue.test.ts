// Queued work: a bounded number at a time, organizations in turn, and a bounded wait.
import { expect, it } from 'vitest';
import { WorkQueue } from '../../../../control-plane/rpc/work-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const owner = (organization: string, key = 'k') => ({ organization, key });

function open(options: { readonly atOnce?: number; readonly waiting?: number } = {}) {
  const clock = new VirtualTime();
  const turns = new WorkQueue({ atOnce: 2, waiting: 100, alpha: 1, waitMs: 1000, clock, ...options });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (organization: string) =>
    turns.run(owner(organization), () => {
      begun.push(organization);
      return new Promise<string>((resolve) => ends.push(() => resolve(organization)));
    });
  /** Waits until all work that may start has started. */
  const loop = async () => {
    for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, queue: turns, begun, ends, run, loop };
}

it('queued work runs a bounded number at a time, and the next starts when one ends', async () => {
  const { begun, ends, run, loop } = open();
  const first = run('a');
  void run('a');
  void run('a');
  await loop();
  expect(begun).toEqual(['a', 'a']);
  ends[0]?.();
  expect(await first).toEqual({ value: 'a' });
  await loop();
  expect(begun).toHaveLength(3);
});

it('work of a late organization starts before all other waiting work of a greedy one', async () => {
  const { begun, ends, run, loop } = open({ atOnce: 1 });
  for (let n = 0; n < 10; n++) void run('greedy');
  await loop();
  void run('late');
  ends[0]?.();
  await loop();
  expect(begun).toEqual(['greedy', 'late']);
});

it('work above the share of its organization is refused, which leaves room for others', async () => {
  const { queue: turns, run } = open({ waiting: 10 });
  const taken = Array.from({ length: 10 }, () => run('greedy')).filter((turn) => turn !== undefined);
  expect(taken.length).toBeLessThanOrEqual(5);
  expect(turns.refused).toBe(10 - taken.length);
  expect(turns.used).toBe(taken.length / 10);
  expect(run('other')).toBeDefined();
});

it('work that has waited too long is not started', async () => {
  const { clock, queue: turns, begun, ends, run, loop } = open({ atOnce: 1 });
  void run('a');
  await loop();
  const late = run('b');
  clock.stall(1001);
  ends[0]?.();
  expect(await late).toEqual({ late: true });
  expect(begun).toEqual(['a']);
  expect(turns.refused).toBe(1);
});

it('failing work fails for its own caller only', async () => {
  const { queue: turns, begun, run, loop } = open({ atOnce: 1 });
  const failing = turns.run(owner('a'), () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  void run('b');
  await loop();
  expect(begun).toEqual(['b']);
});

it('each piece of work starts in its own tick of the event loop, so that input is read in between', async () => {
  const clock = new VirtualTime();
  const turns = new WorkQueue({ atOnce: 10, waiting: 100, alpha: 10, waitMs: 1000, clock });
  let inThisTick = 0;
  let most = 0;
  const all = Array.from({ length: 10 }, () =>
    turns.run(owner('a'), async () => {
      most = Math.max(most, ++inThisTick);
      setImmediate(() => {
        inThisTick = 0;
      });
    }),
  );
  await Promise.all(all);
  expect(most).toBe(1);
});
