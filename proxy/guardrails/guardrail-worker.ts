// What runs in a worker of worker-pool.ts: what costs too much for the event loop is scanned here, piece by piece; between two pieces
// it stops when its budget is over or nobody waits for it, and says that it is alive. Matchers are compiled once and kept by their
// keys; the pool knows which are here.
import { parentPort } from 'node:worker_threads';
import type { TextCheck } from '../../guardrails/index.ts';
import { compileCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { type Scanned, TextScan } from '../../guardrails/scan.ts';

export interface ScanJob {
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

/** working: from time to time while it scans. */
export type FromWorker = 'ready' | 'working' | Scanned;

const sayEveryMs = 250;
/** The processor time is asked for no more often. */
const askEveryMs = 2;

const kept = new Map<string, Matcher>();

parentPort?.on('message', (job: ScanJob) => parentPort?.postMessage(done(job)));
parentPort?.postMessage('ready' satisfies FromWorker);

function done({ matchers, forget, texts, window, stop, workMsMax }: ScanJob): Scanned {
  if (forget) kept.clear();
  const compiledMatchers = matchers.map(({ key, check }) => kept.get(key) ?? compiled(key, check));
  const scan = new TextScan({ matchers: compiledMatchers, texts, window });
  const isOver = budget(workMsMax);
  let said = performance.now();
  for (let asked = said; !scan.isDone; ) {
    const at = performance.now();
    if (at - asked >= askEveryMs) {
      if (Atomics.load(stop, 0) !== 0 || isOver(scan.pendingNs > 0 ? at - asked : 0)) break;
      asked = at;
    }
    if (at - said > sayEveryMs) {
      parentPort?.postMessage('working' satisfies FromWorker);
      said = at;
    }
    scan.step();
  }
  return scan.result();
}

/** @returns whether the next piece would be too much: of something that does not end it takes twice what the last one took */
function budget(workMsMax: number): (lastMs: number) => boolean {
  const begun = spentMs();
  return (lastMs) => spentMs() - begun + 2 * lastMs > workMsMax;
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
