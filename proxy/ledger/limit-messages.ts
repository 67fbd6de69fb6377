// Messages to callers about their limits: the refusal, which names the limit and when it opens, and the headers of a
// response.
import { type BudgetPeriod, periodOf } from '../../common/budget-window.ts';
import { isOtherCounter, tagOfEach, wordsOfEach } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import { never } from '../../common/never.ts';
import type { BudgetRefusal } from '../budgets/budgets.ts';
import { GatewayError } from '../errors.ts';
import type { TokenEstimate } from '../rates/estimate.ts';
import type { RateKind, Standing } from '../rates/rates.ts';
import type { AppliedBudget, AppliedRate, LimitLevel } from './applied-limits.ts';

const levelNames: Readonly<Record<LimitLevel, string>> = {
  organization: 'organization',
  ai_system: 'AI system',
  person: 'person',
  virtual_key: 'virtual key',
  provider_key: 'provider key',
  platform: 'platform',
};

const kindNames: Readonly<Record<RateKind, string>> = {
  requests_per_minute: 'requests per minute',
  tokens_per_minute: 'tokens per minute',
  concurrent_requests: 'concurrent requests',
};

/** @param limit the one that opens last: a caller need not try again before that */
export function refusal(limit: AppliedRate, opensInMs: number, headers: readonly string[]): GatewayError {
  const retryAfter = Math.max(1, Math.ceil(opensInMs / 1000));
  const details = { retryAfter, headers, limitId: limit.limitId };
  const reached = `${nameOf(limit)} is reached`;
  switch (limit.kind) {
    case 'concurrent_requests': {
      const message = `${reached}; it opens when one of them ends`;
      return new GatewayError('concurrency_limit_exceeded', { message, ...details });
    }
    case 'requests_per_minute':
    case 'tokens_per_minute': {
      const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
      return new GatewayError('rate_limit_exceeded', {
        message: `${reached}; it opens in ${seconds}`,
        ...details,
      });
    }
    default:
      return never(limit.kind);
  }
}

/** The refusal of a request that its limit would never admit. */
export function neverFits(limit: AppliedRate, { input, output }: TokenEstimate): GatewayError {
  const param = input < limit.max ? 'max_completion_tokens' : 'messages';
  const advice = input < limit.max ? 'send a lower max_completion_tokens' : 'send less';
  const message = `this request may use ${input + output} tokens (input about ${input}, output up to ${output}), more than ${nameOf(limit)} ever lets in; ${advice}`;
  return new GatewayError('invalid_request', { param, message, limitId: limit.limitId });
}

function nameOf(limit: AppliedRate): string {
  return `the ${levelNames[limit.level]}'s limit of ${limit.max} ${kindNames[limit.kind]}${countedOf(limit)}`;
}

/** What it counts, if that is not all: for example " for each user, here u-17". */
function countedOf({ model, tag, each }: AppliedRate | AppliedBudget, isOther = false): string {
  const models = model === undefined ? '' : ` for ${model}`;
  const tagged = tag === undefined ? '' : ` with ${tag.name}=${tag.value}`;
  if (each === undefined) return `${models}${tagged}`;
  const counted = `${models}${tagged} for each ${wordsOfEach(each.kind)}`;
  if (tagOfEach(each.kind) === undefined) return counted;
  return `${counted}, here ${isOther ? 'for those beyond the first' : each.value},`;
}

/**
 * @param budget the one that refused the request
 * @param now milliseconds since 1970, by the clock by which the window ends
 */
export function budgetRefusal(
  budget: AppliedBudget,
  { reason, windowEndsAt, budgetId, amount }: BudgetRefusal,
  now: number,
): GatewayError {
  const known = amount === undefined ? budget : { ...budget, amountUsd: usdOfNano(amount) };
  const name = nameOfBudget(known, isOtherCounter(budgetId));
  const { limitId } = budget;
  switch (reason) {
    case 'exceeded': {
      if (windowEndsAt === undefined)
        return new GatewayError('budget_exceeded', {
          message: `${name} is spent; ${budget.level === 'platform' ? 'a platform operator' : 'an owner or admin'} can raise it`,
          limitId,
        });
      const opens = new Date(windowEndsAt).toISOString().replace('.000Z', 'Z');
      const retryAfter = Math.max(1, Math.ceil((windowEndsAt - now) / 1000));
      return new GatewayError('budget_exceeded', {
        message: `${name} is spent; it opens again at ${opens}`,
        retryAfter,
        limitId,
      });
    }
    case 'busy':
      return new GatewayError('budget_busy', {
        message: `requests in flight have reserved what is left of ${name}; try again in a moment`,
        retryAfter: 1,
        limitId,
      });
    case 'unavailable':
      return new GatewayError('ledger_unavailable', { retryAfter: 1, limitId });
  }
}

const periodNames = {
  hour: ' an hour',
  day: ' a day',
  week: ' a week',
  month: ' a month',
  quarter: ' a quarter',
  total: '',
} as const satisfies Record<BudgetPeriod, string>;

function nameOfBudget(budget: AppliedBudget, isOther: boolean): string {
  const { level, amountUsd, period } = budget;
  // Its figures are for platform operators alone.
  if (level === 'platform') return "the platform's budget";
  return `the ${levelNames[level]}'s budget of $${amountUsd}${periodNames[periodOf(period)]}${countedOf(budget, isOther)}`;
}

/**
 * `x-ratelimit-*` headers as SDKs know them. For each kind they describe the limit with the least remaining, which is
 * the next to refuse. Times have the GPT vendor's form: `350ms`, `12s`, `1m3s`.
 * @param standings in the order of the limits
 */
export function limitHeaders(limits: readonly AppliedRate[], standings: readonly Standing[]): string[] {
  const headers: string[] = [];
  for (const [kind, names] of headerNames) {
    const at = tightest(kind, limits, standings);
    const [limit, standing] = [limits[at], standings[at]];
    if (limit === undefined || standing === undefined) continue;
    headers.push(names.limit, String(limit.max), names.remaining, String(standing.remaining));
    headers.push(names.reset, duration(standing.resetsInMs));
  }
  return headers;
}

/** undefined: SDKs know no headers for the kind. */
const headersOfKinds = {
  requests_per_minute: 'requests',
  tokens_per_minute: 'tokens',
  concurrent_requests: undefined,
} as const satisfies Record<RateKind, string | undefined>;

const headerNames = (Object.keys(headersOfKinds) as readonly RateKind[]).flatMap((kind) => {
  const what = headersOfKinds[kind];
  return what === undefined ? [] : [[kind, namesOf(what)] as const];
});

function namesOf(what: string) {
  return {
    limit: `x-ratelimit-limit-${what}`,
    remaining: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  };
}

/** @returns the limit's index; -1 if there is none of the kind */
function tightest(kind: RateKind, limits: readonly AppliedRate[], standings: readonly Standing[]): number {
  let [found, least] = [-1, Number.POSITIVE_INFINITY];
  for (let at = 0; at < limits.length; at++) {
    const remaining = standings[at]?.remaining ?? least;
    if (limits[at]?.kind !== kind || remaining >= least) continue;
    found = at;
    least = remaining;
  }
  return found;
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
