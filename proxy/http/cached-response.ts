// Sends a cached response: through this request's own output guardrails, in the client's format, as a request that called
// no provider.
import { usdOfNano } from '../../common/money.ts';
import { type ChatCall, withTarget } from '../call.ts';
import type { CostText } from '../conversation/usage.ts';
import { withUsageChunk } from '../formats/chat-completions/usage-chunk.ts';
import { SseSplitter } from '../formats/sse.ts';
import type { OutputGuard } from '../guardrails/guardrail.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LoopScheduler } from '../loop-scheduler.ts';
import type { CacheHit } from '../response-cache/response-cache.ts';
import type { AttemptResult } from '../upstream/attempt.ts';
import { inClientFormat } from './client-response.ts';
import type { Exchange } from './exchange.ts';
import { outcomeOf } from './outcome.ts';
import { inSlices } from './parse-body.ts';
import { relay } from './relay.ts';
import { respondError } from './respond.ts';
import { RewrittenStream } from './rewritten-stream.ts';

export interface CachedDeps {
  readonly ledger: Ledger;
  readonly loop: LoopScheduler;
}

export interface CachedParts {
  /** After the inspection of its input. */
  readonly call: ChatCall;
  readonly output: OutputGuard | undefined;
  readonly found: CacheHit;
}

/** @throws GatewayError of a limit or budget, before anything was sent */
export async function respondCached(
  exchange: Exchange,
  deps: CachedDeps,
  { call: authorized, output, found: { stored, result, at, cache } }: CachedParts,
): Promise<void> {
  const { record } = exchange;
  const call = withTarget(authorized, at);
  exchange.authorized(call);
  record.providerKeyId = undefined;
  // They limit attempts.
  exchange.times = undefined;
  record.modelAnswered = stored.modelAnswered;
  const charge = { usage: stored.usage, pricePercent: cache.pricePercent };
  const reservation = await deps.ledger.reserveCached(call, charge);
  record.limitHeaders = reservation.headers;
  let failure: unknown;
  try {
    const cost = usdOfNano(reservation.cost);
    if (result.kind === 'complete') record.costText = cost;
    else exchange.onAbort(result);
    exchange.throwIfAborted();
    exchange.waitFor('event');
    const guarded = output === undefined ? result : await output.guard(result);
    const written = inClientFormat(
      withUsage(guarded, call, () => cost),
      call.request.client,
      {
        elapsedMs: () => exchange.elapsedMs,
        inSlices: (steps) => inSlices(exchange, steps, deps.loop),
        isGuarded: output !== undefined,
      },
    );
    await relay(exchange, written instanceof Promise ? await written : written);
  } catch (error) {
    failure = error;
    respondError(exchange, error);
  }
  record.costNano = reservation.cost;
  reservation.settle({ ...outcomeOf(exchange, failure, undefined), modelAnswered: stored.modelAnswered });
}

/** A stream with its cost in the usage chunk, or without that chunk if the caller did not request it. */
export function withUsage(
  result: AttemptResult,
  { request }: Pick<ChatCall, 'request'>,
  costText: CostText,
): AttemptResult {
  if (result.kind === 'complete') return result;
  const events = new SseSplitter(Number.POSITIVE_INFINITY);
  const options = { includeUsage: request.includeUsage, costText };
  return new RewrittenStream(result, (bytes) =>
    Buffer.concat(events.push(bytes).flatMap((event) => withUsageChunk(event, options) ?? [])),
  );
}
