// One worker of worker-pool.ts, as the pool sees it: starting, with room for scans, full, gone. A scan stays here until
// the worker reports its end, even if its request has gone. A worker that is silent for too long is terminated: the
// scan that it is stuck with fails, and the others move to another worker.
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ShareOwner } from '../../common/shares.ts';
import type { Scanned } from '../../guardrails/scan.ts';
import type { TextGuardrail } from './compiled.ts';
import type { FromWorker, ScanJob, ScanWorkerData } from './guardrail-worker.ts';

export interface ScanTask {
  /** In scan order. */
  readonly guardrails: readonly ScanGuardrail[];
  readonly texts: readonly string[];
  readonly window: number;
}

export type ScanGuardrail = Pick<TextGuardrail, 'id' | 'revision' | 'check'>;

/** The gateway lacks a resource for scanning a text. Neither the text nor a guardrail is at fault. */
export class NoCapacityError extends Error {
  constructor(reason: string) {
    super(`a text cannot be scanned: ${reason}`);
    this.name = 'NoCapacityError';
  }
}

/** A scan that waits or runs. */
export interface PooledScan {
  readonly task: ScanTask;
  readonly owner: ShareOwner;
  /** Set to 1 to stop the scan between two pieces. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly timer: { current: NodeJS.Timeout | undefined };
  /** No request waits for it. */
  isOver: boolean;
  resolve(scanned: Scanned): void;
  reject(error: Error): void;
}

export interface ScanWorkerDeps {
  readonly file?: string | undefined;
  readonly silentMsMax: number;
  /** Whether this is the worker for scans with long pieces. */
  readonly takesLong: boolean;
  /** The worker has room for a scan. */
  onRoom(): void;
  /** The worker has ended a scan, successfully or not. Called before onRoom or onGone. */
  onDone(scan: PooledScan): void;
  /**
   * This worker does not take long pieces, and the scan has one: the worker for these gets it. Called before onRoom.
   */
  onLong(scan: PooledScan): void;
  /**
   * The worker has gone without ending this scan and was not stuck with it: another worker gets it. Called before
   * onGone.
   */
  onLeft(scan: PooledScan): void;
  /** @param hasBeenReady false if the worker could not even be started */
  onGone(reason: string, hasBeenReady: boolean): void;
}

/** Number of matchers that a worker caches. */
const keptMax = 256;
/** Long, because the start of a worker is slow on a busy machine. */
const startMsMax = 60_000;

export class ScanWorker {
  readonly #worker: Worker;
  readonly #deps: ScanWorkerDeps;
  readonly #kept = new Set<string>();
  #silence: NodeJS.Timeout | undefined;
  /** The worker's scans, by the ids that it knows. */
  readonly #scans = new Map<number, PooledScan>();
  #ids = 1;
  /** Id of the running scan; the worker writes it. */
  readonly #current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #isReady = false;
  #isGone = false;

  constructor(deps: ScanWorkerDeps) {
    this.#deps = deps;
    this.#worker = new Worker(deps.file ?? workerFile, {
      workerData: { current: this.#current, takesLong: deps.takesLong } satisfies ScanWorkerData,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (cause) => this.#gone(`it failed: ${cause instanceof Error ? cause.message : ''}`));
    this.#worker.on('exit', (code) => this.#gone(`exit ${code}`));
    this.#listen(startMsMax);
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isGone;
  }

  /** Number of the worker's scans. */
  get scans(): number {
    return this.#scans.size;
  }

  /** @param workMsMax limit of processor time */
  scan(scan: PooledScan, workMsMax: number): void {
    const id = this.#ids++;
    this.#scans.set(id, scan);
    if (this.#scans.size === 1) this.#listen(this.#deps.silentMsMax);
    const { organization } = scan.owner;
    const job = { ...this.#job(scan.task), id, organization, stop: scan.stop, workMsMax };
    this.#worker.postMessage(job satisfies ScanJob);
  }

  async end(reason: string): Promise<void> {
    this.#gone(reason);
    await this.#worker.terminate();
  }

  #job({ guardrails, texts, window }: ScanTask): Pick<ScanJob, 'matchers' | 'forget' | 'texts' | 'window'> {
    const forget = this.#kept.size > keptMax;
    if (forget) this.#kept.clear();
    const matchers = guardrails.map(({ id, revision, check }) => {
      const key = `${id} ${revision}`;
      if (this.#kept.has(key)) return { key };
      this.#kept.add(key);
      return { key, check };
    });
    return { matchers, forget, texts, window };
  }

  #hear(message: FromWorker): void {
    if (this.#isGone) return;
    if (message === 'working') {
      this.#silence?.refresh();
      return;
    }
    clearTimeout(this.#silence);
    this.#isReady = true;
    if (message !== 'ready' && 'scanned' in message) this.#finish(message.id, (scan) => scan.resolve(message.scanned));
    else if (message !== 'ready') this.#handOver(message.id);
    if (this.#scans.size > 0) this.#listen(this.#deps.silentMsMax);
    this.#deps.onRoom();
  }

  #handOver(id: number): void {
    const scan = this.#scans.get(id);
    if (scan === undefined) return;
    this.#scans.delete(id);
    this.#deps.onLong(scan);
  }

  #finish(id: number, settle: (scan: PooledScan) => void): void {
    const scan = this.#scans.get(id);
    if (scan === undefined) return;
    this.#scans.delete(id);
    this.#deps.onDone(scan);
    settle(scan);
  }

  #listen(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => void this.end('it no longer responds'), ms).unref();
  }

  #gone(reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#silence);
    const [first = 0] = this.#scans.keys();
    const current = Atomics.load(this.#current, 0);
    const stuckWith = this.#scans.has(current) ? current : first;
    for (const id of [...this.#scans.keys()])
      this.#finish(id, (scan) =>
        id === stuckWith ? scan.reject(new NoCapacityError(reason)) : this.#deps.onLeft(scan),
      );
    this.#deps.onGone(reason, this.#isReady);
  }
}

/** The file is beside this one and has the same extension: scripts/build.ts puts it beside the bundle. */
const workerFile = join(import.meta.dirname, `guardrail-worker${extname(import.meta.filename)}`);
