// The tasks of an operator's day at live planes, each with as many commands as it takes at most: the most common ones
// take one. The table is printed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysAndPeople } from './tasks/keys-and-people.ts';
import { moneyAndInsight } from './tasks/money-and-insight.ts';
import { openStage, type Stage } from './tasks/scene.ts';

const tasks = [...keysAndPeople, ...moneyAndInsight];
/** Nobody can do it: there is no declared form of an organization's settings. */
const undone = ['Copy staging to production, and see the difference first'];

let stage: Stage;
const counts = new Map<string, number>();

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('an operator can do with few commands:', () => {
  it.each(tasks)('$task', async ({ task, commands, run }) => {
    stage.counted();
    await run(stage);
    const count = stage.counted();
    counts.set(task, count);
    expect(count).toBe(commands);
  });
});

it('all 32 tasks but one are done, and the five most common ones take one command each', () => {
  const rows = [...counts].map(([task, count]) => `${String(count).padStart(2)}  ${task}`);
  console.log(['commands', ...rows, ...undone.map((task) => ` –  ${task}`)].join('\n'));
  expect(counts.size + undone.length).toBe(32);
  const common = tasks.filter(({ isCommon }) => isCommon);
  expect(common.map(({ task }) => counts.get(task))).toEqual([1, 1, 1, 1, 1]);
});
