// Workers that scan long texts, started when they are first needed. Each has one text at a time; who waits too long, or would wait
// behind too many, is told so, and a worker that does not come back is ended and another one started in its place.
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../common/logger.ts';
import type { TextGuardrail } from './compiled.ts';
import type { ScanJob } from './guardrail-worker.ts';
import type { Scanned } from './scan.ts';

export interface WorkerPoolDeps {
  readonly log: Logger;
  /** From asking to the answer, waiting included. */
  readonly timeoutMs?: number;
  readonly queueMax?: number;
}

export interface ScanTask {
  readonly guardrails: readonly Pick<TextGuardrail, 'id' | 'revision' | 'check'>[];
  readonly texts: readonly string[];
  readonly window: number;
}

interface Waiting {
  readonly task: ScanTask;
  readonly timer: NodeJS.Timeout;
  resolve(scanned: Scanned): void;
  reject(error: Error): void;
}

/** Two texts at a time: there is other work on this machine. */
const workersMax = 2;
const defaults = { timeoutMs: 10_000, queueMax: 32 } as const;
/** Matchers that a worker keeps. */
const keptMax = 256;

export class WorkerPool {
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #queueMax: number;
  readonly #workers = new Set<ScanWorker>();
  #queue: Waiting[] = [];
  #isClosed = false;

  constructor({ log, timeoutMs = defaults.timeoutMs, queueMax = defaults.queueMax }: WorkerPoolDeps) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#queueMax = queueMax;
  }

  /** @throws Error where it takes too long, too many wait, or the worker fails */
  scan(task: ScanTask): Promise<Scanned> {
    if (this.#isClosed || this.#queue.length >= this.#queueMax) return Promise.reject(new Error('busy'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiting), this.#timeoutMs).unref();
      const waiting: Waiting = { task, timer, resolve, reject };
      this.#queue.push(waiting);
      this.#proceed();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#queue.splice(0)) end(waiting, new Error('closed'));
    await Promise.all([...this.#workers].map((worker) => worker.end(new Error('closed'))));
  }

  #proceed(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle();
      const next = worker && this.#queue.shift();
      if (next === undefined) return;
      worker?.start(next);
    }
  }

  #idle(): ScanWorker | undefined {
    for (const worker of this.#workers) if (!worker.isBusy) return worker;
    if (this.#workers.size >= workersMax) return undefined;
    const worker = new ScanWorker({
      onIdle: () => this.#proceed(),
      onGone: (error) => {
        this.#workers.delete(worker);
        if (!this.#isClosed)
          this.#log.warn({ err: error }, 'a worker of guardrails was lost; the next one is started');
        this.#proceed();
      },
    });
    this.#workers.add(worker);
    return worker;
  }

  #giveUp(waiting: Waiting): void {
    const error = new Error('took too long');
    this.#queue = this.#queue.filter((one) => one !== waiting);
    const worker = [...this.#workers].find((one) => one.has(waiting));
    if (worker === undefined) end(waiting, error);
    else void worker.end(error);
  }
}

interface ScanWorkerDeps {
  onIdle(): void;
  onGone(error: Error): void;
}

class ScanWorker {
  readonly #worker: Worker;
  readonly #deps: ScanWorkerDeps;
  readonly #kept = new Set<string>();
  #current: Waiting | undefined;
  #isGone = false;

  constructor(deps: ScanWorkerDeps) {
    this.#deps = deps;
    this.#worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    this.#worker.unref();
    this.#worker.on('message', (scanned: Scanned) => this.#answered(scanned));
    this.#worker.on('error', (cause) => this.#gone(new Error('it failed', { cause })));
    this.#worker.on('exit', (code) => this.#gone(new Error(`exit ${code}`)));
  }

  get isBusy(): boolean {
    return this.#isGone || this.#current !== undefined;
  }

  has(waiting: Waiting): boolean {
    return this.#current === waiting;
  }

  start(waiting: Waiting): void {
    this.#current = waiting;
    this.#worker.postMessage(this.#job(waiting.task));
  }

  async end(error: Error): Promise<void> {
    this.#gone(error);
    await this.#worker.terminate();
  }

  #job({ guardrails, texts, window }: ScanTask): ScanJob {
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

  #answered(scanned: Scanned): void {
    const waiting = this.#current;
    this.#current = undefined;
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    waiting.resolve(scanned);
    this.#deps.onIdle();
  }

  #gone(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    if (this.#current !== undefined) end(this.#current, error);
    this.#current = undefined;
    this.#deps.onGone(error);
  }
}

function end({ timer, reject }: Waiting, error: Error): void {
  clearTimeout(timer);
  reject(error);
}

/** Beside this file, in its form: scripts/build.ts puts it beside the bundle. */
const workerFile = join(import.meta.dirname, `guardrail-worker${extname(import.meta.filename)}`);
