// One worker of worker-pool.ts, as the pool sees it: starting, idle, at work, gone. It is at work until it has said so itself, even
// where nobody waits for its scan any more; one that says nothing for too long is ended, and its scan is told.
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ShareOwner } from '../../common/shares.ts';
import type { Scanned } from '../../guardrails/scan.ts';
import type { TextGuardrail } from './compiled.ts';
import type { FromWorker, ScanJob } from './guardrail-worker.ts';

export interface ScanTask {
  /** In the order in which they are to look. */
  readonly guardrails: readonly ScanGuardrail[];
  readonly texts: readonly string[];
  readonly window: number;
}

export type ScanGuardrail = Pick<TextGuardrail, 'id' | 'revision' | 'check'>;

/** The gateway lacks what it needs to scan a text: no fault of the text, nor of a guardrail. */
export class NoCapacityError extends Error {
  constructor(reason: string) {
    super(`a text cannot be scanned: ${reason}`);
    this.name = 'NoCapacityError';
  }
}

/** A scan that waits, or is under way. */
export interface PooledScan {
  readonly task: ScanTask;
  readonly owner: ShareOwner;
  /** Set to 1 to stop it between two pieces. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly timer: { current: NodeJS.Timeout | undefined };
  /** Nobody waits for it any more. */
  isOver: boolean;
  resolve(scanned: Scanned): void;
  reject(error: Error): void;
}

export interface ScanWorkerDeps {
  readonly file?: string | undefined;
  readonly silentMsMax: number;
  /** It can take a scan. */
  onIdle(): void;
  /** It has done with a scan, however that ended. Before onIdle or onGone. */
  onDone(scan: PooledScan): void;
  /** @param hasBeenReady or it could not even be started */
  onGone(reason: string, hasBeenReady: boolean): void;
}

/** Matchers that a worker keeps. */
const keptMax = 256;
/** To start takes what the processor has left. */
const startMsMax = 60_000;

export class ScanWorker {
  readonly #worker: Worker;
  readonly #deps: ScanWorkerDeps;
  readonly #kept = new Set<string>();
  #silence: NodeJS.Timeout | undefined;
  #current: PooledScan | undefined;
  #isReady = false;
  #isGone = false;

  constructor(deps: ScanWorkerDeps) {
    this.#deps = deps;
    this.#worker = new Worker(deps.file ?? workerFile, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    this.#worker.unref();
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (cause) =>
      this.#gone(`it failed: ${cause instanceof Error ? cause.message : ''}`),
    );
    this.#worker.on('exit', (code) => this.#gone(`exit ${code}`));
    this.#listen(startMsMax);
  }

  get isIdle(): boolean {
    return this.#isReady && !this.#isGone && this.#current === undefined;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** @param workMsMax of processor time */
  scan(scan: PooledScan, workMsMax: number): void {
    this.#current = scan;
    this.#listen(this.#deps.silentMsMax);
    this.#worker.postMessage({ ...this.#job(scan.task), stop: scan.stop, workMsMax } satisfies ScanJob);
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
    if (message !== 'ready') this.#finish((scan) => scan.resolve(message));
    this.#deps.onIdle();
  }

  #finish(settle: (scan: PooledScan) => void): void {
    const scan = this.#current;
    this.#current = undefined;
    if (scan === undefined) return;
    this.#deps.onDone(scan);
    settle(scan);
  }

  #listen(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => void this.end('it says nothing any more'), ms).unref();
  }

  #gone(reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#silence);
    this.#finish((scan) => scan.reject(new NoCapacityError(reason)));
    this.#deps.onGone(reason, this.#isReady);
  }
}

/** Beside this file, in its form: scripts/build.ts puts it beside the bundle. */
const workerFile = join(import.meta.dirname, `guardrail-worker${extname(import.meta.filename)}`);
