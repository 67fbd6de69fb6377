// What runs in a worker of worker-pool.ts: long texts are scanned here, so that other requests do not wait for them. Matchers are
// compiled once and kept by their keys; the pool knows which are here.
import { parentPort } from 'node:worker_threads';
import type { TextCheck } from '../../guardrails/index.ts';
import { compileCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { type Scanned, scan } from './scan.ts';

export interface ScanJob {
  /** By their order; a check only where its key is new to this worker. */
  readonly matchers: readonly { readonly key: string; readonly check?: TextCheck }[];
  /** What is kept is to be forgotten first. */
  readonly forget: boolean;
  readonly texts: readonly string[];
  readonly window: number;
}

const kept = new Map<string, Matcher>();

parentPort?.on('message', (job: ScanJob) => parentPort?.postMessage(done(job)));

function done({ matchers, forget, texts, window }: ScanJob): Scanned {
  if (forget) kept.clear();
  return scan(
    matchers.map(({ key, check }) => kept.get(key) ?? compiled(key, check)),
    texts,
    window,
  );
}

function compiled(key: string, check: TextCheck | undefined): Matcher {
  if (check === undefined) return failing;
  try {
    const matcher = compileCheck(check);
    kept.set(key, matcher);
    return matcher;
  } catch {
    return failing;
  }
}

const failing: Matcher = {
  cost: 0,
  inspect: () => {
    throw new Error('cannot be compiled');
  },
};
