// Compiles and tests operators' guardrails in a worker, one job at a time, with organizations taking turns. A job has a
// time limit and the worker a memory limit. A job beyond either is ended with its worker and reported to its operator;
// other jobs are not affected.
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import type { Problem } from '../domain/field.ts';
import type { GuardrailCheck } from '../domain/guardrail-check.ts';
import { CallError } from '../rpc/errors.ts';
import type { Shares } from '../rpc/shares.ts';
import type { BodyTrialTask } from './body-trials.ts';
import type { GuardrailJob, GuardrailJobDone } from './guardrail-compiler.ts';
import type { TrialTask } from './text-trials.ts';

export interface GuardrailWork {
  /** @returns the problems of the check. @throws CallError too_many_requests */
  compile(owner: ShareOwner, check: GuardrailCheck): Promise<readonly Problem[]>;
  /** @throws CallError too_many_requests */
  try(owner: ShareOwner, task: TrialTask | BodyTrialTask): Promise<TestGuardrailsResponse | 'too_long' | 'no_json'>;
  close(): Promise<void>;
}

export interface GuardrailWorkDeps {
  readonly shares: Pick<Shares, 'charge' | 'expect' | 'inOrder'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Logger;
  readonly jobMs?: number;
}

/** The time limit of one job: a hundred times the time that most jobs need. */
const defaultJobMs = 5000;
/**
 * The time limit of a worker's start. A busy machine starts slowly, and with a shorter limit it would never have a
 * worker.
 */
const startMs = 30_000;
const memoryMbMax = 256;

export function createGuardrailWork(deps: GuardrailWorkDeps): GuardrailWork {
  const { shares, clock, log, jobMs = defaultJobMs } = deps;
  let worker: CompileWorker | undefined;
  let isClosed = false;
  const runNow = async (organization: string, job: GuardrailJob): Promise<GuardrailJobDone | 'too_much'> => {
    if (isClosed) throw new CallError('unavailable', 'this replica stops; try another one');
    worker ??= startWorker(log);
    const current = worker;
    let begun: number | undefined;
    try {
      // The organization is not charged for the worker's start.
      await current.ready();
      begun = clock.monotonic();
      return await current.run(job, jobMs);
    } catch (err) {
      worker = undefined;
      await current.end();
      if (!(err instanceof TooMuchError)) throw err;
      log.warn({ err }, 'a guardrail took too much; its worker was ended, the next one is started');
      return 'too_much';
    } finally {
      if (begun !== undefined) shares.charge('guardrail_time', organization, clock.monotonic() - begun);
    }
  };
  // Turns alone are not enough: organizations could use the worker one after the other, each for the longest time of a
  // job.
  const run = async (owner: ShareOwner, job: GuardrailJob) => {
    const { organization } = owner;
    shares.expect('guardrail_time', organization);
    return await shares.inOrder('guardrail_work', owner, () => {
      shares.expect('guardrail_time', organization);
      return runNow(organization, job);
    });
  };
  return {
    compile: async (owner, check) => {
      const done = await run(owner, { check });
      if (done === 'too_much') return [{ at: `.${check.kind}`, description: tooMuch }];
      return 'problems' in done ? done.problems : [];
    },
    try: async (owner, trial) => {
      const done = await run(owner, { trial });
      return done !== 'too_much' && 'tested' in done ? done.tested : 'too_long';
    },
    close: async () => {
      isClosed = true;
      await worker?.end();
    },
  };
}

const tooMuch = `takes more than ${defaultJobMs / 1000} s or ${memoryMbMax} MB to compile; use fewer or simpler patterns`;

/** A job exceeded its time or memory limit. */
class TooMuchError extends Error {}

/** @throws CallError unavailable */
function startWorker(log: Logger): CompileWorker {
  try {
    return new CompileWorker();
  } catch (err) {
    log.warn({ err }, 'the worker for guardrails cannot be started');
    throw new CallError('unavailable', 'no thread can be started to compile guardrails in; try again later');
  }
}

class CompileWorker {
  readonly #worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: memoryMbMax } });
  readonly #ready: Promise<GuardrailJobDone>;
  #waiting: PromiseWithResolvers<GuardrailJobDone> = Promise.withResolvers();

  constructor() {
    this.#worker.unref();
    this.#ready = this.#waiting.promise;
    // The caller that runs the next job handles the rejection.
    this.#ready.catch(() => undefined);
    this.#worker.on('message', (done: GuardrailJobDone) => this.#waiting.resolve(done));
    this.#worker.on('error', (cause) => this.#waiting.reject(isOutOfMemory(cause) ? tooMuchOf(cause) : cause));
    this.#worker.on('exit', (code) => this.#waiting.reject(new Error(`the worker ended with ${code}`)));
  }

  /** @throws Error if the worker does not start */
  async ready(): Promise<void> {
    await within(startMs, this.#ready, new Error(`a worker was not ready in ${startMs} ms`));
  }

  /** Call it once the worker is ready. @throws TooMuchError, or the error that ended the worker */
  async run(job: GuardrailJob, ms: number): Promise<GuardrailJobDone> {
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(job);
    return await within(ms, this.#waiting.promise, tooMuchOf(new Error(`not done in ${ms} ms`)));
  }

  async end(): Promise<void> {
    this.#waiting.promise.catch(() => undefined);
    await this.#worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuchOf(cause: unknown): TooMuchError {
  return new TooMuchError('too much for a guardrail', { cause });
}

function within<T>(ms: number, work: Promise<T>, error: Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** The file is beside this one, with the same extension; scripts/build.ts writes it beside the bundle. */
const workerFile = join(import.meta.dirname, `guardrail-compiler${extname(import.meta.filename)}`);
