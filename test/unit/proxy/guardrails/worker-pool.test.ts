// Real workers, with real checks.
import { afterEach, describe, expect, it } from 'vitest';
import type { TextCheck } from '../../../../guardrails/index.ts';
import { WorkerPool } from '../../../../proxy/guardrails/worker-pool.ts';
import { silentLog } from '../../../support/silent-log.ts';

let pool: WorkerPool;
afterEach(() => pool.close());

const words: TextCheck = { kind: 'words', phrases: ['secret plan'], withinWords: false };
const guardrail = (check: TextCheck, revision = 1) => ({ id: 'g', revision, check });
const scan = (text: string, check: TextCheck = words, revision = 1) =>
  pool.scan({ guardrails: [guardrail(check, revision)], texts: ['nothing', text], window: 512 });
const found = { text: 1, matcher: 0, start: 4, end: 15 };
/** Half a minute for this text: linear, and slow. */
const slow: TextCheck = { kind: 'pattern', patterns: ['.*?z|a', '.*?z|b'] };
const slowText = 'ab'.repeat(500_000);

describe('workers', () => {
  it('find what is found here', async () => {
    pool = new WorkerPool({ log: silentLog });
    expect(await scan('the secret plan')).toMatchObject({ hits: [found], failed: [] });
  });

  it('compile a guardrail once, and another revision of it anew', async () => {
    pool = new WorkerPool({ log: silentLog });
    const other: TextCheck = { ...words, phrases: ['other thing'] };
    await scan('the secret plan');
    expect(await scan('the secret plan', other)).toMatchObject({ hits: [found] });
    expect(await scan('the secret plan', other, 2)).toMatchObject({ hits: [] });
    expect(await scan('the other thing', other, 2)).toMatchObject({ hits: [found] });
  });

  it('go on when more guardrails came than are kept', async () => {
    pool = new WorkerPool({ log: silentLog });
    for (let revision = 1; revision <= 300; revision++) await scan('x', words, revision);
    expect(await scan('the secret plan')).toMatchObject({ hits: [found] });
  });

  it('say which guardrail cannot be compiled', async () => {
    pool = new WorkerPool({ log: silentLog });
    expect(await scan('x', { kind: 'pattern', patterns: ['('] })).toEqual({ hits: [], failed: [0] });
  });

  it('work on two texts at a time, others wait their turn', async () => {
    pool = new WorkerPool({ log: silentLog });
    const all = await Promise.all(Array.from({ length: 6 }, () => scan('the secret plan')));
    expect(all.map(({ hits }) => hits.length)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('that do not come back are ended, and others take their place', async () => {
    pool = new WorkerPool({ log: silentLog, timeoutMs: 3_000 });
    const stuck = await Promise.allSettled([scan(slowText, slow), scan(slowText, slow), scan('waits')]);
    expect(stuck.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await scan('the secret plan')).toMatchObject({ hits: [found] });
  });

  it('are not asked by more than can wait', async () => {
    pool = new WorkerPool({ log: silentLog, timeoutMs: 300, queueMax: 1 });
    const [, , , fourth] = await Promise.allSettled([
      scan(slowText, slow),
      scan(slowText, slow),
      scan('waits'),
      scan('one too many'),
    ]);
    expect(fourth).toMatchObject({ status: 'rejected', reason: new Error('busy') });
  });

  it('answer nobody once they are closed', async () => {
    pool = new WorkerPool({ log: silentLog });
    const waiting = scan(slowText, slow);
    const ended = expect(waiting).rejects.toThrow('closed');
    await pool.close();
    await ended;
    await expect(scan('x')).rejects.toThrow('busy');
  });
});
