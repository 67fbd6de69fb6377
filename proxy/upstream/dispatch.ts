// The attempt loop: fetches what the provider needs, selects the target, makes one attempt and returns its result.
// There is one target and no retry yet.
import type { ChatCall } from '../call.ts';
import type { InlineData } from '../conversation/media.ts';
import { GatewayError } from '../errors.ts';
import { imageUrls } from '../formats/chat-completions/read-content.ts';
import { Attempt, type AttemptContext, type AttemptDeps, type AttemptResult } from './attempt.ts';
import { fetchImages, type ImageContext, type ImageDeps } from './images.ts';

/** What dispatch needs of the request on whose behalf it works. */
export type DispatchContext = AttemptContext & ImageContext;

export interface DispatchDeps extends AttemptDeps {
  readonly images: ImageDeps;
}

export type Dispatch = (call: ChatCall, context: DispatchContext) => Promise<AttemptResult>;

type Images = ReadonlyMap<string, InlineData>;
const noImages: Images = new Map();

/** @throws GatewayError upstream_*, no_healthy_target, invalid_request (images); ProviderFailure */
export function createDispatch(deps: DispatchDeps): Dispatch {
  return (call, context) => {
    const urls = call.provider.fetchesImages ? imageUrls(call.request.messages) : [];
    if (urls.length === 0) return attempt(call, noImages, deps, context);
    return fetchImages(urls, deps.images, context).then((images) => attempt(call, images, deps, context));
  };
}

function attempt(
  { request, model, capabilities, catalogModel, targets: [target], costText, isGuarded }: ChatCall,
  images: Images,
  deps: DispatchDeps,
  context: DispatchContext,
): Promise<AttemptResult> {
  if (target === undefined) throw new GatewayError('no_healthy_target');
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
  );
  context.onAbort(started);
  return started.run();
}
