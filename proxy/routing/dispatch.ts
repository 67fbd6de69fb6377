// The attempt loop: fetches what the provider needs, and sends the request to its targets in order until one responds.
// A failed attempt is followed by another one only before anything was passed on, or where recovery allows it, and within
// the limits of the chain.
import type { IsStopped, Stoppable } from '../access/stops.ts';
import { type ChatCall, callAt, callTargets } from '../call.ts';
import { FetchedImage, type InlineData } from '../conversation/media.ts';
import { imageUrls } from '../formats/chat-completions/read-content.ts';
import { nativeFormat, type Target } from '../providers/provider.ts';
import { Attempt, type AttemptContext, type AttemptDeps, type AttemptResult } from '../upstream/attempt.ts';
import { fetchImages, type ImageContext, type ImageDeps } from '../upstream/images.ts';
import type {
  AttemptOptions,
  Attempts,
  ChainAttempt,
  ChainCall,
  ChainHedge,
  Chains,
  HedgeAttempts,
  RecoveringChain,
} from './chain.ts';
import { ContenderContext } from './contender-context.ts';
import { RecoveringStream, type RecoveryContext } from './recovering-stream.ts';
import { type ChangeRequest, continuationOf, type Recovery, recoveryOf } from './recovery.ts';
import type { SharedHints } from './shared-hints.ts';

/** What dispatch needs of the request on whose behalf it works. */
export interface DispatchContext extends AttemptContext, ImageContext {
  /** Absent: no stream of it is recovered. */
  readonly recovery?: RecoveryContext;
}

export interface DispatchDeps extends AttemptDeps {
  readonly images: ImageDeps;
  readonly chains: Chains;
  readonly hints?: Pick<SharedHints, 'use'> | undefined;
  /**
   * Whether an operator has stopped a model since the request was authorized. Requests that have been sent run on, but no
   * further attempt is made. Absent: nothing is stopped.
   */
  readonly isStopped?: IsStopped | undefined;
}

/** The money of a request with one attempt after the other, see `Attempts`. */
export interface AttemptMoney<C> {
  charge(context: C, failure: unknown, next: Target): ReturnType<Attempts['charge']>;
  move(context: C, next: Target): boolean | Promise<boolean>;
}

/** Money and facts of two attempts of a request at a time, see `HedgeAttempts`. */
export interface Hedging<C> {
  reserve(context: C): ReturnType<HedgeAttempts['reserve']>;
  release(context: C): void;
  charge(context: C, over: Parameters<HedgeAttempts['charge']>[0]): void;
  resume(context: C, attempt: ContenderContext): void;
  hedged(context: C, winner: Parameters<HedgeAttempts['hedged']>[0]): void;
}

/**
 * @param money default: no attempt follows one that may have cost something
 * @param hedging default: no request is hedged
 * @throws GatewayError upstream_*, no_healthy_target, invalid_request (images); ProviderFailure
 */
export type Dispatch = <C extends DispatchContext>(
  call: ChatCall,
  context: C,
  money?: AttemptMoney<C>,
  hedging?: Hedging<C>,
) => Promise<AttemptResult>;

type Images = ReadonlyMap<string, InlineData>;
const noImages: Images = new Map();

export function createDispatch(deps: DispatchDeps): Dispatch {
  return (called, context, money = undefined, hedging = undefined) => {
    const recovery = context.recovery && recoveryOf(called);
    const call = recovery === undefined ? called : { ...called, isGuarded: true };
    deps.hints?.use(call.caller.principal.organization, call.targets.length > 1 || call.alternatives !== undefined);
    const attempts = (images: Images) => {
      const sending = new Sending(deps, { call, context, images });
      const ofChain: Attempts = {
        start: (target, options) => sending.attempt(target, options),
        mayLeaveOutReasoning: (target) => sending.withoutReasoning(target) !== undefined,
        charge: (failure, next) => money?.charge(context, failure, next) ?? false,
        move: money && ((next) => money.move(context, next)),
        hedging: hedging && hedgeAttempts(hedging, context, sending),
      };
      const parts = call.route === undefined ? chainOf(call) : routedChain(call);
      const chain = deps.chains.open(withStops(parts, call.caller.principal, deps), ofChain, context);
      return recovery === undefined
        ? chain.run()
        : chain.run().then((result) => recovering(deps, result, { recovery, chain, call, sending, context }));
    };
    // Of a route, it is not known yet whether a target that needs them gets the request.
    const urls = call.route === undefined ? urlsFor(call) : [];
    return urls.length === 0 ? attempts(noImages) : fetchImages(urls, deps.images, context).then(attempts);
  };
}

function hedgeAttempts<C extends DispatchContext>(hedging: Hedging<C>, context: C, sending: Sending): HedgeAttempts {
  return {
    contend: (target, options, monotonic) => {
      const contender = new ContenderContext(context, monotonic);
      return { attempt: sending.attempt(target, options, contender), context: contender };
    },
    reserve: () => hedging.reserve(context),
    release: () => hedging.release(context),
    charge: (over) => hedging.charge(context, over),
    resume: (attempt) => hedging.resume(context, attempt),
    hedged: (winner) => hedging.hedged(context, winner),
  };
}

interface Recoverable {
  readonly recovery: Recovery;
  readonly chain: RecoveringChain;
  readonly call: ChatCall;
  readonly sending: Sending;
  readonly context: DispatchContext;
}

function recovering(deps: DispatchDeps, result: AttemptResult, parts: Recoverable): AttemptResult {
  const { recovery, chain, call, sending, context } = parts;
  if (result.kind !== 'stream' || context.recovery === undefined) return result;
  return new RecoveringStream(result, {
    chain,
    context: context.recovery,
    // Other formats have blocks of reasoning, which the next turn needs whole.
    repeatsReasoning: call.request.client === undefined,
    continuation: recovery === 'continue' ? continuationOf(call, (change) => sending.change(change)) : undefined,
    streamBroke: (broke) => deps.chains.streamBroke(broke),
  });
}

/** The images that the gateway fetches for this provider. */
function urlsFor({ provider, request }: ChatCall): readonly string[] {
  return provider.fetchesImages ? imageUrls(request.messages) : [];
}

function chainOf({ targets, qualifiedModel: model, caller, shadowOf }: ChatCall): ChainCall {
  const organization = caller.principal.organization.id;
  return { targets, model, organization, ...(shadowOf !== undefined && { isShadow: true }) };
}

function withStops(chain: ChainCall, records: Stoppable, { isStopped }: DispatchDeps): ChainCall {
  if (isStopped === undefined) return chain;
  const { models, model } = chain;
  return {
    ...chain,
    isStopped: (target) => isStopped(records, { provider: target.provider.name, model: models?.get(target) ?? model }),
  };
}

function routedChain(call: ChatCall): ChainCall {
  // Nothing is known about one target that would change what is done.
  if (call.alternatives === undefined && call.targets.length === 1) return { ...chainOf(call), route: call.route };
  const models = new Map<Target, string>();
  const ceilings = new Map<Target, number>();
  const groups = new Map<number, Target[]>();
  for (const { targets, qualifiedModel, group = 0, inFlightMax } of callTargets(call)) {
    groups.set(group, [...(groups.get(group) ?? []), ...targets]);
    for (const target of targets) {
      models.set(target, qualifiedModel);
      if (inFlightMax !== undefined) ceilings.set(target, inFlightMax);
    }
  }
  const inGroups = [...groups.values()];
  return {
    ...chainOf(call),
    targets: inGroups.flat(),
    groups: inGroups,
    models,
    ceilings,
    route: call.route,
    hedge: hedgeOf(call),
  };
}

function hedgeOf({ route, request: { stream: streamed } }: ChatCall): ChainHedge | undefined {
  return route?.hedge && { delay: route.hedge, route: route.name, streamed };
}

interface SendingParts {
  readonly call: ChatCall;
  readonly context: DispatchContext;
  /** Those that were fetched already. */
  readonly images: Images;
}

/** Makes the attempts of one request. */
class Sending {
  readonly #deps: DispatchDeps;
  readonly #call: ChatCall;
  readonly #context: DispatchContext;
  #images: Images;
  #changed: ChangeRequest | undefined;

  constructor(deps: DispatchDeps, { call, context, images }: SendingParts) {
    this.#deps = deps;
    this.#call = call;
    this.#context = context;
    this.#images = images;
  }

  /** From now on, attempts are made with the changed request. */
  change(change: ChangeRequest): void {
    this.#changed = change;
  }

  /** @param context of one of two attempts at a time; default: that of the request */
  attempt(
    target: Target,
    { fresh, withoutReasoning }: AttemptOptions,
    context: AttemptContext & ImageContext = this.#context,
  ): ChainAttempt {
    const left = withoutReasoning ? this.withoutReasoning(target) : undefined;
    const sent = left?.call ?? this.#callAt(target);
    const call = this.#changed === undefined ? sent : { ...sent, request: this.#changed(sent.request) };
    const leftOut = left?.leftOut;
    const start = () => startAttempt(call, { target, images: this.#images, fresh, leftOut }, this.#deps, context);
    const urls = urlsFor(call);
    return urls.every((url) => isHere(this.#images.get(url))) ? start() : this.#withImages(urls, start, context);
  }

  #callAt(target: Target): ChatCall {
    return this.#call.route === undefined ? this.#call : callAt(this.#call, target);
  }

  /**
   * The request without reasoning that only a vendor of the client's format can read. Undefined: it has none, or the
   * target's vendor gets it translated. With the caller's own key, the vendor's refusal is for the caller.
   */
  withoutReasoning(target: Target): { readonly call: ChatCall; readonly leftOut: readonly string[] } | undefined {
    const call = this.#callAt(target);
    const { request, model, caller } = call;
    const { client } = request;
    if (client === undefined || caller.direct || nativeFormat({ request, target, model }) === undefined)
      return undefined;
    const left = client.translation.vendorReasoning.without(client.body);
    if (left === undefined) return undefined;
    const changed = { ...request, source: undefined, client: { ...client, body: left.body, bytes: undefined } };
    return { call: { ...call, request: changed }, leftOut: left.dropped };
  }

  /** An earlier target needed no images, or a worker has theirs. */
  #withImages(urls: readonly string[], start: () => Attempt, context: ImageContext): ChainAttempt {
    let started: Attempt | undefined;
    return {
      get received() {
        if (started === undefined) throw new Error('nothing was sent');
        return started.received;
      },
      get isSent() {
        return started?.isSent === true;
      },
      get head() {
        return started?.head ?? {};
      },
      whenOver: (done) => {
        if (started === undefined) throw new Error('nothing was sent');
        started.whenOver(done);
      },
      run: async () => {
        this.#images = await fetchImages(urls, this.#deps.images, context);
        started = start();
        return await started.run();
      },
    };
  }
}

/** A worker that has translated them for an earlier attempt has their bytes. */
function isHere(image: InlineData | undefined): boolean {
  return image !== undefined && !(image instanceof FetchedImage && image.isGone);
}

interface Sent {
  readonly target: Target;
  readonly images: Images;
  readonly fresh: boolean;
  readonly leftOut: readonly string[] | undefined;
}

function startAttempt(
  { request, model, capabilities, catalogModel, costText, isGuarded }: ChatCall,
  { target, images, fresh, leftOut }: Sent,
  deps: DispatchDeps,
  context: AttemptContext & ImageContext,
): Attempt {
  const outputTokensMax = catalogModel?.limits.maxOutputTokens;
  const started = new Attempt(
    {
      request,
      model,
      capabilities,
      outputTokensMax,
      target,
      now: deps.now(),
      images,
      ...(costText !== undefined && { costText: (usage) => costText(usage, target) }),
      ...(isGuarded !== undefined && { isGuarded }),
      ...(leftOut !== undefined && { leftOut }),
    },
    deps,
    context,
    { fresh },
  );
  context.onAbort(started);
  return started;
}
