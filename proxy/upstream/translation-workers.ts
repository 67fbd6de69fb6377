// Workers for work that is too much for one tick of the event loop and cannot be cut into slices. They start when the
// first such work arrives; there are at most two, and one for each organization. Waiting work is in a fair queue,
// limited in bytes and time. A worker that takes too long or runs out of memory is terminated together with its job;
// other jobs are not affected.
import { Worker } from 'node:worker_threads';
import { FairQueue, OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import type { ReadShare } from '../shares.ts';
import { shares } from '../shares.ts';
import { bytesOf, type TranslationJob, type TranslationOutcome } from './translation-job.ts';

export interface TranslationWorkersOptions {
  /** Maximum wait in the queue. */
  readonly waitMsMax?: number;
  /** Maximum time for one job in a worker. */
  readonly workMsMax?: number;
  /** The file that a worker runs. */
  readonly file: string | URL;
}

/** The work was not done: there was no room or time, or it was too much for any worker. */
export class NotTranslatedError extends Error {
  /** Whether a worker had begun. */
  readonly begun: boolean;

  constructor(reason: string, begun: boolean) {
    super(`a call was not translated: ${reason}`);
    this.name = 'NotTranslatedError';
    this.begun = begun;
  }
}

interface Waiting {
  readonly owner: ShareOwner;
  readonly job: TranslationJob;
  readonly isLeft: () => boolean;
  resolve(outcome: TranslationOutcome): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout | undefined;
  isOver: boolean;
}

/** About the length of a long request. */
const quantum = 1024 * 1024;
const heapMbMax = 1024;

export class TranslationWorkers {
  readonly #waitMsMax: number;
  readonly #workMsMax: number;
  readonly #file: string | URL;
  readonly #occupied = new OccupiedShare(shares.translation_workers.bounds);
  readonly #queue = new FairQueue<Waiting>({ waiting: shares.translation_queue.bounds, quantum });
  readonly #idle = new Set<Worker>();
  readonly #busy = new Map<Worker, Waiting>();
  #isClosed = false;

  constructor({ waitMsMax = 10_000, workMsMax = 30_000, file }: TranslationWorkersOptions) {
    this.#waitMsMax = waitMsMax;
    this.#workMsMax = workMsMax;
    this.#file = file;
  }

  /** Bytes that wait. */
  get waiting(): ReadShare {
    return this.#queue.waiting;
  }

  /** Busy workers. */
  get working(): ReadShare {
    return this.#occupied;
  }

  /**
   * @param job its bytes are transferred, and come back with the outcome
   * @throws NotTranslatedError
   */
  run(job: TranslationJob, owner: ShareOwner, isLeft: () => boolean): Promise<TranslationOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<TranslationOutcome>();
    const waiting: Waiting = { owner, job, isLeft, resolve, reject, timer: undefined, isOver: false };
    const bytes = job.request.byteLength + (job.response?.body.byteLength ?? 0);
    if (this.#isClosed) this.#giveUp(waiting, 'the gateway is stopping');
    else if (!this.#queue.push(owner, waiting, bytes)) this.#giveUp(waiting, 'too much waits');
    else {
      waiting.timer = setTimeout(() => this.#giveUp(waiting, 'it waited too long'), this.#waitMsMax).unref();
      this.#proceed();
    }
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let one = this.#queue.shift(); one !== undefined; one = this.#queue.shift())
      this.#giveUp(one, 'the gateway is stopping');
    const workers = [...this.#idle, ...this.#busy.keys()];
    for (const worker of workers) this.#gone(worker, 'the gateway is stopping');
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #proceed(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const worker = this.#idle.values().next().value ?? this.#start(next);
      if (worker === undefined) continue;
      this.#idle.delete(worker);
      this.#busy.set(worker, next);
      this.#occupied.take(next.owner);
      clearTimeout(next.timer);
      next.timer = setTimeout(() => this.#end(worker, 'it took too long'), this.#workMsMax).unref();
      worker.postMessage(next.job, bytesOf(next.job));
    }
  }

  #next(): Waiting | undefined {
    const mayServe = (owner: ShareOwner) => this.#occupied.hasRoom(owner);
    for (;;) {
      const next = this.#isClosed ? undefined : this.#queue.shift(mayServe);
      if (next === undefined) return undefined;
      if (next.isLeft()) this.#giveUp(next, 'its caller no longer waits for it');
      if (!next.isOver) return next;
    }
  }

  /** @returns undefined if there is no thread for it: then this work is refused, and the next one tries again */
  #start(waiting: Waiting): Worker | undefined {
    try {
      return this.#newWorker();
    } catch (error) {
      this.#giveUp(waiting, `no worker can be started (${messageOf(error)})`);
      return undefined;
    }
  }

  /** @throws Error of Node if there is no thread for the worker */
  #newWorker(): Worker {
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } });
    worker.unref();
    worker.on('message', (outcome: TranslationOutcome) => {
      const done = this.#release(worker);
      if (!this.#isClosed) this.#idle.add(worker);
      done?.resolve(outcome);
      this.#proceed();
    });
    worker.on('error', (cause) => this.#gone(worker, messageOf(cause)));
    worker.on('exit', (code) => this.#gone(worker, `exit ${code}`));
    return worker;
  }

  #end(worker: Worker, reason: string): void {
    this.#gone(worker, reason);
    void worker.terminate();
  }

  #gone(worker: Worker, reason: string): void {
    this.#idle.delete(worker);
    const lost = this.#release(worker);
    if (lost === undefined) return;
    lost.reject(new NotTranslatedError(reason, true));
    this.#proceed();
  }

  #release(worker: Worker): Waiting | undefined {
    const one = this.#busy.get(worker);
    if (one === undefined) return undefined;
    this.#busy.delete(worker);
    clearTimeout(one.timer);
    this.#occupied.give(one.owner);
    return one;
  }

  #giveUp(waiting: Waiting, reason: string): void {
    clearTimeout(waiting.timer);
    waiting.isOver = true;
    waiting.reject(new NotTranslatedError(reason, false));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it failed';
}
