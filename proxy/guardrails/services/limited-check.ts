// The limits of every call to a service: a time limit, which includes waiting and connecting; a number of calls at a
// time; and a breaker, which blocks calls for ten seconds after five failures in a row and then lets one try. Each
// guardrail has its own, so that a service that hangs delays no other guardrail.
import { Breaker } from '../../../common/breaker.ts';
import type { Clock } from '../../../common/clock.ts';
import { ResponseTooLongError } from '../../../common/guarded-request.ts';
import type { Logger } from '../../../common/logger.ts';
import { errorCode } from '../../../common/system-errors.ts';
import { NoResponseError } from '../../../guardrails/services/adapter.ts';
import { LookupRefusedError } from '../../upstream/name-lookups.ts';
import { TransportError } from '../../upstream/transport.ts';
import {
  NotRequestedError,
  type ServiceCheck,
  ServiceFailedError,
  type ServiceQuestion,
  type ServiceVerdict,
} from '../service.ts';
import { WorkerSlots } from './slots.ts';

/** A call without limits of its own. @throws ServiceFailedError, NotRequestedError, or the error of the connection */
export type Ask = ServiceCheck['ask'];

export interface LimitedCheckDeps {
  readonly ask: Ask;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Logger;
  /** Receives the outcome of each call: "answered", or the reason of its failure. */
  requested(outcome: string): void;
}

const slotsMax = 64;
const waitingMax = 256;
const failuresMax = 5;
const restMs = 10_000;
/** The service was not called, so it has not failed. */
const notRequested: ReadonlySet<string> = new Set(['resting', 'no_key', 'no_price', 'stopped']);

export class LimitedCheck implements ServiceCheck {
  readonly #deps: LimitedCheckDeps;
  readonly #slots = new WorkerSlots({ max: slotsMax, waitingMax });
  readonly #breaker: Breaker;

  constructor(deps: LimitedCheckDeps) {
    this.#deps = deps;
    this.#breaker = new Breaker({ failuresMax, restMs, clock: deps.clock });
  }

  /** @throws ServiceFailedError, NotRequestedError; the signal's reason */
  async ask(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceVerdict> {
    signal.throwIfAborted();
    const timeUp = AbortSignal.timeout(this.#deps.timeoutMs);
    try {
      const verdict = await this.#askInOrder(question, AbortSignal.any([signal, timeUp]));
      this.#onResponse(question);
      return verdict;
    } catch (error) {
      // The request was aborted, which is no failure of the service.
      signal.throwIfAborted();
      throw this.#failed(question, failure(error, timeUp));
    }
  }

  async #askInOrder(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceVerdict> {
    using _location = await this.#slots.take(signal).catch((error: unknown) => {
      throw new NotRequestedError('busy', { cause: error });
    });
    if (this.#breaker.enter() === undefined) throw new ServiceFailedError('resting');
    return await this.#deps.ask(question, signal);
  }

  #onResponse({ guardrail }: ServiceQuestion): void {
    this.#deps.requested('answered');
    if (this.#breaker.succeeded())
      this.#deps.log.info({ guardrail_id: guardrail.id }, "a guardrail's service responds again");
  }

  #failed<Failed extends ServiceFailedError | NotRequestedError>(
    { guardrail }: ServiceQuestion,
    failed: Failed,
  ): Failed {
    const { log, requested } = this.#deps;
    const { reason } = failed;
    requested(reason);
    // Messages of connection errors contain the host, so only codes are logged.
    const about = { guardrail_id: guardrail.id, reason, code: errorCode(failed.cause) };
    log.debug(about, "a guardrail's service failed");
    const wasRequested = failed instanceof ServiceFailedError && !notRequested.has(reason);
    if (wasRequested && this.#breaker.failed())
      log.warn(about, "a guardrail's service is left alone for ten seconds after failures");
    return failed;
  }
}

function failure(error: unknown, timeUp: AbortSignal): ServiceFailedError | NotRequestedError {
  if (error instanceof ServiceFailedError || error instanceof NotRequestedError) return error;
  if (isOwnLack(error)) return new NotRequestedError('busy', { cause: error });
  if (error instanceof ResponseTooLongError || error instanceof NoResponseError)
    return new ServiceFailedError('answer', error);
  return new ServiceFailedError(timeUp.aborted ? 'timeout' : 'unreachable', error);
}

/** The gateway lacks look-ups or descriptors, so the service was not called. */
function isOwnLack(error: unknown): boolean {
  if (error instanceof LookupRefusedError) return true;
  return error instanceof TransportError && error.kind === 'overloaded';
}
