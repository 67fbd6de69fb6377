// The ledger of limits on rates: collects those that apply to a call, estimates its tokens, takes its part of all of them or of
// none, and gives back in the end what it did not use. A call without limits costs a look at three lengths.
import type { ChatCall } from '../chat/call.ts';
import type { Usage } from '../chat/usage.ts';
import { type AppliedLimit, appliedLimits, type LimitLevel } from './applied-limits.ts';
import { type Hold, type Ledger, nothingHeld } from './ledger.ts';
import { type LimitStanding, limitHeaders, neverFits, refusal } from './limit-words.ts';
import { estimateTokens } from './rates/estimate.ts';
import type { RateAnswer, RateKind, Rates } from './rates/rates.ts';

export interface LimitMetrics {
  refused(level: LimitLevel, kind: RateKind): void;
  /** A request whose rates this proxy counted alone. */
  countedLocally(): void;
}

export interface LimitedLedgerDeps {
  readonly rates: Rates;
  /** Expected of a request that sets no maximum. */
  readonly outputTokensDefault: number;
  readonly metrics: Pick<LimitMetrics, 'refused'>;
}

export function createLimitedLedger(deps: LimitedLedgerDeps): Ledger {
  return {
    reserve: (call) => {
      const limits = appliedLimits(call);
      if (limits.length === 0) return nothingHeld;
      const tokens = tokensOf(call, limits, deps.outputTokensDefault);
      const { id: organizationId } = call.caller.principal.organization;
      const answer = deps.rates.take({ organizationId, limits, tokens });
      const holdOf = (taken: RateAnswer) => holdOrRefuse(taken, { limits, tokens }, deps.metrics);
      // Nothing is awaited where memory answers.
      return answer instanceof Promise ? answer.then(holdOf) : holdOf(answer);
    },
  };
}

/** 0 where no limit on tokens asks for it. @throws GatewayError invalid_request for more than a limit ever lets in */
function tokensOf(call: ChatCall, limits: readonly AppliedLimit[], outputTokensDefault: number): number {
  const onTokens = limits.filter(({ kind }) => kind === 'tokens_per_minute');
  if (onTokens.length === 0) return 0;
  const estimate = estimateTokens(call, outputTokensDefault);
  const tokens = estimate.input + estimate.output;
  const tooSmall = onTokens.find(({ max }) => tokens > max);
  if (tooSmall !== undefined) throw neverFits(tooSmall, estimate);
  return tokens;
}

interface Asked {
  readonly limits: readonly AppliedLimit[];
  readonly tokens: number;
}

function holdOrRefuse(
  { standings, hold }: RateAnswer,
  { limits, tokens }: Asked,
  metrics: Pick<LimitMetrics, 'refused'>,
): Hold {
  const told = standings.flatMap((standing, index): LimitStanding[] => {
    const limit = limits[index];
    return limit === undefined ? [] : [{ ...standing, limit }];
  });
  const headers = limitHeaders(told);
  if (hold !== undefined) {
    return { headers, settle: (usage) => hold.settle(usage === undefined ? tokens : usedTokens(usage)) };
  }
  const last = told.reduce((a, b) => (b.opensInMs > a.opensInMs ? b : a));
  metrics.refused(last.limit.level, last.limit.kind);
  throw refusal(last, headers);
}

function usedTokens({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens;
}
