// Workers that scan what costs too much for the event loop: started before they are needed and kept warm, one more than are at work.
// A scan whose pieces take long, because something in its text begins and does not end, goes to one worker for all of these, so that
// the others are never held up by a piece. Each has several scans before it and goes on with the one whose organization has had the least (guardrail-worker.ts); an organization
// has a share of these places, what is above it waits in a fair queue, bounded by its length and by time. A scan ends by its own
// budget, in the worker; a worker is ended only where it no longer says anything.
import type { Logger } from '../../common/logger.ts';
import { FairQueue, HeldShare, type ShareOwner } from '../../common/shares.ts';
import type { Scanned } from '../../guardrails/scan.ts';
import type { ReadShare } from '../shares.ts';
import { shares } from '../shares.ts';
import {
  NoCapacityError,
  type PooledScan,
  type ScanTask,
  ScanWorker,
  type ScanWorkerDeps,
} from './scan-worker.ts';

export interface WorkerPoolDeps {
  readonly log: Logger;
  /** In the queue. */
  readonly waitMsMax?: number;
  /** Processor time of one scan, which is stopped between two pieces then. */
  readonly workMsMax?: number;
  /** From the worker's first word about a scan to its last: then nobody waits for it any more. */
  readonly lateMs?: number;
  /** A worker that says nothing for so long is stuck. */
  readonly silentMsMax?: number;
  /** What runs in a worker. Default: guardrail-worker.ts */
  readonly file?: string;
}

export interface PoolScan {
  /** Rejects with NoCapacityError; what was not seen to its end in time is `unavailable`. */
  readonly scanned: Promise<Scanned>;
  cancel(): void;
}

const defaults = { waitMsMax: 5_000, workMsMax: 5_000, lateMs: 15_000, silentMsMax: 10_000 } as const;
/** About what a long prompt has. */
const quantum = 64 * 1024;
const workersMax = 2;
/** After a worker that could not be started. */
const pauseMs = 1_000;

export class WorkerPool {
  readonly #deps: WorkerPoolDeps & typeof defaults;
  readonly #workers = new Set<ScanWorker>();
  /** Of scans with long pieces; started when the first one comes. */
  #long: ScanWorker | undefined;
  readonly #places = new HeldShare(shares.guardrail_workers.bounds);
  readonly #queue = new FairQueue<PooledScan>({ waiting: shares.guardrail_queue.bounds, quantum });
  #pause: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: WorkerPoolDeps) {
    this.#deps = { ...defaults, ...deps } as WorkerPoolDeps & typeof defaults;
  }

  /** Characters that wait. */
  get waiting(): ReadShare {
    return this.#queue.waiting;
  }

  /** Scans that workers have before them. */
  get working(): ReadShare {
    return this.#places;
  }

  /** Starts the first worker, so that it is there when it is needed. */
  warm(): void {
    const busy = [...this.#workers].filter(({ scans }) => scans > 0).length;
    const wanted = Math.min(workersMax, busy + 1);
    while (!this.#isClosed && this.#pause === undefined && this.#workers.size < wanted) this.#start();
  }

  scan(task: ScanTask, owner: ShareOwner): PoolScan {
    const { promise, resolve, reject } = Promise.withResolvers<Scanned>();
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const timer: PooledScan['timer'] = { current: undefined };
    const scan: PooledScan = { task, owner, stop, timer, isOver: false, resolve, reject };
    if (this.#isClosed) this.#giveUp(scan, 'the gateway is stopping');
    else if (!this.#queue.push(owner, scan, lengthOf(task))) this.#giveUp(scan, 'too much waits');
    else {
      this.#within(scan, this.#deps.waitMsMax);
      this.#proceed();
    }
    return { scanned: promise, cancel: () => this.#giveUp(scan, 'nobody waits for it') };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    for (let scan = this.#queue.shift(); scan !== undefined; scan = this.#queue.shift())
      this.#giveUp(scan, 'the gateway is stopping');
    const workers = [...this.#workers, ...(this.#long === undefined ? [] : [this.#long])];
    await Promise.all(workers.map((worker) => worker.end('the gateway is stopping')));
  }

  #proceed(): void {
    this.warm();
    for (let worker = this.#leastBusy(); worker !== undefined; worker = this.#leastBusy()) {
      const scan = this.#next();
      if (scan === undefined) return;
      this.#places.take(scan.owner);
      this.#within(scan, this.#deps.lateMs);
      worker.scan(scan, this.#deps.workMsMax);
      this.warm();
    }
  }

  /** Of those that have started. */
  #leastBusy(): ScanWorker | undefined {
    const ready = [...this.#workers].filter(({ isReady }) => isReady);
    return ready.reduce<ScanWorker | undefined>(
      (least, worker) => (least === undefined || worker.scans < least.scans ? worker : least),
      undefined,
    );
  }

  #next(): PooledScan | undefined {
    const mayServe = (owner: ShareOwner) => this.#places.hasRoom(owner);
    let scan = this.#queue.shift(mayServe);
    while (scan?.isOver) scan = this.#queue.shift(mayServe);
    return scan;
  }

  #start(): void {
    const { log } = this.#deps;
    try {
      const worker = this.#newWorker({ takesLong: false }, () => this.#workers.delete(worker));
      this.#workers.add(worker);
    } catch (err) {
      // There is no thread for it: whoever waits is served by those that are there, or told.
      log.warn({ err }, 'a worker of guardrails cannot be started; trying again');
      this.#pauseStarting();
    }
  }

  /** It keeps its place. */
  #scanLong(scan: PooledScan): void {
    try {
      this.#long ??= this.#newWorker({ takesLong: true }, () => {
        this.#long = undefined;
      });
      this.#long.scan(scan, this.#deps.workMsMax);
    } catch (err) {
      this.#deps.log.warn({ err }, 'a worker of guardrails cannot be started');
      this.#places.give(scan.owner);
      this.#giveUp(scan, 'there is no worker for it');
    }
  }

  /** @throws Error of Node where there is no thread for it */
  #newWorker(kind: Pick<ScanWorkerDeps, 'takesLong'>, remove: () => void): ScanWorker {
    const { file, log, silentMsMax } = this.#deps;
    return new ScanWorker({
      file,
      silentMsMax,
      ...kind,
      onRoom: () => this.#proceed(),
      onLong: (scan) => this.#scanLong(scan),
      onDone: (scan) => {
        clearTimeout(scan.timer.current);
        this.#places.give(scan.owner);
      },
      onLeft: (scan) => {
        if (scan.isOver) return;
        if (this.#isClosed) this.#giveUp(scan, 'the gateway is stopping');
        else if (!this.#queue.push(scan.owner, scan, lengthOf(scan.task)))
          this.#giveUp(scan, 'too much waits');
        else this.#within(scan, this.#deps.waitMsMax);
      },
      onGone: (reason, hasBeenReady) => {
        remove();
        if (this.#isClosed) return;
        log.warn({ reason }, 'a worker of guardrails was lost; the next one is started');
        if (!hasBeenReady) this.#pauseStarting();
        this.#proceed();
      },
    });
  }

  #pauseStarting(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#proceed();
    }, pauseMs).unref();
  }

  #within(scan: PooledScan, ms: number): void {
    clearTimeout(scan.timer.current);
    scan.timer.current = setTimeout(() => this.#giveUp(scan, 'it takes too long'), ms).unref();
  }

  /** Nobody waits for it: in the queue it is passed over, in a worker it stops between two pieces. */
  #giveUp(scan: PooledScan, reason: string): void {
    clearTimeout(scan.timer.current);
    scan.isOver = true;
    Atomics.store(scan.stop, 0, 1);
    scan.reject(new NoCapacityError(reason));
  }
}

function lengthOf({ texts }: ScanTask): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
