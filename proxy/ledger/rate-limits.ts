// The rate limits of a call: estimates its tokens, reserves in all of the limits or in none, and releases the unused
// part in the end.
import type { Caller } from '../access/authenticator.ts';
import { type ChatCall, callTargets, withTarget } from '../call.ts';
import { noUsage, type Usage } from '../conversation/usage.ts';
import { estimateTokens, fitGuess, type TokenEstimate } from '../rates/estimate.ts';
import { counted, type RateDecision, type RateKind, type Rates } from '../rates/rates.ts';
import { type AppliedRate, appliedLimits, type LimitLevel } from './applied-limits.ts';
import { limitHeaders, neverFits, refusal } from './limit-messages.ts';

export interface LimitMetrics {
  refused(level: LimitLevel, kind: RateKind): void;
  /** A request whose rates only this proxy counted. */
  countedLocally(): void;
  /** A request whose rates were decided of leases, without a call to Redis. */
  decidedByLeases(): void;
}

export interface RateLimitsDeps {
  readonly rates: Rates;
  /** Output tokens that are expected of a request without a maximum. */
  readonly outputTokensDefault: number;
  readonly metrics: Pick<LimitMetrics, 'refused'>;
}

export interface RateLimitsReservation {
  /** Response headers about the limits: names and values alternate. */
  readonly headers: readonly string[];
  /** @param estimated the provider did not report all usage: then at least the estimate counts as used */
  settle(usage: Usage, estimated: boolean): void;
}

/** For a call without rate limits. */
const nothingTaken: RateLimitsReservation = { headers: [], settle: () => undefined };

/**
 * Returns a promise only if Redis is called.
 * @throws GatewayError rate_limit_exceeded, concurrency_limit_exceeded; invalid_request for more than a limit ever
 * admits
 */
export function takeRates(
  deps: RateLimitsDeps,
  call: ChatCall,
  limits: readonly AppliedRate[],
): RateLimitsReservation | Promise<RateLimitsReservation> {
  if (limits.length === 0) return nothingTaken;
  const tokens = tokensOf(call, limits, deps.outputTokensDefault);
  const { id: organizationId } = call.caller.principal.organization;
  const response = deps.rates.take({ organizationId, limits, tokens });
  const reservationOf = (taken: RateDecision) => reserveOrRefuse({ ...taken, tokens }, limits, deps.metrics);
  // Nothing is awaited if memory has the result.
  return response instanceof Promise ? response.then(reservationOf) : reservationOf(response);
}

/**
 * Counts a request that calls no model in the limits of requests for all models. Returns a promise only if Redis is
 * called.
 * @returns headers about these limits
 * @throws GatewayError rate_limit_exceeded
 */
export function countRequest(
  deps: Pick<RateLimitsDeps, 'rates' | 'metrics'>,
  caller: Caller,
): readonly string[] | Promise<readonly string[]> {
  const { rates } = appliedLimits({ caller, qualifiedModel: '', isUntagged: true });
  const limits = rates.filter(({ kind }) => counted[kind] === 'requests');
  if (limits.length === 0) return [];
  const { id: organizationId } = caller.principal.organization;
  const response = deps.rates.take({ organizationId, limits, tokens: 0 });
  const headersOf = (taken: RateDecision) => {
    const { headers, settle } = reserveOrRefuse({ ...taken, tokens: 0 }, limits, deps.metrics);
    settle(noUsage, false);
    return headers;
  };
  return response instanceof Promise ? response.then(headersOf) : headersOf(response);
}

/**
 * For a request whose tokens are known.
 * @throws GatewayError rate_limit_exceeded, concurrency_limit_exceeded
 */
export async function takeTokens(
  deps: Pick<RateLimitsDeps, 'rates' | 'metrics'>,
  caller: Caller,
  { limits, tokens: known }: { readonly limits: readonly AppliedRate[]; readonly tokens: number },
): Promise<RateLimitsReservation> {
  if (limits.length === 0) return nothingTaken;
  // More than a limit ever admits is all of it.
  const tokens = Math.min(known, ...limits.filter(({ kind }) => counted[kind] === 'tokens').map(({ max }) => max));
  const taken = await deps.rates.take({ organizationId: caller.principal.organization.id, limits, tokens });
  return reserveOrRefuse({ ...taken, tokens }, limits, deps.metrics);
}

/** Of the target with the largest estimate. 0 if no limit counts tokens. @throws GatewayError invalid_request for more than a limit ever admits */
function tokensOf(call: ChatCall, limits: readonly AppliedRate[], outputTokensDefault: number): number {
  let tightest: AppliedRate | undefined;
  for (const limit of limits) {
    if (counted[limit.kind] !== 'tokens') continue;
    if (tightest === undefined || limit.max < tightest.max) tightest = limit;
  }
  if (tightest === undefined) return 0;
  const { max } = tightest;
  const estimates =
    call.route === undefined
      ? [fitGuess(estimateTokens(call, outputTokensDefault), max)]
      : callTargets(call).map((at) => fitGuess(estimateTokens(withTarget(call, at), outputTokensDefault), max));
  const estimate = estimates.reduce((a, b) => (tokensIn(b) > tokensIn(a) ? b : a));
  if (tokensIn(estimate) > max) throw neverFits(tightest, estimate);
  return tokensIn(estimate);
}

function tokensIn({ input, output }: TokenEstimate): number {
  return input + output;
}

function reserveOrRefuse(
  { standings, reservation, tokens }: RateDecision & { readonly tokens: number },
  limits: readonly AppliedRate[],
  metrics: Pick<LimitMetrics, 'refused'>,
): RateLimitsReservation {
  const headers = limitHeaders(limits, standings);
  if (reservation !== undefined) {
    return {
      headers,
      settle: ({ promptTokens, completionTokens }, estimated) => {
        const used = promptTokens + completionTokens;
        reservation.settle(estimated ? Math.max(used, tokens) : used);
      },
    };
  }
  const opens = standings.map(({ opensInMs }) => opensInMs);
  const last = Math.max(...opens);
  const limit = limits[opens.indexOf(last)];
  if (limit === undefined) throw new Error('rates refuse by a limit');
  metrics.refused(limit.level, limit.kind);
  throw refusal(limit, last, headers);
}
