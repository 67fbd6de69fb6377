import { expect, it } from 'vitest';
import { startPeriodicTask } from '../../../common/periodic-task.ts';
import { silentLog } from '../../support/silent-log.ts';
import { settle, VirtualTime } from '../../support/virtual-time.ts';

const options = (timers: VirtualTime) => ({ what: 'tests', everyMs: 1000, log: silentLog, timers });

it('a periodic task starts at once, and repeats after each interval', async () => {
  const time = new VirtualTime();
  let rounds = 0;
  const running = startPeriodicTask(async () => void rounds++, options(time));
  await time.advance(0);
  expect(rounds).toBe(1);
  await time.advance(999);
  expect(rounds).toBe(1);
  await time.advance(1);
  expect(rounds).toBe(2);
  await time.advance(5000);
  expect(rounds).toBe(7);
  await running.close();
});

it('a woken task starts at once, and the interval counts from then on', async () => {
  const time = new VirtualTime();
  let rounds = 0;
  const running = startPeriodicTask(async () => void rounds++, options(time));
  await time.advance(500);
  running.wake();
  await time.advance(999);
  expect(rounds).toBe(2);
  await time.advance(1);
  expect(rounds).toBe(3);
  await running.close();
});

it('a task that is woken during its run repeats once, and never runs twice at a time', async () => {
  const time = new VirtualTime();
  const ends: (() => void)[] = [];
  const running = startPeriodicTask(() => new Promise((resolve) => void ends.push(resolve)), options(time));
  for (let times = 0; times < 5; times++) running.wake();
  await settle();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await settle();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await settle();
  expect(ends).toHaveLength(2);
  await running.close();
});

it('a task repeats after a failure', async () => {
  const time = new VirtualTime();
  let rounds = 0;
  const failing = async () => {
    rounds++;
    throw new Error('the database is away');
  };
  const running = startPeriodicTask(failing, options(time));
  await time.advance(3000);
  expect(rounds).toBe(4);
  await running.close();
});

it('closing waits for the current run, and starts no further one', async () => {
  const time = new VirtualTime();
  let end = () => {};
  let rounds = 0;
  const round = () => {
    rounds++;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  const running = startPeriodicTask(round, options(time));
  let closed = false;
  const closing = running.close().then(() => {
    closed = true;
  });
  running.wake();
  await settle();
  expect(closed).toBe(false);
  end();
  await closing;
  await time.advance(10_000);
  running.wake();
  expect(rounds).toBe(1);
});
