// THE REQUEST PATH, read top to bottom. Each stage has one name, here and in docs, logs and metrics. A stage refuses by
// throwing a GatewayError; every thrown error is turned into one response, below.
import { type AttachedKey, withAttachedKey } from '../access/attached-key.ts';
import { type AuthenticatorDeps, authenticate, type Caller } from '../access/authenticator.ts';
import { captureRulesOf } from '../access/capture.ts';
import { readCredentials } from '../access/credentials.ts';
import { type ChatCall, callAt } from '../call.ts';
import type { Captures } from '../captures/captures.ts';
import { clientFormats } from '../client-formats.ts';
import type { CostText } from '../conversation/usage.ts';
import { GatewayError } from '../errors.ts';
import { type ClientReading, withOutputCeiling } from '../formats/chat-completions/read-request.ts';
import type { ClientFormatName } from '../formats/client-format.ts';
import type { Guardrails, Inspection, OutputGuard } from '../guardrails/guardrail.ts';
import type { Ledger, Reservation } from '../ledger/ledger.ts';
import type { LoopScheduler } from '../loop-scheduler.ts';
import { refusePricedOptions } from '../pricing/dear-fields.ts';
import type { PriceTable } from '../pricing/price-book.ts';
import type { Lookup, LookupContext, ResponseCache } from '../response-cache/response-cache.ts';
import { withNearest } from '../unknown-model.ts';
import type { AttemptResult } from '../upstream/attempt.ts';
import { type Admission, standingOf } from './admission.ts';
import { type AuthorizeDeps, authorize, routeTarget } from './authorize.ts';
import type { BackgroundResponses, BackgroundSlot } from './background-responses.ts';
import { type BodyLimits, readBody } from './body.ts';
import { respondCached, withUsage } from './cached-response.ts';
import { inClientFormat } from './client-response.ts';
import { type CountDeps, type InspectedRequest, respondCount } from './counts.ts';
import type { Exchange, RequestRecord } from './exchange.ts';
import { hedging } from './hedging.ts';
import { type ChatRoute, clientFormatOf, findTarget, matchRoute, type Route, type StoredRoute } from './match.ts';
import { listedModel, listedModels, type ModelsDeps } from './models.ts';
import { attemptMoney, outcomeOf, settle } from './outcome.ts';
import { inSlices, parseBody, scheduled } from './parse-body.ts';
import type { ReadOn } from './read-on.ts';
import { relay } from './relay.ts';
import { type Handler, type LifecycleDeps, withLifecycle } from './request-lifecycle.ts';
import { respondError, respondJson } from './respond.ts';
import type { Shadows } from './shadows.ts';
import { withOwner, withSealedIds } from './stored-ids.ts';
import { respondStored, type StoredDeps } from './stored-responses.ts';
import { requestTags } from './tags.ts';

export interface HandlerDeps
  extends AuthenticatorDeps,
    AuthorizeDeps,
    ModelsDeps,
    LifecycleDeps,
    StoredDeps,
    CountDeps {
  /** The routes of other formats are unknown paths. */
  readonly servedFormats: ReadonlySet<ClientFormatName>;
  readonly prices: PriceTable;
  readonly admission: Admission;
  readonly bodyLimits: BodyLimits;
  /** Schedules the processing of requests on the event loop. */
  readonly loop: LoopScheduler;
  readonly guardrails: Guardrails;
  readonly responseCache: Pick<ResponseCache, 'lookup'>;
  readonly readOn: ReadOn;
  readonly shadows: Pick<Shadows, 'copy'>;
  readonly backgroundResponses: Pick<BackgroundResponses, 'admit' | 'poll' | 'pollSoon'>;
  readonly captures: Pick<Captures, 'begin'>;
  /** For requests without a virtual key. */
  readonly attachedKey?: AttachedKey | undefined;
  isDraining(): boolean;
}

export function createHandler(deps: HandlerDeps): Handler {
  const record = (exchange: Exchange) => {
    deps.record(exchange);
    endCapture(exchange);
  };
  return withLifecycle({ ...deps, record }, (exchange) => respond(exchange, deps));
}

async function respond(exchange: Exchange, deps: HandlerDeps): Promise<void> {
  const { headers, record, request } = exchange;
  // accept: a gateway that is about to stop accepts nothing new; callers are sent to another one.
  if (deps.isDraining()) throw new GatewayError('draining', { retryAfter: 1 });

  // match
  const { method = '', url = '' } = request;
  const found = findTarget(url);
  const clientFormat = clientFormatOf(found, headers, deps.servedFormats);
  if (!deps.servedFormats.has(clientFormat)) throw new GatewayError('route_not_found');
  exchange.format = clientFormats[clientFormat];
  const route = matchRoute(method, found, deps.providers);
  record.route = route.kind === 'chat' && route.counts === true ? 'count' : route.kind;
  record.clientFormat = clientFormat;

  // authenticate: everything that headers decide, before a byte of the body is read.
  const onProviderRoute = route.kind === 'chat' && route.provider !== undefined;
  const keyed = withAttachedKey(headers, onProviderRoute, deps.attachedKey?.current);
  const caller = await authenticate(deps, readCredentials(keyed, onProviderRoute), exchange.address);
  noteCaller(record, caller);
  record.isCaptured = captureRulesOf(caller.principal, deps.now()).length > 0;
  const target = route.kind === 'chat' ? routeTarget(deps, route, headers) : undefined;

  // admit: after authentication, so that unauthenticated callers hold no slot.
  exchange.ticket = deps.admission.admit(exchange.owner, standingOf(caller.principal));
  const grant = deps.loop.begin(exchange.owner);
  if (grant !== undefined) await grant;
  if (route.kind === 'stored') return respondStored(exchange, deps, route, caller);
  if (route.kind !== 'chat') return respondModels(exchange, deps, route, caller);

  // read: a larger body is parsed when its organization gets time on the event loop. Writing it for the provider waits
  // for time again.
  const body = await readBody(exchange, deps.bodyLimits, deps.loop);
  const client = clientReading(exchange, route);
  const parsing = parseBody(exchange, { ...body, modelInPath: route.model, client }, deps.loop);
  const chatRequest = parsing instanceof Promise ? await parsing : parsing;
  exchange.client = chatRequest.client;
  record.streamed = chatRequest.stream;
  record.modelRequested = chatRequest.model;

  const tags = requestTags(caller, { request: chatRequest, headers, format: exchange.format });
  record.tags = tags;
  const tagged = tags === undefined ? caller : { ...caller, tags };

  // authorize
  const input = { requestId: exchange.id, caller: tagged, request: chatRequest, headers, route, routeTarget: target };
  const authorized = withOwner(authorize(deps, input));
  exchange.authorized(authorized);
  refusePricedOptions(authorized);

  // inspect
  const inspecting = deps.guardrails.inspect(authorized, exchange);
  const inspected = inspecting instanceof Promise ? await inspecting : inspecting;
  const { call, output: guard } = inspected;
  // A compaction contains the inspected input, and text that only its vendor can read.
  const output = route.compacts === true ? undefined : guard;

  if (route.counts === true) return respondCount(exchange, deps, { call, output, body });
  if (record.isCaptured) beginCapture(exchange, deps, { ...inspected, keepsResponse: output === guard });
  return respondByModel(exchange, deps, { call, output, body });
}

interface CapturedCall extends Inspection {
  /** Guardrails that apply to the response inspect it. */
  readonly keepsResponse: boolean;
}

/** A request of which a guardrail did not inspect all is not captured, and neither is its response, which may quote it. */
function beginCapture(exchange: Exchange, deps: HandlerDeps, { call, restored, keepsResponse }: CapturedCall): void {
  if (exchange.record.withheldStages !== undefined) return;
  exchange.capture = deps.captures.begin({
    principal: call.caller.principal,
    id: exchange.rowId(deps.now()),
    requestId: exchange.id,
    request: call.request,
    headers: exchange.headers,
    restored,
    keepsResponse,
    openTexts: () => exchange.format.openTexts(exchange.client?.path.framing),
  });
}

function endCapture({ capture, record }: Exchange): void {
  if (capture === undefined) return;
  if (record.withheldStages?.includes('output')) capture.forgetResponse();
  capture.end(record.status >= 400);
}

function respondByModel(exchange: Exchange, deps: HandlerDeps, inspected: InspectedRequest): Promise<void> {
  // look up: a cached response needs no provider, and no money unless its route charges some.
  const { call } = inspected;
  const lookup = call.route && deps.responseCache.lookup(call, () => lookupContext(exchange, deps.loop));
  return lookup === undefined
    ? respondFromProvider(exchange, deps, inspected)
    : respondThroughCache(exchange, deps, { ...inspected, lookup });
}

async function respondThroughCache(
  exchange: Exchange,
  deps: HandlerDeps,
  { lookup, ...inspected }: InspectedRequest & { readonly lookup: Lookup },
): Promise<void> {
  try {
    const found = await lookup.find();
    if (found === undefined) await respondFromProvider(exchange, deps, { ...inspected, lookup });
    else await respondCached(exchange, deps, { ...inspected, found });
  } finally {
    lookup.end();
  }
}

interface DispatchedRequest extends InspectedRequest {
  /** Stores the response. */
  readonly lookup?: Lookup | undefined;
}

async function respondFromProvider(
  exchange: Exchange,
  deps: HandlerDeps,
  { call: inspected, output, body, lookup }: DispatchedRequest,
): Promise<void> {
  const { record } = exchange;
  // reserve: waits at most as long as budgets and limits allow; the reservation may limit the output tokens, and leave
  // targets of a route out.
  const slot = deps.backgroundResponses.admit(inspected, exchange.owner);
  const reserved = reserve(deps.ledger, inspected, slot);
  const reservation = reserved instanceof Promise ? await reserved : reserved;
  const { call } = reservation;
  exchange.reservation = reservation;
  if (call.route !== undefined) exchange.authorized(call);
  record.limitHeaders = reservation.headersAt();
  let failure: unknown;
  try {
    // dispatch, then relay: committed at the first byte, which output guardrails release once they have decided about
    // it.
    const sending = scheduled(exchange, body, deps.loop);
    if (sending !== undefined) await sending;
    const dispatching = deps.dispatch(
      dispatchedCall(call, reservation, { output, lookup }),
      exchange,
      attemptMoney,
      hedging,
    );
    deps.shadows.copy(inspected, exchange, dispatching);
    const result = await dispatched(dispatching, output);
    exchange.responded();
    if (result.kind === 'complete') record.costText = costText(exchange, reservation);
    const recorded = lookup === undefined ? result : await lookup.record(result);
    const guarded = output === undefined ? recorded : await output.guard(recorded);
    const passed = lookup === undefined ? guarded : stored(guarded, { lookup, exchange, call, reservation });
    const written = inClientFormat(passed, call.request.client, {
      elapsedMs: () => exchange.elapsedMs,
      inSlices: (steps) => inSlices(exchange, steps, deps.loop),
      isGuarded: output !== undefined,
    });
    await relay(
      exchange,
      withSealedIds(written instanceof Promise ? await written : written, sentCall(exchange, call)),
    );
  } catch (error) {
    failure = withNearest(error, sentCall(exchange, call));
    respondError(exchange, failure);
  }
  // An attempt that was to follow on a stream has to be over before anything is settled.
  if (exchange.recovering?.following !== undefined) await exchange.recovering.following;
  // read on: a response that the caller no longer reads is read only for its usage.
  const reading = deps.readOn.finish(exchange, call.caller.principal.organization);
  if (reading !== undefined) await reading;
  // settle: always, exactly once, by the usage that the provider reported, even if the caller did not get it. A
  // response in the background is settled when it is over.
  if (slot !== undefined && isUnfinished(exchange)) follow(exchange, { reservation, failure, slot });
  else {
    slot?.release();
    settle(exchange, reservation, failure);
  }
}

function reserve(ledger: Ledger, call: ChatCall, slot: BackgroundSlot | undefined): Reservation | Promise<Reservation> {
  return slot === undefined ? ledger.reserve(call) : reserveWithin(slot, ledger, call);
}

async function reserveWithin(slot: BackgroundSlot, ledger: Ledger, call: ChatCall): Promise<Reservation> {
  try {
    return await ledger.reserve(call);
  } catch (error) {
    slot.release();
    throw error;
  }
}

/** Output guardrails also inspect a provider's error. */
async function dispatched<T>(result: T | Promise<T>, output: OutputGuard | undefined): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw output === undefined ? error : output.failure(error);
  }
}

/** Whether the vendor generates the response, or may do so, and has not reported its usage. */
function isUnfinished({ attempt }: Exchange): boolean {
  return attempt !== undefined && !attempt.usageIsComplete && Boolean(attempt.responseId());
}

interface Unfinished {
  readonly reservation: Reservation;
  readonly failure: unknown;
  readonly slot: BackgroundSlot;
}

/** Nothing that is kept refers to the texts of the request, or to what was received. */
function follow(exchange: Exchange, { reservation, failure, slot }: Unfinished): void {
  const { record } = exchange;
  const target = exchange.attempt?.target;
  const id = exchange.attempt?.responseId();
  if (target === undefined || !id) throw new Error('the response is not stored');
  const outcome = outcomeOf(exchange, failure, exchange.attempt);
  const textTokens = outcome.textTokens();
  record.modelAnswered = outcome.modelAnswered;
  slot.follow({
    ...{ requestId: exchange.id, id, target, record },
    outcome: { ...outcome, textTokens: () => textTokens },
    reservation: reservation.outlasting(),
  });
}

function sentCall({ attempt }: Exchange, call: ChatCall): ChatCall {
  return callAt(call, attempt?.target);
}

/** The cost of a whole response, if it has a complete usage. */
function costText({ attempt }: Exchange, reservation: Reservation): string | undefined {
  const usage = attempt?.usageIsComplete === true ? attempt.usage() : undefined;
  return usage && reservation.costText(usage, attempt?.target);
}

interface Storing {
  readonly lookup: Lookup;
  readonly exchange: Exchange;
  readonly call: ChatCall;
  readonly reservation: Reservation;
}

/** Stores the response at its end. What is stored has no cost, so the caller's is added here. */
function stored(guarded: AttemptResult, { lookup, exchange, call, reservation }: Storing): AttemptResult {
  // The usage chunk has the output of all attempts, and less than what the prices of some models need.
  const costOf: CostText = (shown) =>
    reservation.costText(exchange.attempt?.usage() ?? shown, exchange.attempt?.target);
  return withUsage(lookup.storing(guarded), call, costOf);
}

/** Adds to the call: the maximum of output tokens, the cost for the usage chunk, and whether its response is read. */
function dispatchedCall(
  call: ChatCall,
  reservation: Reservation,
  { output, lookup }: { readonly output: OutputGuard | undefined; readonly lookup: Lookup | undefined },
): ChatCall {
  // Each target of a route has a ceiling of its own in the call.
  const outputCeiling = call.route === undefined ? reservation.outputCeiling : undefined;
  const isStored = lookup !== undefined;
  if (outputCeiling === undefined && output === undefined && !isStored && !call.request.includeUsage) return call;
  const request = outputCeiling === undefined ? call.request : withOutputCeiling(call.request, outputCeiling);
  return {
    ...call,
    ...((output !== undefined || isStored) && { isGuarded: true }),
    // A stored stream has its usage, because a later caller may request it.
    request: isStored && request.stream ? { ...request, includeUsage: true } : request,
    ...(call.request.includeUsage && !isStored && { costText: (usage, target) => reservation.costText(usage, target) }),
  };
}

/** How to read the body of a client that does not speak chat completions. */
function clientReading(
  { format: { translation }, headers }: Exchange,
  { counts, compacts, stream, framing }: Pick<ChatRoute, 'counts' | 'compacts' | 'stream' | 'framing'>,
): ClientReading | undefined {
  if (translation === undefined) return undefined;
  const forwarded = headers.matching((name) => translation.forwardsHeader(name));
  return { translation, headers: forwarded, path: { counts, compacts, stream, framing } };
}

function lookupContext(exchange: Exchange, loop: LoopScheduler): LookupContext {
  return {
    get aborted() {
      return exchange.aborted;
    },
    get attempt() {
      return exchange.attempt;
    },
    record: exchange.record,
    onAbort: (abortable) => exchange.onAbort(abortable),
    waitFor: (what) => exchange.waitFor(what),
    buffer: (bytes) => exchange.buffer(bytes),
    inSlices: (steps) => inSlices(exchange, steps, loop),
  };
}

function noteCaller(record: RequestRecord, { principal, project, direct }: Caller): void {
  record.organizationId = principal.organization.id;
  record.keyId = principal.key.keyId;
  record.scope = principal.key.scope;
  record.isRecorded = principal.organization.recordsNoRequests !== true;
  record.projectKeyId = project?.key.keyId;
  record.direct = direct;
}

function respondModels(
  exchange: Exchange,
  deps: HandlerDeps,
  route: Exclude<Route, ChatRoute | StoredRoute>,
  caller: Caller,
): void {
  const { models } = exchange.format;
  respondJson(
    exchange,
    route.kind === 'models'
      ? models.list(listedModels(caller, deps), route.query)
      : models.one(listedModel(caller, deps, route.id)),
  );
}
