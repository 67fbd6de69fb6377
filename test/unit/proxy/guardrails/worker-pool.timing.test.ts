// How long scans wait for a worker while others keep it busy.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { TextCheck } from '../../../../guardrails/definition.ts';
import { WorkerPool, type WorkerPoolDeps } from '../../../../proxy/guardrails/worker-pool.ts';
import { silentLog } from '../../../support/silent-log.ts';

let pool: WorkerPool;
afterEach(() => pool.close());

const owner = (organization = 'a') => ({ organization, key: 'k' });
const words: TextCheck = { kind: 'words', phrases: ['secret plan'], withinWords: false };
const guardrail = (check: TextCheck, revision = 1) => ({ id: JSON.stringify(check), revision, check });

interface RequestTarget {
  readonly check?: TextCheck;
  readonly revision?: number;
  readonly organization?: string;
}

function start(text: string, { check = words, revision = 1, organization = 'a' }: RequestTarget = {}) {
  const guardrails = [{ ...guardrail(check, revision), id: check === slow ? 'slow' : 'g' }];
  return pool.scan({ guardrails, texts: ['nothing', text], window: 512 }, owner(organization));
}

const scan = (text: string, requested: RequestTarget = {}) => start(text, requested).scanned;
/** A linear but slow pattern: about 30 seconds for this text. */
const slow: TextCheck = { kind: 'pattern', patterns: ['.*?z|a', '.*?z|b'] };
const slowText = 'ab'.repeat(500_000);

function open(deps: Partial<WorkerPoolDeps> = {}): void {
  pool = new WorkerPool({ log: silentLog, waitMsMax: 60_000, lateMs: 120_000, silentMsMax: 60_000, ...deps });
}

describe('workers with long scans', () => {
  it('are separate from the others: long pieces do not delay short scans', async () => {
    open({ workMsMax: 100_000 });
    const many = '(.*a){20}';
    const begun = performance.now();
    const check: TextCheck = { kind: 'pattern', patterns: [many] };
    // One for each of the other workers.
    const long = ['a', 'c'].map((organization) => scan('a'.repeat(100_000), { check, revision: 2, organization }));
    const times: number[] = [];
    const others = (async () => {
      while (times.length < 40) {
        const at = performance.now();
        await scan('the secret plan', { organization: 'b' });
        times.push(performance.now() - at);
        await sleep(20);
      }
    })();
    expect((await Promise.all(long)).map(({ hits }) => hits.length)).toEqual([1, 1]);
    const tookMs = performance.now() - begun;
    await others;
    console.log(`${Math.max(...times).toFixed(0)} ms at most beside scans of ${tookMs.toFixed(0)} ms`);
    expect(times.toSorted((a, b) => a - b)[20]).toBeLessThan(tookMs / 4);
    expect([pool.waiting.used, pool.working.used]).toEqual([0, 0]);
  });
});

describe('a worker with scans of many organizations', () => {
  it('continues with the organization that has used it least, so that a rare scan does not wait', async () => {
    open({ workMsMax: 30_000 });
    const quiet: number[] = [];
    const during: number[] = [];
    const timed = async (times: number[]) => {
      const begun = performance.now();
      expect(await scan(`${'clean text '.repeat(20_000)}the secret plan`, { organization: 'z' })).toMatchObject({
        hits: [{ text: 1 }],
      });
      times.push(performance.now() - begun);
    };
    await scan('x', { organization: 'z' });
    for (let n = 0; n < 5; n++) await timed(quiet);
    const greedy = Array.from({ length: 10 }, (_, n) => start(slowText, { check: slow, organization: `greedy-${n}` }));
    for (const { scanned } of greedy) scanned.catch(() => undefined);
    // Each of these scans runs while its organization has used less than the others.
    for (let n = 0; n < 5; n++) await timed(during);
    for (const { cancel } of greedy) cancel();
    console.log(`${Math.max(...quiet).toFixed(1)} ms alone, ${Math.max(...during).toFixed(1)} ms among ten`);
    expect(Math.min(...during)).toBeLessThan(10 * (2 * Math.max(...quiet) + 10));
    expect(pool.working.used).toBeGreaterThan(0);
  });
});
