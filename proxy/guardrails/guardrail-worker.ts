// What runs in a worker of worker-pool.ts: what costs too much for the event loop is scanned here, piece by piece, several scans in
// turns: the one goes on whose organization has had the least time of late, so that who asks seldom does not wait for who asks much.
// Between two pieces a scan stops when its budget is over or nobody waits for it, and the worker says that it is alive. Matchers are
// compiled once and kept by their keys; the pool knows which are here.
import { parentPort, workerData } from 'node:worker_threads';
import { runBehindEventLoop } from '../../common/thread-priority.ts';
import type { TextCheck } from '../../guardrails/definition.ts';
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

/** Its next piece is likely to take long, and cannot be cut: it is for the worker of such scans, from its beginning. */
export interface ScanLong {
  readonly id: number;
  readonly isLong: true;
}

/** working: from time to time while it scans. */
export type FromWorker = 'ready' | 'working' | ScanDone | ScanLong;

export interface ScanWorkerData {
  /** The scan that this worker is at, for the pool: one that is stuck takes no other with it. */
  readonly current: Int32Array<SharedArrayBuffer>;
  /** It is the worker of scans with long pieces. */
  readonly takesLong: boolean;
}

const sayEveryMs = 250;
/** The processor time is asked for no more often. */
const askEveryMs = 2;
/** Before others are looked at. */
const sliceMs = 5;
/** A piece that is likely to take longer holds up nobody whose pieces are short. */
const longNs = 20_000_000;
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
const { current, takesLong } = workerData as ScanWorkerData;
let isComing = false;
let stated = performance.now();

runBehindEventLoop();
parentPort?.on('message', (job: ScanJob) => {
  running.add(begun(job));
  comeAgain();
});
report('ready');

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
    const isOver = slice(next);
    const isLong = !isOver && isTooLong(next);
    if (isOver || isLong) running.delete(next);
    if (isLong) report({ id: next.id, isLong });
    if (isOver) report({ id: next.id, scanned: next.scan.result() });
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
  for (let requested = begunAt; !scan.isDone && !isOver; ) {
    if (isTooLong(job)) break;
    scan.step();
    const at = performance.now();
    if (at - requested < askEveryMs) continue;
    // Of something that does not end the next piece takes twice what the last one took.
    const nextMs = scan.pendingNs > 0 ? 2 * (at - requested) : 0;
    requested = at;
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

/** For this worker. */
function isTooLong({ scan }: Running): boolean {
  return !takesLong && scan.pendingNs > longNs;
}

function report(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function say(at: number): void {
  if (at - stated < sayEveryMs) return;
  report('working');
  stated = at;
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
