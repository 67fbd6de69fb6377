// THE REQUEST PATH, read top to bottom. Each stage has one name, here and in docs, logs and metrics. A stage refuses by
// throwing a GatewayError; whatever is thrown is answered once, below.
import { type AttachedKey, withAttachedKey } from '../access/attached-key.ts';
import { type AuthenticatorDeps, authenticate, type Caller } from '../access/authenticator.ts';
import { readCredentials } from '../access/credentials.ts';
import type { ChatCall } from '../call.ts';
import { GatewayError } from '../errors.ts';
import { withOutputCeiling } from '../formats/chat-completions/read-request.ts';
import type { Guardrails, OutputGuard } from '../guardrails/guardrail.ts';
import type { Hold, Ledger } from '../ledger/ledger.ts';
import type { LoopTurns } from '../loop-turns.ts';
import { withNearest } from '../unknown-model.ts';
import type { Dispatch } from '../upstream/dispatch.ts';
import type { Admission } from './admission.ts';
import { type AuthorizeDeps, authorize, routeTarget } from './authorize.ts';
import { type BodyLimits, readBody } from './body.ts';
import type { Exchange, RequestRecord } from './exchange.ts';
import { matchRoute, type Route } from './match.ts';
import { modelList, oneModel } from './models.ts';
import { outcomeOf } from './outcome.ts';
import { parseBody, turnFor } from './parse-body.ts';
import type { ReadOn } from './read-on.ts';
import { relay } from './relay.ts';
import { type Handler, type LifecycleDeps, withLifecycle } from './request-lifecycle.ts';
import { respondError, respondJson } from './respond.ts';

export interface HandlerDeps extends AuthenticatorDeps, AuthorizeDeps, LifecycleDeps {
  readonly admission: Admission;
  readonly bodyLimits: BodyLimits;
  /** In which requests are worked through. */
  readonly turns: LoopTurns;
  readonly guardrails: Guardrails;
  readonly ledger: Ledger;
  readonly dispatch: Dispatch;
  readonly readOn: ReadOn;
  /** For requests that bring no virtual key. */
  readonly attachedKey?: AttachedKey | undefined;
  isDraining(): boolean;
}

export function createHandler(deps: HandlerDeps): Handler {
  return withLifecycle(deps, (exchange) => respond(exchange, deps));
}

async function respond(exchange: Exchange, deps: HandlerDeps): Promise<void> {
  const { headers, record, request } = exchange;
  // accept: a gateway that stops takes nothing new; callers are sent to another one.
  if (deps.isDraining()) throw new GatewayError('draining', { retryAfter: 1 });

  // match
  const route = matchRoute(request.method ?? '', request.url ?? '', deps.providers);
  record.route = route.kind;
  const provider = route.kind === 'chat' ? route.provider : undefined;

  // authenticate: all that headers decide, before a byte of the body is read.
  const onProviderRoute = provider !== undefined;
  const keyed = withAttachedKey(headers, onProviderRoute, deps.attachedKey?.current);
  const caller = await authenticate(deps, readCredentials(keyed, onProviderRoute), exchange.address);
  noteCaller(record, caller);
  const target = route.kind === 'chat' ? routeTarget(deps, route, headers) : undefined;

  // admit: after authentication, so that strangers hold no place.
  exchange.ticket = deps.admission.admit(exchange.owner);
  const turn = deps.turns.begin(exchange.owner);
  if (turn !== undefined) await turn;
  if (route.kind !== 'chat') return respondModels(exchange, deps, route, caller);

  // read; what is large is parsed in its organization's turn, and written anew for the provider in another one.
  const body = await readBody(exchange, deps.bodyLimits, deps.turns);
  const parsing = parseBody(exchange, body, deps.turns);
  const chatRequest = parsing instanceof Promise ? await parsing : parsing;
  record.streamed = chatRequest.stream;

  // authorize
  const authorized = authorize(deps, {
    requestId: exchange.id,
    caller,
    request: chatRequest,
    headers,
    routeProvider: provider,
    routeTarget: target,
  });
  record.provider = authorized.provider.name;
  record.model = nameWithin(authorized.qualifiedModel);
  if (record.model !== authorized.model) record.modelSent = authorized.model;
  record.catalogName = authorized.catalogModel?.name;
  record.providerKeyId = authorized.targets[0]?.providerKeyId;

  // inspect
  const inspecting = deps.guardrails.inspect(authorized, exchange);
  const { call, output } = inspecting instanceof Promise ? await inspecting : inspecting;

  // reserve: for at most as long as its budgets and limits hold; what it may put out at most may be part of it.
  const reserved = deps.ledger.reserve(call);
  const hold = reserved instanceof Promise ? await reserved : reserved;
  record.limitHeaders = hold.headers;
  let failure: unknown;
  try {
    // dispatch, then relay: committed at the first byte, which output guardrails let go when they have decided about it.
    const sending = turnFor(exchange, body, deps.turns);
    if (sending !== undefined) await sending;
    const result = await dispatched(deps.dispatch(held(call, hold), exchange), output);
    if (result.kind === 'complete') record.costText = costText(exchange, hold);
    await relay(exchange, output === undefined ? result : await output.guard(result));
  } catch (error) {
    failure = withNearest(error, call);
    respondError(exchange, failure);
  }
  // read on: what its caller does not take any more is read for its usage alone.
  const reading = deps.readOn.finish(exchange, caller.principal.organization);
  if (reading !== undefined) await reading;
  // settle: always, exactly once, and by what the provider has reported, whether or not it came to the caller.
  settle(exchange, hold, failure);
}

/** What a provider says of a failure is told as an answer is: as output guardrails leave it. */
async function dispatched<T>(result: T | Promise<T>, output: OutputGuard | undefined): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw output === undefined ? error : output.failure(error);
  }
}

function settle(exchange: Exchange, hold: Hold, failure: unknown): void {
  const { record } = exchange;
  const outcome = outcomeOf(exchange, failure);
  const { cost, estimateReason } = hold.settle(outcome);
  record.usage = outcome.usage;
  record.modelAnswered = outcome.modelAnswered;
  record.costNano = cost;
  record.estimateReason = estimateReason;
}

/** `<provider>/<name>` → `<name>` */
function nameWithin(qualifiedModel: string): string {
  return qualifiedModel.slice(qualifiedModel.indexOf('/') + 1);
}

/** Of a whole response, where its usage is. */
function costText({ attempt }: Exchange, hold: Hold): string | undefined {
  const usage = attempt?.usageIsComplete === true ? attempt.usage() : undefined;
  return usage && hold.costText(usage);
}

/** The call with what the ledger has to say: the most that it may put out, and what its usage costs where a chunk tells it. */
function held(call: ChatCall, hold: Hold): ChatCall {
  const { outputCeiling } = hold;
  if (outputCeiling === undefined && !call.request.includeUsage) return call;
  return {
    ...call,
    ...(outputCeiling !== undefined && { request: withOutputCeiling(call.request, outputCeiling) }),
    ...(call.request.includeUsage && { costText: (usage) => hold.costText(usage) }),
  };
}

function noteCaller(record: RequestRecord, { principal, project, direct }: Caller): void {
  record.organizationId = principal.organization.id;
  record.keyId = principal.key.keyId;
  record.projectKeyId = project?.key.keyId;
  record.direct = direct;
}

function respondModels(
  exchange: Exchange,
  deps: HandlerDeps,
  route: Exclude<Route, { kind: 'chat' }>,
  caller: Caller,
): void {
  respondJson(exchange, route.kind === 'models' ? modelList(caller, deps) : oneModel(caller, deps, route.id));
}
