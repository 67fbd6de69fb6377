// The pace of programs follows the processor: it is slower while others have it.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Pace } from '../support/pace.ts';
import { startNode } from '../support/process.ts';

it('is that of the instants in question, and 1 while no program runs', async () => {
  const busy = startNode(['-e', 'setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); }, 25)']);
  const pids = [busy.pid];
  const pace = new Pace(() => pids);
  try {
    const began = performance.now();
    await sleep(1_000);
    const ended = performance.now();
    expect(pace.factor(began, ended)).toBeGreaterThanOrEqual(1);
    expect(pace.factor(began, ended)).toBeLessThanOrEqual(20);
    pids.length = 0;
    await sleep(600);
    expect(pace.factor(ended + 300, performance.now())).toBe(1);
    expect(pace.factor(0, began - 1_000)).toBe(1);
  } finally {
    pace.stop();
    await busy.stop('SIGKILL');
  }
});
