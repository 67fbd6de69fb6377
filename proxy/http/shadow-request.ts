// One copy of a request on its way: its time limits, its bytes in memory, and how it ended. No caller waits for it, so
// its limits are its own: it lives on when the caller leaves, and ends in the same time as every request.
import type { Clock } from '../../common/clock.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import type { Outcome } from '../call.ts';
import { GatewayError, overloaded } from '../errors.ts';
import type { DispatchContext } from '../routing/dispatch.ts';
import type { AttemptResult, Received } from '../upstream/attempt.ts';
import { errorResponse } from './respond.ts';
import type { TimeLimits } from './watchdog.ts';

export type ShadowTimes = Pick<TimeLimits, 'firstByteMs' | 'idleMs' | 'totalMs'>;

export interface ShadowRequestDeps {
  readonly owner: ShareOwner;
  readonly streamed: boolean;
  readonly times: ShadowTimes;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Timers;
  /** Takes room for bytes until the end. @returns whether there was room */
  buffer(bytes: number): boolean;
}

interface Abortable {
  abort(error: Error): void;
}

const checkMs = 500;

export class ShadowRequest implements DispatchContext {
  readonly owner: ShareOwner;
  readonly #deps: ShadowRequestDeps;
  readonly #startedAt: number;
  #attempt: Received | undefined;
  #attemptAt: number | undefined;
  #abortable: Abortable | undefined;
  #aborted: Error | undefined;
  #cancelCheck: () => void;
  /** Monotonic time of the last byte. */
  #lastAt: number;
  #hasByte = false;
  #firstTokenMs: number | undefined;
  #isStopped = false;

  constructor(deps: ShadowRequestDeps) {
    this.owner = deps.owner;
    this.#deps = deps;
    this.#startedAt = deps.clock.monotonic();
    this.#lastAt = this.#startedAt;
    this.#cancelCheck = deps.timers.after(checkMs, () => this.#check());
  }

  get aborted(): Error | undefined {
    return this.#aborted;
  }

  /** @throws the error that aborted it */
  attemptStarted(attempt: Received): void {
    if (this.#aborted !== undefined) throw this.#aborted;
    this.#attempt = attempt;
    this.#attemptAt = this.#deps.clock.monotonic();
    this.#lastAt = this.#attemptAt;
  }

  attemptFailed(): void {
    // There is no further attempt.
  }

  /** @throws GatewayError overloaded */
  buffer(bytes: number): void {
    if (!this.#deps.buffer(bytes)) throw overloaded();
  }

  progress(): void {
    this.#hasByte = true;
    this.#lastAt = this.#deps.clock.monotonic();
  }

  onAbort(abortable: Abortable): void {
    this.#abortable = abortable;
    if (this.#aborted !== undefined) abortable.abort(this.#aborted);
  }

  /** The response has begun: reads the rest of it, and keeps nothing. */
  async readOn(result: AttemptResult): Promise<void> {
    if (result.kind === 'complete') return;
    this.#firstTokenMs = this.#sinceAttempt();
    await this.#attempt?.readOn();
  }

  /** The gateway stops: the rest of the response is not read, and the vendor's connection ends. */
  stop(): void {
    this.#isStopped = true;
    this.#abort(new GatewayError('draining'));
    this.#attempt?.giveUp('shutdown');
  }

  /** Ends an attempt whose response is not read, and all waiting. */
  end(): void {
    this.#cancelCheck();
    if (this.#attempt?.ending === 'open') this.#attempt.giveUp(this.#isStopped ? 'shutdown' : 'not_read');
  }

  /** @param failure before its response began; undefined if that has begun */
  outcome(failure: unknown): Outcome {
    const attempt = this.#attempt;
    const ending = attempt?.ending ?? 'unused';
    return {
      ending: ending === 'open' ? 'not_read' : ending,
      usage: attempt?.usage(),
      usageIsComplete: attempt?.usageIsComplete === true,
      textTokens: () => attempt?.textTokens() ?? 0,
      modelAnswered: attempt?.model(),
      target: attempt?.target,
      attempts: attempt === undefined ? 0 : 1,
      ...endOf(failure, ending),
      latencyMs: this.#sinceAttempt() ?? 0,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #sinceAttempt(): number | undefined {
    return this.#attemptAt === undefined ? undefined : this.#deps.clock.monotonic() - this.#attemptAt;
  }

  #abort(error: Error): void {
    this.#aborted ??= error;
    this.#abortable?.abort(error);
  }

  #check(): void {
    const { clock, times, timers, streamed } = this.#deps;
    const now = clock.monotonic();
    this.#cancelCheck = timers.after(checkMs, () => this.#check());
    const silentMs = this.#hasByte ? times.idleMs : times.firstByteMs;
    const isSilent = streamed && this.#attempt !== undefined && now - this.#lastAt >= silentMs;
    if (now - this.#startedAt >= times.totalMs) this.#abort(timeout('the total time is over'));
    // Its target is too slow, which counts like that of every attempt: the copy itself is not aborted.
    else if (isSilent) this.#abortable?.abort(timeout('nothing came'));
  }
}

function timeout(why: string): GatewayError {
  return new GatewayError('upstream_timeout', { cause: new Error(why) });
}

/** Nobody reads a response that is cut after it has begun, but its row of usage is that of a failure. */
function endOf(failure: unknown, ending: Received['ending']): Pick<Outcome, 'status' | 'errorSource' | 'errorCode'> {
  if (failure === undefined && ending === 'whole') return { status: 200, errorSource: undefined, errorCode: undefined };
  const error = failure ?? new GatewayError(ending === 'timed_out' ? 'upstream_timeout' : 'upstream_protocol_error');
  const { status, source, code } = errorResponse(error);
  return { status, errorSource: source, errorCode: code };
}
