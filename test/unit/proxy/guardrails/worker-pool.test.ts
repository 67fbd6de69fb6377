// Scans in real worker threads, with real matchers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { TextCheck } from '../../../../guardrails/definition.ts';
import { NoCapacityError } from '../../../../proxy/guardrails/scan-worker.ts';
import { WorkerPool, type WorkerPoolDeps } from '../../../../proxy/guardrails/worker-pool.ts';
import { until } from '../../../support/process.ts';
import { silentLog } from '../../../support/silent-log.ts';

let pool: WorkerPool;
afterEach(() => pool.close());

const directory = mkdtempSync(join(tmpdir(), 'gateway-workers-'));
afterAll(() => rmSync(directory, { recursive: true }));

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
const found = { text: 1, matcher: 0, start: 4, end: 15 };
/** A linear but slow pattern: about 30 seconds for this text. */
const slow: TextCheck = { kind: 'pattern', patterns: ['.*?z|a', '.*?z|b'] };
const slowText = 'ab'.repeat(500_000);

function open(deps: Partial<WorkerPoolDeps> = {}): void {
  pool = new WorkerPool({ log: silentLog, waitMsMax: 60_000, lateMs: 120_000, silentMsMax: 60_000, ...deps });
}

describe('workers of the pool', () => {
  it('find the same matches as a scan in the main thread', async () => {
    open();
    expect(await scan('the secret plan')).toMatchObject({ hits: [found], failed: [] });
  });

  it('compile a guardrail once for each revision', async () => {
    open();
    const other: TextCheck = { ...words, phrases: ['other thing'] };
    await scan('the secret plan');
    expect(await scan('the secret plan', { check: other })).toMatchObject({ hits: [found] });
    expect(await scan('the secret plan', { check: other, revision: 2 })).toMatchObject({ hits: [] });
    expect(await scan('the other thing', { check: other, revision: 2 })).toMatchObject({ hits: [found] });
  });

  it('continue to work with more guardrails than they cache', async () => {
    open();
    for (let revision = 1; revision <= 300; revision++) await scan('x', { revision });
    expect(await scan('the secret plan')).toMatchObject({ hits: [found] });
  });

  it('report guardrails that cannot be compiled', async () => {
    open();
    expect(await scan('x', { check: { kind: 'pattern', patterns: ['('] } })).toEqual({
      hits: [],
      failed: [0],
    });
  });

  it('scan one text at a time while the others wait', async () => {
    open();
    const all = await Promise.all(Array.from({ length: 6 }, () => scan('the secret plan')));
    expect(all.map(({ hits }) => hits.length)).toEqual([1, 1, 1, 1, 1, 1]);
    expect([pool.waiting.used, pool.working.used]).toEqual([0, 0]);
  });

  it('stop a scan between two pieces when its time is over, report that, and continue with the next scan', async () => {
    open({ workMsMax: 200 });
    expect(await scan(slowText, { check: slow })).toMatchObject({ failed: [], unavailable: [0] });
    expect(await scan('the secret plan')).toMatchObject({ hits: [found] });
  });

  it('stop a scan that was cancelled', async () => {
    open({ workMsMax: 100_000 });
    const { scanned, cancel } = start(slowText, { check: slow });
    setTimeout(cancel, 300);
    await expect(scanned).rejects.toThrow(NoCapacityError);
    expect(await scan('the secret plan')).toMatchObject({ hits: [found] });
  });

  it('remain available to other organizations: a greedy organization gets only one of them', async () => {
    open({ workMsMax: 30_000 });
    const greedy = Array.from({ length: 40 }, () => start(slowText, { check: slow }));
    for (const { scanned } of greedy) scanned.catch(() => undefined);
    for (let sent = 0; sent < 3; sent++)
      expect(await scan('the secret plan', { organization: 'b' })).toMatchObject({ hits: [found] });
    expect(pool.waiting.used).toBeGreaterThan(20 * 1_000_000);
    for (const { cancel } of greedy) cancel();
  });
});

describe('a scan that waits for a worker', () => {
  /** A worker that takes this long to start. */
  function slowStart(ms: number): string {
    const file = join(directory, 'slow.mjs');
    const worker = new URL('../../../../proxy/guardrails/guardrail-worker.ts', import.meta.url);
    writeFileSync(file, `await new Promise((done) => setTimeout(done, ${ms})); await import('${worker}');`);
    return file;
  }

  it('waits for a worker that is still starting', async () => {
    open({ file: slowStart(2_500), silentMsMax: 2_000 });
    const all = await Promise.all(Array.from({ length: 3 }, () => scan('the secret plan')));
    expect(all.map(({ hits }) => hits.length)).toEqual([1, 1, 1]);
  });

  it('fails after its maximum wait, and the starting worker serves the next scan', async () => {
    open({ file: slowStart(1_500), waitMsMax: 500 });
    await expect(scan('the secret plan')).rejects.toThrow(NoCapacityError);
    let hits: readonly unknown[] = [];
    const tried = async () => {
      hits = await scan('the secret plan').then(
        (scanned) => scanned.hits,
        () => [],
      );
      return hits.length > 0;
    };
    await until(tried, { timeoutMs: 60_000, what: 'the worker' });
    expect(hits).toMatchObject([found]);
  });

  it('is refused when its organization has its share of the queue, while other organizations still wait', async () => {
    open({ file: slowStart(600_000), waitMsMax: 500 });
    const text = 'x'.repeat(1024 * 1024);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 50 }, () => scan(text)),
      scan(text, { organization: 'b' }),
    ]);
    expect(pool.waiting.refused).toBeGreaterThan(10);
    const reasons = outcomes.map((one) => (one.status === 'rejected' ? String(one.reason) : ''));
    expect(reasons.filter((reason) => reason.includes('too much waits'))).toHaveLength(pool.waiting.refused);
    expect(reasons.at(-1)).toContain('takes too long');
  });

  it('fails when its worker hangs, and another worker replaces it', async () => {
    const file = join(directory, 'stuck.mjs');
    writeFileSync(
      file,
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ id, texts }) => { for (;;) if (texts[1] !== 'stuck') break;
         parentPort.postMessage({ id, scanned: { hits: [], failed: [] } }); });
       parentPort.postMessage('ready');`,
    );
    open({ file, silentMsMax: 300 });
    await expect(scan('stuck')).rejects.toThrow('no longer responds');
    expect(await scan('well')).toEqual({ hits: [], failed: [] });
    // Another worker runs the other scans that were queued at the stuck worker.
    const scans = ['stuck', 'well', 'well', 'well'].map((text) => scan(text));
    const outcomes = (await Promise.allSettled(scans)).map(({ status }) => status);
    expect(outcomes).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('fails when the pool is closed, and later scans are refused', async () => {
    open({ file: slowStart(600_000) });
    const ended = expect(scan('x')).rejects.toThrow('stopping');
    await pool.close();
    await ended;
    await expect(scan('x')).rejects.toThrow('stopping');
  });
});
