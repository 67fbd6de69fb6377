// The attempt loop: which target, one attempt at it, what came of it. One target and no retry yet.
import type { ChatCall } from '../chat/call.ts';
import { GatewayError } from '../errors.ts';
import { Attempt, type AttemptLimits, type AttemptResult } from './attempt.ts';
import type { Transport } from './transport.ts';

export interface DispatchDeps {
  readonly transport: Transport;
  readonly limits: AttemptLimits;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What dispatch needs of the request it works for. */
export interface DispatchContext {
  /** Called before each attempt. */
  attemptStarted(): void;
  /** Bytes came from the provider. */
  progress(): void;
  /** @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** What ends the attempt when the client leaves or time is up; replaced by each attempt. */
  onAbort: ((error: Error) => void) | undefined;
}

export type Dispatch = (call: ChatCall, context: DispatchContext) => Promise<AttemptResult>;

/** @throws GatewayError upstream_*, no_healthy_target; ProviderFailure */
export function createDispatch(deps: DispatchDeps): Dispatch {
  return (call, context) => {
    const target = call.targets[0];
    if (target === undefined) throw new GatewayError('no_healthy_target');
    const { transport, limits, now } = deps;
    const attempt = new Attempt(
      { request: call.request, model: call.model, target },
      {
        transport,
        limits,
        now,
        buffer: (bytes) => context.buffer(bytes),
        progress: () => context.progress(),
      },
    );
    context.attemptStarted();
    context.onAbort = (error) => attempt.abort(error);
    return attempt.run();
  };
}
