// A guardrail's question to a model: a call of its own through the providers. It has a price, a reservation and usage
// of its own, under the id of the request that caused it. It does not pass guardrails, so none checks its own
// questions. Rate limits and the callers' allow-lists do not apply, because the organization has chosen the model, not
// the caller.
import { isObject, objectsOf, parseJson } from '../../common/json.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { ChatCall, Outcome } from '../call.ts';
import { GatewayError } from '../errors.ts';
import { withOutputCeiling } from '../formats/chat-completions/read-request.ts';
import { NotRequestedError, ServiceFailedError } from '../guardrails/service.ts';
import type { AskModel, ModelQuestion } from '../guardrails/services/model.ts';
import type { Ledger, Reservation } from '../ledger/ledger.ts';
import type { Dispatch, DispatchContext } from '../routing/dispatch.ts';
import type { AttemptResult, Received } from '../upstream/attempt.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import { type AuthorizeDeps, authorize } from './authorize.ts';
import { RequestHeaders } from './headers.ts';

export interface GuardrailQuestionsDeps extends AuthorizeDeps {
  readonly ledger: Ledger;
  readonly dispatch: Dispatch;
  /** In milliseconds. */
  monotonic(): number;
}

export function createAskModel(deps: GuardrailQuestionsDeps): AskModel {
  return async (question, signal) => {
    signal.throwIfAborted();
    const call = callOf(deps, question);
    const reservation = await reserved(deps, call);
    const request = new ModelRequest(call, signal, deps.monotonic());
    try {
      const result = await deps.dispatch(withinReservation(reservation), request);
      const text = textOf(result);
      settle(reservation, request, deps);
      return text;
    } catch (error) {
      settle(reservation, request, deps, error);
      signal.throwIfAborted();
      throw failureOf(error);
    } finally {
      request.end();
    }
  };
}

/** @throws ServiceFailedError if the organization cannot call the model */
function callOf(deps: AuthorizeDeps, question: ModelQuestion): ChatCall {
  const { caller, requestId, guardrailId, model, messages, responseTokensMax } = question;
  const body = { model, messages: [...messages], max_completion_tokens: responseTokensMax };
  try {
    const call = authorize(deps, {
      requestId,
      caller: { ...caller, direct: false },
      request: {
        body,
        model,
        stream: false,
        includeUsage: false,
        messages: messages.map((message) => ({ ...message })),
        bytes: Buffer.byteLength(JSON.stringify(body)),
      },
      headers: new RequestHeaders([]),
      route: { provider: undefined, home: 'gpt-provider' },
      routeTarget: undefined,
      isGuardrails: true,
    });
    return { ...call, guardrailId };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // Otherwise there is no key, or the provider no longer exists.
    throw new ServiceFailedError(error.code === 'stopped_by_operator' ? 'stopped' : 'no_key', error);
  }
}

/** @throws NotRequestedError if the money is spent; ServiceFailedError if the model has no price */
async function reserved({ ledger }: GuardrailQuestionsDeps, call: ChatCall): Promise<Reservation> {
  try {
    return await ledger.reserve(call);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (notPriced.has(error.code)) throw new ServiceFailedError('no_price', error);
    throw new NotRequestedError('budget', { cause: error, refusal: error });
  }
}

const notPriced: ReadonlySet<string> = new Set(['model_not_priced', 'unsupported_parameter', 'invalid_request']);

/** Lowers the output limit if the reservation covers less than the question requests. */
function withinReservation({ call, outputCeiling }: Reservation): ChatCall {
  const requested = call.request.body.max_completion_tokens;
  if (outputCeiling === undefined || (typeof requested === 'number' && requested <= outputCeiling)) return call;
  return { ...call, request: withOutputCeiling(call.request, outputCeiling) };
}

/** The request on whose behalf dispatch works. */
class ModelRequest implements DispatchContext {
  readonly owner: ShareOwner;
  readonly startedAt: number;
  readonly #signal: AbortSignal;
  attempt: Received | undefined;
  attempts = 0;
  #abortable: { abort(error: Error): void } | undefined;
  readonly #aborted = () => this.#abortable?.abort(new GatewayError('upstream_timeout'));

  constructor({ caller: { principal } }: ChatCall, signal: AbortSignal, startedAt: number) {
    this.owner = { organization: principal.organization.id, key: principal.key.keyId };
    this.startedAt = startedAt;
    this.#signal = signal;
    signal.addEventListener('abort', this.#aborted, { once: true });
  }

  attemptStarted(attempt: Received): void {
    this.#signal.throwIfAborted();
    this.attempt = attempt;
    this.attempts++;
  }

  attemptFailed(): void {}

  get aborted(): Error | undefined {
    return this.#signal.aborted ? new GatewayError('upstream_timeout') : undefined;
  }

  /** Nothing to count: the response is short, and its size is limited like that of every response. */
  buffer(): void {}

  progress(): void {}

  onAbort(abortable: { abort(error: Error): void }): void {
    this.#abortable = abortable;
    if (this.#signal.aborted) this.#aborted();
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#aborted);
  }
}

function settle(
  reservation: Reservation,
  request: ModelRequest,
  { monotonic }: GuardrailQuestionsDeps,
  failure?: unknown,
): void {
  const { attempt, attempts, startedAt } = request;
  const ending = attempt?.ending ?? 'unused';
  const outcome: Outcome = {
    usage: attempt?.usage(),
    ending: ending === 'open' ? 'not_read' : ending,
    usageIsComplete: attempt?.usageIsComplete === true,
    textTokens: () => attempt?.textTokens() ?? 0,
    modelAnswered: attempt?.model(),
    target: attempt?.target,
    attempts,
    ...endOf(failure),
    latencyMs: monotonic() - startedAt,
    firstTokenMs: undefined,
  };
  reservation.settle(outcome);
}

function endOf(failure: unknown): Pick<Outcome, 'status' | 'errorSource' | 'errorCode'> {
  if (failure === undefined) return { status: 200, errorSource: undefined, errorCode: undefined };
  if (failure instanceof ProviderFailure)
    return { status: failure.status, errorSource: 'provider', errorCode: failure.code };
  const code = failure instanceof GatewayError ? failure.code : 'internal_error';
  return {
    status: failure instanceof GatewayError ? failure.status : 500,
    errorSource: 'gateway',
    errorCode: code,
  };
}

/** @throws ServiceFailedError if the response has no text */
function textOf(result: AttemptResult): string {
  const response = result.kind === 'complete' ? parseJson(result.body.toString()) : undefined;
  const [choice] = objectsOf(isObject(response) ? response.choices : undefined);
  const message = choice?.message;
  const content = isObject(message) ? message.content : undefined;
  if (typeof content !== 'string' || content === '') throw new ServiceFailedError('answer');
  return content;
}

function failureOf(error: unknown): unknown {
  if (error instanceof ProviderFailure) return new ServiceFailedError('refused', error);
  if (!(error instanceof GatewayError)) return error;
  if (error.code === 'overloaded') return new NotRequestedError('busy', { cause: error });
  return new ServiceFailedError(error.code === 'upstream_protocol_error' ? 'answer' : 'unreachable', error);
}
