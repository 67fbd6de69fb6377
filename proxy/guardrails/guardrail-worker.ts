// Runs in a worker of worker-pool.ts. It scans, piece by piece, texts that cost too much for the event loop. Of several
// scans, the next slice goes to the organization with the least recent processor time, so that rare requests do not
// wait for frequent ones. Between two pieces a scan stops if its budget is used up or its request has gone, and the
// worker reports that it is alive. Matchers are compiled once and cached by key; the pool knows which are cached here.
import { parentPort, workerData } from 'node:worker_threads';
import { runBehindEventLoop } from '../../common/thread-priority.ts';
import type { TextCheck } from '../../guardrails/definition.ts';
import { compileCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { type Scanned, TextScan } from '../../guardrails/scan.ts';

export interface ScanJob {
  /** The id that the pool has given it. */
  readonly id: number;
  readonly organization: string;
  /** In scan order. The check is present only if its key is new to this worker. */
  readonly matchers: readonly { readonly key: string; readonly check?: TextCheck }[];
  /** The cached matchers must be dropped first. */
  readonly forget: boolean;
  readonly texts: readonly string[];
  readonly window: number;
  /** 1: no request waits for the scan. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Limit of processor time. Matchers that have not finished by then are unavailable. */
  readonly workMsMax: number;
}

export interface ScanDone {
  readonly id: number;
  readonly scanned: Scanned;
}

/**
 * The scan's next piece is likely to take long and cannot be cut. The worker for long pieces has to scan from the
 * beginning.
 */
export interface ScanLong {
  readonly id: number;
  readonly isLong: true;
}

/** `working` is sent from time to time during a scan. */
export type FromWorker = 'ready' | 'working' | ScanDone | ScanLong;

export interface ScanWorkerData {
  /** Id of the running scan. If the worker is stuck, the pool gives up only this scan. */
  readonly current: Int32Array<SharedArrayBuffer>;
  /** Whether this is the worker for scans with long pieces. */
  readonly takesLong: boolean;
}

const sayEveryMs = 250;
/** Minimum time between two readings of the processor time. */
const askEveryMs = 2;
/** Length of a slice, after which other scans are considered. */
const sliceMs = 5;
/** A longer piece runs in the worker for long pieces, so that it does not delay short ones. */
const longNs = 20_000_000;
/** Half-life of the processor time that is remembered of an organization. */
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

/** In order of arrival. */
const running = new Set<Running>();
/** Recent processor time of organizations with current or past scans in this worker. */
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

/** Continues in a later tick, so that waiting messages are received first. */
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

/** @returns whether the scan is over */
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
    // If a possible match has begun and does not end, the next piece takes twice as long as the last one.
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

/** Whether the next piece is too long for this worker. */
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
