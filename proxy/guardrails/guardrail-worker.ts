// What runs in a worker of worker-pool.ts: what costs too much for the event loop is scanned here, piece by piece, several scans in
// turns: the one goes on whose organization has had the least time of late, so that who asks seldom does not wait for who asks much.
// Between two pieces a scan stops when its budget is over or nobody waits for it, and the worker says that it is alive. Matchers are
// compiled once and kept by their keys; the pool knows which are here.
import { parentPort, workerData } from 'node:worker_threads';
import type { TextCheck } from '../../guardrails/index.ts';
import { compileCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { type Scanned, TextScan } from '../../guardrails/scan.ts';

export interface ScanJob {
  /** The pool's name of it. */
  readonly id: number;
  readonly organization: string;
  /** By their order; a check only where its key is new to this worker. */
  readonly matchers: readonly { readonly key: string; readonly check?: TextCheck }[];
  /** What is kept is to be forgotten first. */
  readonly forget: boolean;
  readonly texts: readonly string[];
  readonly window: number;
  /** 1: nobody waits for it any more. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Processor time; what is not done by then is unavailable. */
  readonly workMsMax: number;
}

export interface ScanDone {
  readonly id: number;
  readonly scanned: Scanned;
}

/** working: from time to time while it scans. */
export type FromWorker = 'ready' | 'working' | ScanDone;

const sayEveryMs = 250;
/** The processor time is asked for no more often. */
const askEveryMs = 2;
/** Before others are looked at. */
const sliceMs = 5;
/** After this time half of what an organization has had is forgotten. */
const forgottenMs = 1_000;

const kept = new Map<string, Matcher>();

interface Running {
  readonly id: number;
  readonly organization: string;
  readonly scan: TextScan;
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly workMsMax: number;
  spentMs: number;
}

/** In the order in which they came. */
const running = new Set<Running>();
/** Processor time of late, of organizations that have scans here or had some. */
const had = new Map<string, { ms: number; at: number }>();
/** The scan that this worker is at, for the pool: one that is stuck takes no other with it. */
const current = workerData as Int32Array<SharedArrayBuffer>;
let isComing = false;
let said = performance.now();

parentPort?.on('message', (job: ScanJob) => {
  running.add(begun(job));
  comeAgain();
});
parentPort?.postMessage('ready' satisfies FromWorker);

function begun({ id, organization, matchers, forget, texts, window, stop, workMsMax }: ScanJob): Running {
  if (forget) kept.clear();
  const compiledMatchers = matchers.map(({ key, check }) => kept.get(key) ?? compiled(key, check));
  const scan = new TextScan({ matchers: compiledMatchers, texts, window });
  return { id, organization, scan, stop, workMsMax, spentMs: 0 };
}

/** What has come meanwhile is heard first. */
function comeAgain(): void {
  if (isComing) return;
  isComing = true;
  setImmediate(() => {
    isComing = false;
    const next = leastServed();
    if (next === undefined) return had.clear();
    Atomics.store(current, 0, next.id);
    if (slice(next)) {
      running.delete(next);
      parentPort?.postMessage({ id: next.id, scanned: next.scan.result() } satisfies FromWorker);
    }
    comeAgain();
  });
}

function leastServed(): Running | undefined {
  const now = performance.now();
  let least: { readonly job: Running; readonly ms: number } | undefined;
  for (const job of running) {
    const ms = hadOf(job.organization, now);
    if (least === undefined || ms < least.ms) least = { job, ms };
  }
  return least?.job;
}

function hadOf(organization: string, now: number): number {
  const of = had.get(organization);
  return of === undefined ? 0 : of.ms * 0.5 ** ((now - of.at) / forgottenMs);
}

/** @returns whether it is over */
function slice(job: Running): boolean {
  const { scan, stop, workMsMax } = job;
  const from = spentMs();
  const begunAt = performance.now();
  let isOver = Atomics.load(stop, 0) !== 0;
  for (let asked = begunAt; !scan.isDone && !isOver; ) {
    scan.step();
    const at = performance.now();
    if (at - asked < askEveryMs) continue;
    // Of something that does not end the next piece takes twice what the last one took.
    const nextMs = scan.pendingNs > 0 ? 2 * (at - asked) : 0;
    asked = at;
    say(at);
    isOver = Atomics.load(stop, 0) !== 0 || job.spentMs + spentMs() - from + nextMs > workMsMax;
    if (at - begunAt > sliceMs) break;
  }
  const spent = spentMs() - from;
  job.spentMs += spent;
  const now = performance.now();
  had.set(job.organization, { ms: hadOf(job.organization, now) + spent, at: now });
  return isOver || scan.isDone;
}

function say(at: number): void {
  if (at - said < sayEveryMs) return;
  parentPort?.postMessage('working' satisfies FromWorker);
  said = at;
}

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
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
