// The rate limits that apply to a call, the reservation requested for them, and the effect of the result.
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  KeyRecord,
  Limit,
  OrganizationRecord,
  Principal,
  ScopeRecord,
} from '../../../../proxy/access/principal.ts';
import type { ChatCall } from '../../../../proxy/call.ts';
import { noUsage, type Usage } from '../../../../proxy/conversation/usage.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { appliedLimits } from '../../../../proxy/ledger/applied-limits.ts';
import {
  countRequest,
  type RateLimitsDeps,
  type RateLimitsReservation,
  takeRates,
} from '../../../../proxy/ledger/rate-limits.ts';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { RateQuestion, Rates } from '../../../../proxy/rates/rates.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

type Kind = Limit['kind'];

function limit(id: string, kind: Kind, count: number, model?: string): Limit {
  return { id, kind, count, model, amountUsd: undefined, period: undefined };
}

interface Limits {
  readonly organization?: readonly Limit[];
  readonly scope?: readonly Limit[];
  readonly key?: readonly Limit[];
}

function principal({ organization = [], scope, key = [] }: Limits): Principal {
  return {
    organization: { id: 'organization-1', limits: organization } as OrganizationRecord,
    scope: scope && ({ kind: 'person', id: 'person-1', limits: scope } as unknown as ScopeRecord),
    key: { keyId: 'key-1', limits: key } as KeyRecord,
  };
}

function call(own: Limits, project?: Limits, fields: object = {}): ChatCall {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100, ...fields };
  return {
    caller: { principal: principal(own), project: project && principal(project), direct: false },
    request: parseChatRequest(Buffer.from(JSON.stringify(body))),
    qualifiedModel: 'gpt-provider/gpt-4o-mini',
    catalogModel: undefined,
  } as ChatCall;
}

let time: VirtualTime;
let requested: RateQuestion[];
let refusals: string[];
let deps: RateLimitsDeps;

beforeEach(() => {
  time = new VirtualTime();
  requested = [];
  refusals = [];
  const local = new LocalRates({ clock: time, onTake: () => undefined });
  const rates: Rates = {
    take: (question) => {
      requested.push(question);
      return local.take(question);
    },
  };
  deps = {
    rates,
    outputTokensDefault: 8192,
    metrics: { refused: (level, kind) => void refusals.push(`${level} ${kind}`) },
  };
});

const appliedIds = (of: ChatCall) => {
  reserve(of);
  return requested[0]?.limits.map(({ id }) => id);
};

function reserve(of: ChatCall): RateLimitsReservation {
  const reservation = takeRates(deps, of, appliedLimits(of).rates);
  if (reservation instanceof Promise) throw new Error('rates in memory were reserved asynchronously');
  return reservation;
}

function refusal(of: ChatCall): GatewayError {
  try {
    reserve(of);
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('it was not refused');
}

describe('the rate limits of a call', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => limit(id, 'requests_per_minute', 9)) as [
    Limit,
    Limit,
    Limit,
    Limit,
  ];

  it('without limits, no reservation is requested', () => {
    reserve(call({})).settle(noUsage, false);
    reserve(call({ scope: [] }, { scope: [] })).settle(noUsage, false);
    expect(requested).toEqual([]);
  });

  it('are those of organization, scope and key, and of the project key and its scope, each once', () => {
    const both = call({ organization: [a], scope: [b], key: [c] }, { organization: [a], scope: [b], key: [d] });
    expect(appliedIds(both)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('can be those of the project key alone', () => {
    expect(appliedIds(call({}, { key: [d] }))).toEqual(['d']);
  });

  it('are selected by the model’s glob, and budgets are not rates', () => {
    const globs = [
      limit('all', 'requests_per_minute', 1),
      limit('provider', 'requests_per_minute', 1, 'gpt-provider/*'),
      limit('other', 'requests_per_minute', 1, 'search-provider/*'),
      limit('model', 'concurrent_requests', 1, 'gpt-provider/gpt-4o-mini'),
      limit('budget', 'budget', 1),
    ];
    expect(appliedIds(call({ key: globs }))).toEqual(['all', 'provider', 'model']);
  });

  it('for other models or of other kinds cause no reservation', () => {
    reserve(call({ key: [limit('x', 'budget', 1), limit('o', 'requests_per_minute', 1, 'search-provider/*')] }));
    expect(requested).toEqual([]);
  });

  it('budgets are selected like rates: by level and glob, each once', () => {
    const budget = (id: string, model?: string): Limit => ({
      ...limit(id, 'budget', 0, model),
      amountUsd: '5',
      period: 'day',
    });
    const organization = [budget('o'), budget('other', 'search-provider/*')];
    const both = call({ organization, key: [budget('k', 'gpt-provider/*')] }, { organization, key: [budget('p')] });
    expect(
      appliedLimits(both).budgets.map(({ id, level, amountUsd, period }) => [id, level, amountUsd, period]),
    ).toEqual([
      ['o', 'organization', '5', 'day'],
      ['k', 'virtual_key', '5', 'day'],
      ['p', 'virtual_key', '5', 'day'],
    ]);
  });
});

describe('the tokens of a call', () => {
  it('are estimated only when a token limit applies', () => {
    reserve(call({ key: [limit('r', 'requests_per_minute', 5)] }));
    reserve(call({ key: [limit('t', 'tokens_per_minute', 500)] }));
    expect(requested[0]?.tokens).toBe(0);
    expect(requested[1]?.tokens).toBeGreaterThan(100);
    expect(requested[1]?.tokens).toBeLessThan(160);
  });

  it('beyond the smallest limit are refused before anything is reserved', () => {
    const limits = [limit('r', 'requests_per_minute', 1), limit('t', 'tokens_per_minute', 100)];
    const error = refusal(call({ key: limits }));
    expect([error.status, error.code, error.param]).toEqual([400, 'invalid_request', 'max_completion_tokens']);
    expect([requested, refusals]).toEqual([[], []]);
  });

  it('that the gateway guesses are reduced to the tightest limit', () => {
    const key = [limit('wide', 'tokens_per_minute', 5_000), limit('tight', 'tokens_per_minute', 300)];
    const unlimited = { max_tokens: undefined };
    reserve(call({ key }, undefined, unlimited));
    expect(requested.map(({ tokens }) => tokens)).toEqual([300]);
    const long = { ...unlimited, messages: [{ role: 'user', content: 'x'.repeat(1_200) }] };
    const error = refusal(call({ key }, undefined, long));
    expect([error.status, error.param]).toEqual([400, 'messages']);
    expect(error.message).toMatch(/output up to 1\), .* limit of 300 tokens .*; send less$/);
  });

  it.each<[string, Usage, number]>([
    ['as used', { ...noUsage, promptTokens: 30, completionTokens: 20 }, 50],
    ['with nothing', noUsage, 0],
  ])('are settled %s', (_what, usage, used) => {
    const key = [limit('t', 'tokens_per_minute', 60_000)];
    reserve(call({ key })).settle(usage, false);
    const estimate = requested[0]?.tokens ?? 0;
    const { headers } = reserve(call({ key }));
    const remaining = Number(headers[headers.indexOf('x-ratelimit-remaining-tokens') + 1]);
    expect(remaining).toBe(60_000 - used - estimate);
  });
});

describe('a refusal by rate limits', () => {
  it('names the limit that opens last', async () => {
    const short = limit('short', 'requests_per_minute', 1);
    const long = limit('long', 'requests_per_minute', 1);
    const busy = limit('busy', 'concurrent_requests', 1);
    reserve(call({ organization: [busy] }));
    reserve(call({ scope: [short] }));
    await time.advance(30_000);
    reserve(call({ key: [long] }));
    const error = refusal(call({ organization: [busy], scope: [short], key: [long] }));
    expect(error.message).toBe("the virtual key's limit of 1 requests per minute is reached; it opens in 61 seconds");
    expect([error.code, error.retryAfter]).toEqual(['rate_limit_exceeded', 61]);
    expect(refusals).toEqual(['virtual_key requests_per_minute']);
    expect(refusal(call({ organization: [busy], scope: [short] })).message).toMatch(/^the person's .* in 31 seconds$/);
    const location = refusal(call({ organization: [busy] }));
    expect(location.message).toBe(
      "the organization's limit of 1 concurrent requests is reached; it opens when one of them ends",
    );
    expect([location.code, location.retryAfter]).toEqual(['concurrency_limit_exceeded', 1]);
  });
});

describe('the rate-limit headers', () => {
  it('are those of the limit of each kind with the least remaining', () => {
    const limits = [
      limit('r1', 'requests_per_minute', 50),
      limit('r2', 'requests_per_minute', 7),
      limit('t1', 'tokens_per_minute', 6_000),
      limit('t2', 'tokens_per_minute', 600_000),
      limit('c', 'concurrent_requests', 3),
    ];
    const { headers } = reserve(call({ key: limits }));
    const estimate = requested[0]?.tokens ?? 0;
    expect(headers).toEqual([
      ...['x-ratelimit-limit-requests', '7', 'x-ratelimit-remaining-requests', '6'],
      ...['x-ratelimit-reset-requests', '1m1s', 'x-ratelimit-limit-tokens', '6000'],
      ...['x-ratelimit-remaining-tokens', String(6_000 - estimate)],
      ...['x-ratelimit-reset-tokens', `${Math.ceil(estimate / 100)}s`],
    ]);
  });

  it('are also sent with a refusal', () => {
    const key = [limit('r', 'requests_per_minute', 1)];
    reserve(call({ key }));
    expect(refusal(call({ key })).headers).toContain('x-ratelimit-remaining-requests');
  });

  it('contain short times in milliseconds', () => {
    const { headers } = reserve(call({ key: [limit('t', 'tokens_per_minute', 6_000_000)] }));
    expect(headers.at(-1)).toMatch(/^\dms$/);
  });
});

describe('a request that calls no model', () => {
  const limits = [
    limit('requests', 'requests_per_minute', 2),
    limit('tokens', 'tokens_per_minute', 1),
    limit('slots', 'concurrent_requests', 1),
    limit('of a model', 'requests_per_minute', 1, 'gpt-provider/*'),
    limit('budget', 'budget', 1),
  ];
  const { caller } = call({ key: limits }, { key: [limit('of the project', 'requests_per_minute', 9)] });

  it('counts in the limits of requests for all models, of both keys, and takes no slot', () => {
    const remaining = () => {
      const headers = countRequest(deps, caller);
      if (headers instanceof Promise) throw new Error('rates in memory were counted asynchronously');
      return headers[headers.indexOf('x-ratelimit-remaining-requests') + 1];
    };
    expect([remaining(), remaining()]).toEqual(['1', '0']);
    expect(requested[0]?.limits.map(({ id }) => id)).toEqual(['requests', 'of the project']);
    expect(remaining).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded' }));
    expect(refusals).toEqual(['virtual_key requests_per_minute']);
  });

  it('without such a limit, nothing is counted', () => {
    expect(countRequest(deps, call({ key: limits.slice(1) }).caller)).toEqual([]);
    expect(requested).toEqual([]);
  });
});
