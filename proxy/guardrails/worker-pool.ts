// Workers for scans that cost too much for the event loop. They start before they are needed: once warm, there is always
// one more than are busy. Scans with long pieces, where a possible match does not end, share a separate worker, so that
// they never delay the others. A worker has several scans and continues that of the organization with the least
// processor time (guardrail-worker.ts). An organization has a share of the slots; further scans wait in a fair queue,
// limited in length and time. A scan ends by its own budget; only a silent worker is terminated.
import type { Logger } from '../../common/logger.ts';
import { FairQueue, OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import type { Scanned } from '../../guardrails/scan.ts';
import type { ReadShare } from '../shares.ts';
import { shares } from '../shares.ts';
import { NoCapacityError, type PooledScan, type ScanTask, ScanWorker, type ScanWorkerDeps } from './scan-worker.ts';

export interface WorkerPoolDeps {
  readonly log: Logger;
  /** Maximum wait in the queue. */
  readonly waitMsMax?: number;
  /** Processor time of one scan. A scan that exceeds it stops between two pieces. */
  readonly workMsMax?: number;
  /** Maximum time of a scan in a worker; after it, the scan is given up. */
  readonly lateMs?: number;
  /** A worker that is silent for this long is stuck. */
  readonly silentMsMax?: number;
  /** The file that a worker runs. Default: guardrail-worker.ts */
  readonly file?: string;
}

export interface PoolScan {
  /** Rejects with NoCapacityError. Matchers that did not finish in time are `unavailable`. */
  readonly scanned: Promise<Scanned>;
  cancel(): void;
}

const defaults = { waitMsMax: 5_000, workMsMax: 5_000, lateMs: 15_000, silentMsMax: 10_000 } as const;
/** About the length of a long prompt. */
const quantum = 64 * 1024;
const workersMax = 2;
/** Pause after a worker could not be started. */
const pauseMs = 1_000;

export class WorkerPool {
  readonly #deps: WorkerPoolDeps & typeof defaults;
  readonly #workers = new Set<ScanWorker>();
  /** For scans with long pieces; started for the first one. */
  #long: ScanWorker | undefined;
  readonly #slots = new OccupiedShare(shares.guardrail_workers.bounds);
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

  /** Scans in workers. */
  get working(): ReadShare {
    return this.#slots;
  }

  /** Starts workers until one more is ready than are busy. */
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
    return { scanned: promise, cancel: () => this.#giveUp(scan, 'its caller no longer waits for it') };
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
      this.#slots.take(scan.owner);
      this.#within(scan, this.#deps.lateMs);
      worker.scan(scan, this.#deps.workMsMax);
      this.warm();
    }
  }

  /** Only workers that have started. */
  #leastBusy(): ScanWorker | undefined {
    const ready = [...this.#workers].filter(({ isReady }) => isReady);
    return ready.reduce<ScanWorker | undefined>(
      (least, worker) => (least === undefined || worker.scans < least.scans ? worker : least),
      undefined,
    );
  }

  #next(): PooledScan | undefined {
    const mayServe = (owner: ShareOwner) => this.#slots.hasRoom(owner);
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
      // There is no thread for it. Waiting scans are served by the existing workers, or rejected.
      log.warn({ err }, 'a worker of guardrails cannot be started; trying again');
      this.#pauseStarting();
    }
  }

  /** The scan keeps its slot. */
  #scanLong(scan: PooledScan): void {
    try {
      this.#long ??= this.#newWorker({ takesLong: true }, () => {
        this.#long = undefined;
      });
      this.#long.scan(scan, this.#deps.workMsMax);
    } catch (err) {
      this.#deps.log.warn({ err }, 'a worker of guardrails cannot be started');
      this.#slots.give(scan.owner);
      this.#giveUp(scan, 'there is no worker for it');
    }
  }

  /** @throws Error of Node if there is no thread for the worker */
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
        this.#slots.give(scan.owner);
      },
      onLeft: (scan) => {
        if (scan.isOver) return;
        if (this.#isClosed) this.#giveUp(scan, 'the gateway is stopping');
        else if (!this.#queue.push(scan.owner, scan, lengthOf(scan.task))) this.#giveUp(scan, 'too much waits');
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

  /** Rejects the scan. In the queue it is skipped; in a worker it stops between two pieces. */
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
