// The attempt loop: fetches what the provider needs, and sends the request to its targets in order until one responds.
// A failed attempt is followed by another one only before anything was passed on, and within the limits below.
import type { ChatCall } from '../call.ts';
import type { InlineData } from '../conversation/media.ts';
import { imageUrls } from '../formats/chat-completions/read-content.ts';
import type { Target } from '../providers/provider.ts';
import { Attempt, type AttemptContext, type AttemptDeps, type AttemptResult } from '../upstream/attempt.ts';
import { fetchImages, type ImageContext, type ImageDeps } from '../upstream/images.ts';
import type { ChainCall, Chains } from './chain.ts';

/** What dispatch needs of the request on whose behalf it works. */
export type DispatchContext = AttemptContext & ImageContext;

export interface DispatchDeps extends AttemptDeps {
  readonly images: ImageDeps;
  readonly chains: Chains;
}

/**
 * Charges an attempt that may have cost something, and reserves money for another one.
 * @returns false if there is none
 */
export type ChargeAttempt<C> = (context: C, failure: unknown) => boolean | Promise<boolean>;

/**
 * @param charge default: no attempt follows one that may have cost something
 * @throws GatewayError upstream_*, no_healthy_target, invalid_request (images); ProviderFailure
 */
export type Dispatch = <C extends DispatchContext>(
  call: ChatCall,
  context: C,
  charge?: ChargeAttempt<C>,
) => Promise<AttemptResult>;

type Images = ReadonlyMap<string, InlineData>;
const noImages: Images = new Map();

export function createDispatch(deps: DispatchDeps): Dispatch {
  return (call, context, charge = never) => {
    const urls = call.provider.fetchesImages ? imageUrls(call.request.messages) : [];
    const attempts = (images: Images) =>
      deps.chains.run(
        chainOf(call),
        {
          start: (target, fresh) => attempt(call, { target, images, fresh }, deps, context),
          charge: (failure) => charge(context, failure),
        },
        context,
      );
    return urls.length === 0 ? attempts(noImages) : fetchImages(urls, deps.images, context).then(attempts);
  };
}

function never(): boolean {
  return false;
}

function chainOf({ targets, qualifiedModel: model, caller }: ChatCall): ChainCall {
  return { targets, model, organization: caller.principal.organization.id };
}

interface Sending {
  readonly target: Target;
  readonly images: Images;
  readonly fresh: boolean;
}

function attempt(
  { request, model, capabilities, catalogModel, costText, isGuarded }: ChatCall,
  { target, images, fresh }: Sending,
  deps: DispatchDeps,
  context: DispatchContext,
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
      ...(costText !== undefined && { costText }),
      ...(isGuarded !== undefined && { isGuarded }),
    },
    deps,
    context,
    { fresh },
  );
  context.onAbort(started);
  return started;
}
