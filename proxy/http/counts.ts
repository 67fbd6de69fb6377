// Counts the tokens of a request: with the vendor's own counter where it has one, else by the estimate of the
// reservation. Agents count often and treat a failure as fatal, so a counter that fails is replaced by the estimate. It
// counts as a request, was inspected like every other one, and costs nothing.
import type { ChatCall } from '../call.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { ReadBody } from '../formats/chat-completions/read-request.ts';
import { NotCountedError } from '../formats/count-form.ts';
import type { OutputGuard } from '../guardrails/guardrail.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LoopScheduler } from '../loop-scheduler.ts';
import { counterOf, nativeFormat } from '../providers/provider.ts';
import { estimateTokens } from '../rates/estimate.ts';
import type { Dispatch, DispatchContext } from '../routing/dispatch.ts';
import type { AttemptResult } from '../upstream/attempt.ts';
import type { Exchange } from './exchange.ts';
import { settle } from './outcome.ts';
import { scheduled } from './parse-body.ts';
import { relay } from './relay.ts';
import { respondError, respondJson } from './respond.ts';

export interface CountDeps {
  readonly ledger: Ledger;
  readonly dispatch: Dispatch;
  readonly loop: LoopScheduler;
  /** How long a vendor may take for a count. */
  readonly countMs: number;
}

/** A vendor counts in a fraction of a second, and agents wait for it before each turn. */
export const countMsMax = 10_000;

/** An authorized and inspected request. */
export interface InspectedRequest {
  readonly call: ChatCall;
  /** Inspects the provider's error. */
  readonly output: OutputGuard | undefined;
  readonly body: ReadBody;
}

export async function respondCount(exchange: Exchange, deps: CountDeps, counted: InspectedRequest): Promise<void> {
  const { output } = counted;
  const { record } = exchange;
  // The first target's counter, or the estimate: no other model counts the same.
  const call = firstOf(counted.call);
  const reservation = await deps.ledger.reserve({ ...call, countsOnly: true });
  record.limitHeaders = reservation.headersAt();
  let failure: unknown;
  try {
    const result = hasCounter(call) ? await byVendor(exchange, deps, { ...counted, call }) : undefined;
    if (result === undefined) respondEstimate(exchange, call);
    else await relay(exchange, result);
  } catch (error) {
    failure = output === undefined ? error : output.failure(error);
    respondError(exchange, failure);
  }
  const { attempt } = exchange;
  if (attempt?.ending === 'open') attempt.giveUp('left');
  settle(exchange, reservation, failure);
}

/** A count has no output that a route could limit. */
function firstOf(call: ChatCall): ChatCall {
  return call.route === undefined ? call : { ...call, alternatives: undefined, overrides: undefined };
}

function respondEstimate(exchange: Exchange, call: ChatCall): void {
  const { record, format } = exchange;
  if (format.translation === undefined) throw new GatewayError('route_not_found');
  record.countEstimate = hasCounter(call) ? 'counter_failed' : 'no_counter';
  record.limitHeaders = [...record.limitHeaders, 'x-svc-estimated', 'true'];
  respondJson(exchange, format.translation.writeCount(estimateTokens(call, 0).input));
}

function hasCounter(call: ChatCall): boolean {
  const [target] = call.targets;
  return target !== undefined && counterOf({ ...call, target }) !== undefined;
}

/** @returns undefined if the vendor has not counted */
async function byVendor(
  exchange: Exchange,
  deps: CountDeps,
  { call, body }: InspectedRequest,
): Promise<AttemptResult | undefined> {
  try {
    const sending = scheduled(exchange, body, deps.loop);
    if (sending !== undefined) await sending;
    return await inTime(exchange, deps, call);
  } catch (error) {
    exchange.throwIfAborted();
    if (!isReplaced(error, call)) throw error;
    return undefined;
  } finally {
    exchange.waitFor(undefined);
  }
}

async function inTime(exchange: Exchange, { dispatch, countMs }: CountDeps, call: ChatCall): Promise<AttemptResult> {
  let abortable: Parameters<Exchange['onAbort']>[0] | undefined;
  let late: Error | undefined;
  const context: DispatchContext = {
    owner: exchange.owner,
    get aborted() {
      return late ?? exchange.aborted;
    },
    attemptStarted: (attempt) => exchange.attemptStarted(attempt),
    attemptFailed: () => exchange.attemptFailed(),
    buffer: (bytes) => exchange.buffer(bytes),
    progress: () => exchange.progress(),
    onAbort: (started) => {
      abortable = started;
      exchange.onAbort(started);
    },
  };
  const timer = setTimeout(() => {
    late = new GatewayError('upstream_timeout', { cause: new Error('the count took too long') });
    abortable?.abort(late, exchange);
  }, countMs);
  try {
    return await dispatch(call, context, { charge: isFree, move: isFree });
  } finally {
    clearTimeout(timer);
  }
}

/** No count costs anything, however it ended. */
function isFree(): boolean {
  return true;
}

const counterFailures: ReadonlySet<ErrorCode> = new Set([
  ...(['upstream_unreachable', 'upstream_protocol_error', 'upstream_timeout'] as const),
]);

/** What only another format of the vendor cannot express needs no refusal here: the count is none of its responses. */
const notWritten: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'unsupported_parameter']);

/** Whether the estimate replaces the failure. */
function isReplaced(error: unknown, { request, model, targets: [target] }: ChatCall): boolean {
  if (error instanceof NotCountedError) return true;
  if (!(error instanceof GatewayError)) return false;
  if (counterFailures.has(error.code)) return true;
  const isNative = target !== undefined && nativeFormat({ request, target, model }) !== undefined;
  return !isNative && notWritten.has(error.code);
}
