// The attempt loop: which target, one attempt at it, what came of it. One target and no retry yet.
import type { ChatCall } from '../chat/call.ts';
import type { InlineData } from '../chat/media.ts';
import { GatewayError } from '../errors.ts';
import { Attempt, type AttemptContext, type AttemptDeps, type AttemptResult } from './attempt.ts';

/** What dispatch needs of the request it works for. */
export interface DispatchContext extends AttemptContext {
  /** Called before each attempt. */
  attemptStarted(): void;
  /** Says what is ended when the client leaves or time is up; replaced by each attempt. */
  onAbort(attempt: { abort(error: Error): void }): void;
}

export type Dispatch = (call: ChatCall, context: DispatchContext) => Promise<AttemptResult>;

const noImages: ReadonlyMap<string, InlineData> = new Map();

/** @throws GatewayError upstream_*, no_healthy_target; ProviderFailure */
export function createDispatch(deps: AttemptDeps): Dispatch {
  return (call, context) => {
    const target = call.targets[0];
    if (target === undefined) throw new GatewayError('no_healthy_target');
    const { request, model, traits } = call;
    const outputTokensMax = call.catalogModel?.limits.maxOutputTokens;
    const attempt = new Attempt(
      { request, model, traits, outputTokensMax, target, now: deps.now(), images: noImages },
      deps,
      context,
    );
    context.attemptStarted();
    context.onAbort(attempt);
    return attempt.run();
  };
}
