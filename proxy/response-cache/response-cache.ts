// Responses of routes that store them, returned to equal requests of the same organization. A request looks its response
// up after everything that may refuse it, except limits and money; what is found passes the request's own output
// guardrails. Nothing here fails a request: without Redis, without memory, or with a value that does not open, it is a
// miss.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import type { RecordKey } from '../access/organization-key.ts';
import type { Route, RouteCache } from '../access/routes.ts';
import { type CallTarget, type ChatCall, callTargets, targetWith } from '../call.ts';
import type { Opaque } from '../conversation/opaque.ts';
import type { Usage } from '../conversation/usage.ts';
import { largeBytes } from '../formats/chat-completions/read-request.ts';
import type { Target } from '../providers/provider.ts';
import type { AttemptResult, Received, StreamResult, StreamSink } from '../upstream/attempt-result.ts';
import { PassedStream } from '../upstream/passed-stream.ts';
import { cacheKeyOf, decisiveText } from './cache-key.ts';
import { type CachedResponse, type CachedTarget, openResponse, sealResponse } from './cached-response.ts';
import { areForeign, issuersIn, overridesText, reasonNotToLookUp } from './keepable.ts';
import { type Recorded, Recorder } from './recorder.ts';
import { replayed } from './replay.ts';
import type { ResponseStore } from './response-store.ts';
import type { ignoredReasons, lookupResults, NotStored } from './results.ts';
import { Leader, SingleFlight, Waiter } from './single-flight.ts';

export interface ResponseCacheMetrics {
  lookedUp(result: (typeof lookupResults)[number]): void;
  notStored(reason: NotStored): void;
  ignored(reason: (typeof ignoredReasons)[number]): void;
}

export interface ResponseCacheDeps {
  /** Undefined without Redis: then equal requests at the same time still share a response. */
  readonly store: ResponseStore | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly background: Background;
  readonly metrics: ResponseCacheMetrics;
}

/** The parts of the request that a look-up needs. */
export interface LookupContext {
  /** The error that aborted the request. */
  readonly aborted: Error | undefined;
  readonly attempt: Received | undefined;
  readonly record: {
    cache: 'hit' | 'miss' | undefined;
    readonly attempts: number;
    readonly guardrailsNotPassed: string | undefined;
  };
  onAbort(abortable: { abort(error: Error): void }): void;
  /** As for the head of a response: in a stream it may take only so long. */
  waitFor(what: 'head' | undefined): void;
  /** Accounts memory. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** Does a large piece of work in slices. */
  inSlices<T>(steps: Generator<void, T>): Promise<T>;
}

/** A cached response for this request. */
export interface CacheHit {
  readonly stored: CachedResponse;
  /** In the form that the request is for, as chat completions. */
  readonly result: AttemptResult;
  /** The part of the call whose target sent it, with that target alone. */
  readonly at: CallTarget;
  readonly cache: RouteCache;
}

export class ResponseCache {
  readonly #deps: ResponseCacheDeps;
  readonly #flights = new SingleFlight<CachedResponse>();

  constructor(deps: ResponseCacheDeps) {
    this.#deps = deps;
  }

  /**
   * @param call after the inspection of its input
   * @param contextOf called if the route stores responses
   * @returns undefined if its route stores nothing, or nothing for such a request; else the caller must call `end`
   */
  lookup(call: ChatCall, contextOf: () => LookupContext): Lookup | undefined {
    const { organization } = call.caller.principal;
    const route = call.route && organization.routes.get(call.route.name);
    if (route?.cache === undefined) return undefined;
    const context = contextOf();
    context.record.cache = 'miss';
    const reason = reasonNotToLookUp(call);
    const [recordKey] = organization.recordKeys ?? [];
    if (reason === undefined && recordKey !== undefined) {
      return new Lookup(this.#deps, this.#flights, { call, context, recordKey, route, cache: route.cache });
    }
    this.#deps.metrics.lookedUp('miss');
    this.#deps.metrics.notStored(reason ?? 'no_record_key');
    return undefined;
  }
}

interface LookupParts {
  readonly call: ChatCall;
  readonly context: LookupContext;
  readonly recordKey: RecordKey;
  readonly route: Route;
  readonly cache: RouteCache;
}

/** A clock of another proxy may be ahead by this much. */
const clockSkewMs = 30_000;
/** A leader that does not read for so long keeps nobody waiting. */
const pausedMsMax = 1000;

export class Lookup {
  readonly #deps: ResponseCacheDeps;
  readonly #flights: SingleFlight<CachedResponse>;
  readonly #parts: LookupParts;
  readonly #cacheKey: Buffer;
  /** The parts of the request that only one account can read. */
  readonly #opaque: readonly Opaque[];
  readonly #notPassed: string | undefined;
  #leader: Leader<CachedResponse> | undefined;
  #recorder: Recorder | undefined;
  #attempts = 0;
  #headers: readonly string[] = [];
  #cancelTimer: (() => void) | undefined;

  constructor(deps: ResponseCacheDeps, flights: SingleFlight<CachedResponse>, parts: LookupParts) {
    this.#deps = deps;
    this.#flights = flights;
    this.#parts = parts;
    const text = decisiveText(parts.call);
    this.#opaque = issuersIn(text);
    this.#cacheKey = cacheKeyOf({ ...parts.call, route: parts.route, text }, parts.recordKey);
    this.#notPassed = parts.context.record.guardrailsNotPassed;
  }

  /**
   * @returns undefined if the request has to go to its provider
   * @throws the error that aborted the request; GatewayError overloaded
   */
  async find(): Promise<CacheHit | undefined> {
    const entered = this.#flights.enter(this.#cacheKey.toString('base64url'));
    const found = entered instanceof Waiter ? await this.#wait(entered) : await this.#read(entered);
    const { aborted, record } = this.#parts.context;
    if (aborted !== undefined) throw aborted;
    if (found === undefined) this.#deps.metrics.lookedUp('miss');
    else record.cache = 'hit';
    return found;
  }

  /** Records the response of the provider. @param result as chat completions */
  record(result: AttemptResult): AttemptResult | Promise<AttemptResult> {
    const { context } = this.#parts;
    this.#attempts = context.record.attempts;
    this.#headers = ownHeadersIn(result.headers);
    this.#recorder = new Recorder({
      buffer: (bytes) => context.buffer(bytes),
      onPaused: (isPaused) => this.#paused(isPaused),
      inSlices: (steps) => context.inSlices(steps),
    });
    return this.#recorder.record(result);
  }

  /** Stores the recorded response when this one, which has passed the output guardrails, is at its end. */
  storing(guarded: AttemptResult): AttemptResult {
    if (guarded.kind === 'stream') return new EndNoticed(guarded, () => this.#conclude());
    this.#conclude();
    return guarded;
  }

  /** The request is over, however it ended. */
  end(): void {
    this.#cancelTimer?.();
    this.#leader?.fail();
    if (this.#recorder === undefined) return;
    this.#recorder = undefined;
    this.#deps.metrics.notStored(this.#parts.context.aborted === undefined ? 'failed' : 'left');
  }

  async #wait(waiter: Waiter<CachedResponse>): Promise<CacheHit | undefined> {
    const { context } = this.#parts;
    // The watchdog ends only the wait where a first byte is late, and the request where its time is over.
    context.onAbort({ abort: () => waiter.leave() });
    if (context.aborted !== undefined) waiter.leave();
    context.waitFor('head');
    const waited = await waiter.result;
    context.waitFor(undefined);
    if (waited instanceof Leader) this.#leader = waited;
    if (waited instanceof Leader || waited === 'alone' || context.aborted !== undefined) return undefined;
    const found = await this.#usable(waited.value);
    if (found !== undefined) this.#deps.metrics.lookedUp('shared');
    return found;
  }

  async #read(entered: Leader<CachedResponse> | 'alone'): Promise<CacheHit | undefined> {
    if (entered === 'alone') return undefined;
    this.#leader = entered;
    const value = await this.#deps.store?.get(this.#at);
    if (value === undefined || this.#parts.context.aborted !== undefined) return undefined;
    const stored = openResponse(value, this.#cacheKey, this.#parts.recordKey);
    if (stored === undefined) return this.#ignore('unreadable');
    this.#parts.context.buffer(stored.body.length);
    const found = await this.#usable(stored);
    if (found === undefined) return undefined;
    this.#deps.metrics.lookedUp('hit');
    entered.share(stored);
    return found;
  }

  get #at() {
    return { organizationId: this.#parts.call.caller.principal.organization.id, cacheKey: this.#cacheKey };
  }

  async #usable(stored: CachedResponse): Promise<CacheHit | undefined> {
    const { call, context, cache } = this.#parts;
    // Its own age counts: a writer to Redis can put an old value back.
    const ageMs = this.#deps.clock.now() - stored.storedAt;
    if (ageMs > cache.ttlMs || ageMs < -clockSkewMs) return this.#ignore('old');
    const at = servingTarget(call, stored);
    if (at === undefined) return this.#ignore('target');
    const steps = replayed(stored, call.request);
    const result = stored.body.length > largeBytes ? await context.inSlices(steps) : atOnce(steps);
    return result === undefined ? this.#ignore('form') : { stored, result, at, cache };
  }

  #ignore(reason: (typeof ignoredReasons)[number]): undefined {
    this.#deps.metrics.ignored(reason);
  }

  #paused(isPaused: boolean): void {
    this.#cancelTimer?.();
    this.#cancelTimer = isPaused ? this.#deps.timers.after(pausedMsMax, () => this.#leader?.disband()) : undefined;
  }

  #conclude(): void {
    const recorded = this.#recorder?.result ?? 'failed';
    this.#recorder = undefined;
    const reason = typeof recorded === 'string' ? recorded : this.#store(recorded);
    if (reason === undefined) return;
    this.#deps.metrics.notStored(reason);
    // It would be the same for those that wait, unless it failed.
    if (reason === 'failed') this.#leader?.fail();
    else this.#leader?.disband();
  }

  /** @returns why the response is not stored */
  #store(recorded: Recorded): NotStored | undefined {
    const { call, context, recordKey, cache } = this.#parts;
    const { attempt } = context;
    const usage = attempt?.usageIsComplete === true ? attempt.usage() : undefined;
    if (attempt === undefined || usage === undefined) return 'incomplete';
    const reason = this.#reasonNotToStore(attempt, usage);
    if (reason !== undefined) return reason;
    const stored: CachedResponse = {
      ...recorded,
      storedAt: this.#deps.clock.now(),
      target: cachedTarget(targetWith(call, attempt.target), attempt.target),
      modelAnswered: attempt.model(),
      usage,
      headers: this.#headers,
    };
    const sealed = sealResponse(stored, this.#cacheKey, recordKey);
    if (sealed === undefined) return 'large_response';
    this.#leader?.share(stored);
    this.#deps.background('store a response', this.#put(sealed, cache.ttlMs));
    return undefined;
  }

  #reasonNotToStore({ target, leavesOut }: Received, { special }: Usage): NotStored | undefined {
    const { record } = this.#parts.context;
    // A response that another attempt continued.
    if (record.attempts !== this.#attempts) return 'incomplete';
    if (record.guardrailsNotPassed !== this.#notPassed) return 'guardrail';
    // Some models search on their own.
    if ((special?.searches ?? 0) > 0) return 'own_tools';
    // It is the response to a part of the request, and the whole request decides which ones are equal.
    return leavesOut || areForeign(this.#opaque, target) ? 'opaque' : undefined;
  }

  async #put(sealed: Buffer, ttlMs: number): Promise<void> {
    const { store, metrics } = this.#deps;
    if (store === undefined) return metrics.notStored('no_redis');
    const result = await store.put(this.#at, sealed, ttlMs);
    if (result !== 'stored') metrics.notStored(result === 'full' ? 'full' : 'redis_failed');
  }
}

function cachedTarget(at: CallTarget, { providerKeyId }: Target): CachedTarget {
  return { model: at.qualifiedModel, providerKeyId: providerKeyId ?? '', overrides: overridesText(at) };
}

/**
 * The target of this request that would have sent the response: the same model with the same changes, and the same key,
 * because some parts of a response are for one account only.
 */
function servingTarget(call: ChatCall, { target }: CachedResponse): CallTarget | undefined {
  for (const at of callTargets(call)) {
    if (at.qualifiedModel !== target.model || overridesText(at) !== target.overrides) continue;
    const targets = at.targets.filter(({ providerKeyId = '' }) => providerKeyId === target.providerKeyId);
    if (targets.length > 0) return { ...at, targets };
  }
  return undefined;
}

const ownHeaders: ReadonlySet<string> = new Set(['x-svc-dropped-params', 'x-svc-emulated-params', 'x-svc-max-tokens']);

/** How the request was sent, which is true of a hit as well. The vendor's headers are about its own response. */
function ownHeadersIn(headers: readonly string[]): readonly string[] {
  return headers.filter((_text, at) => ownHeaders.has(headers[at - (at % 2)] ?? ''));
}

function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Passes a stream, and reports its proper end before its reader learns of it. */
class EndNoticed extends PassedStream {
  readonly #onEnd: () => void;

  constructor(source: StreamResult, onEnd: () => void) {
    super(source);
    this.#onEnd = onEnd;
  }

  protected into(sink: StreamSink): StreamSink {
    return {
      write: (bytes) => sink.write(bytes),
      end: () => {
        this.#onEnd();
        sink.end();
      },
      fail: (error) => sink.fail(error),
    };
  }
}
