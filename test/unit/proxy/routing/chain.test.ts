// The attempts of one request: which target gets it next, and when there is no further attempt.
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../common/clock.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { type AttemptOptions, Chains } from '../../../../proxy/routing/chain.ts';
import type { FailureCause } from '../../../../proxy/routing/health.ts';
import { HedgeShare } from '../../../../proxy/routing/hedge-share.ts';
import { TargetLoads } from '../../../../proxy/routing/target-loads.ts';
import type { AttemptResult, Received } from '../../../../proxy/upstream/attempt-result.ts';
import { ProviderFailure } from '../../../../proxy/upstream/provider-failure.ts';
import { TransportError } from '../../../../proxy/upstream/transport.ts';

const whole: AttemptResult = { kind: 'complete', headers: [], body: Buffer.from('{}') };

function refused(status: number, { code = '', retryAfter }: { code?: string; retryAfter?: number } = {}): Error {
  const vendor = { status, message: `${status}`, param: undefined, code, retryable: status === 429 || status >= 500 };
  return new ProviderFailure(vendor as never, { retryAfter, headers: [], reason: '' });
}

function broken(kind: TransportError['kind'], sent: { begun?: boolean; wasIdle?: boolean } = {}): Error {
  return new GatewayError('upstream_unreachable', { cause: new TransportError(kind, 'gone', sent) });
}

const connectFailed = () => broken('connect', { begun: false });

interface Played {
  /** In order of attempts; a response where it ends. */
  readonly failures: readonly (Error | (() => Error))[];
  readonly targets?: number;
  /** How failed attempts ended; `timed_out` may have cost something. */
  readonly ending?: Received['ending'];
  readonly hasMoney?: boolean;
  readonly retries?: number;
  readonly abortsAt?: number;
  /** What the route says of refusals. */
  readonly route?: { readonly onContext: boolean; readonly onFilter: boolean } | undefined;
  readonly isShadow?: boolean;
  /** Attempts of which nothing is sent, by number. */
  readonly unsent?: readonly number[];
  /** Targets that an operator stops during the first attempt. */
  readonly stopped?: readonly number[];
  /** The request has reasoning that only a vendor can read. */
  readonly hasReasoning?: boolean;
}

interface Log {
  /** `<target>`, with `!` for a new connection and `-` without reasoning. */
  readonly sent: string[];
  readonly waits: number[];
  readonly causes: FailureCause[];
  readonly charged: unknown[];
  /** Targets that are reported to work, and those whose attempt shows nothing. */
  readonly worked: string[];
  readonly undecided: string[];
  /** Where requests and failed attempts are counted. */
  readonly counted: string[];
}

async function play({ failures, targets = 1, ending = 'unused', hasMoney = false, retries = 9, ...rest }: Played) {
  const { abortsAt, route, isShadow = false, unsent = [], hasReasoning = false, stopped = [] } = rest;
  const log: Log = { sent: [], waits: [], causes: [], charged: [], worked: [], undecided: [], counted: [] };
  let left = retries;
  let aborted: Error | undefined;
  const chains = new Chains({
    health: {
      usable: (all) => all,
      usableGroups: (groups) => groups.flat(),
      mayTry: () => true,
      failed: (_identity, cause) => log.causes.push(cause),
      succeeded: ({ providerKey }) => log.worked.push(providerKey?.id ?? ''),
      undecided: ({ providerKey }) => log.undecided.push(providerKey?.id ?? ''),
      ...{ firstToken: () => undefined, exhausted: () => undefined },
    },
    loads: new TargetLoads({ clock: systemClock }),
    retryBudget: { request: () => void log.counted.push('request'), mayRetry: () => left-- > 0 },
    timers: {
      after: (ms, task) => {
        log.waits.push(ms);
        queueMicrotask(task);
        return () => undefined;
      },
    },
    metrics: {
      attemptFailed: () => void log.counted.push('failure'),
      streamBroke: () => undefined,
      hedged: () => undefined,
    },
    hedgeShare: new HedgeShare(),
    random: () => 0,
    clock: systemClock,
  });
  const targetsOf = Array.from({ length: targets }, (_, at) => ({
    ...{ providerKeyId: `key-${at}`, baseUrl: { origin: 'https://vendor.example', path: '' } },
  })) as unknown as Target[];
  const start = (target: Target, { fresh, withoutReasoning }: AttemptOptions) => {
    const failure = failures[log.sent.length];
    log.sent.push(`${target.providerKeyId?.slice(4)}${fresh ? '!' : ''}${withoutReasoning ? '-' : ''}`);
    if (log.sent.length === abortsAt) aborted = new Error('left');
    return {
      received: { ending } as Received,
      isSent: !unsent.includes(log.sent.length),
      head: {},
      whenOver: (done: () => void) => done(),
      run: () => (failure === undefined ? Promise.resolve(whole) : Promise.reject(asError(failure))),
    };
  };
  const charge = (failure: unknown) => {
    log.charged.push(failure);
    return hasMoney;
  };
  const context = {
    get aborted() {
      return aborted;
    },
    ...{ attemptFailed: () => undefined, onAbort: () => undefined },
  };
  const isStopped = (target: Target) => log.sent.length > 0 && stopped.includes(targetsOf.indexOf(target));
  const names = { organization: 'organization-1', model: 'gpt-provider/gpt-4o' };
  const call = { targets: targetsOf, ...names, route, isShadow, isStopped };
  const outcome = await chains
    .run(call, { start, charge, mayLeaveOutReasoning: () => hasReasoning }, context)
    .catch((error: unknown) => error);
  return { ...log, outcome };
}

function asError(failure: Error | (() => Error)): Error {
  return typeof failure === 'function' ? failure() : failure;
}

describe('the next target gets a request', () => {
  it.each<[string, Error, FailureCause | undefined]>([
    ['that found no connection', connectFailed(), 'dead'],
    ['whose address is forbidden', broken('forbidden', { begun: false }), undefined],
    ['whose new connection died', broken('closed'), 'dead'],
    ['that was rate limited', refused(429, { retryAfter: 1 }), 'rate'],
    ['whose account is spent', refused(429, { code: 'insufficient_quota' }), 'quota'],
    ['that must be paid', refused(402), 'quota'],
    ['that the vendor failed', refused(500), 'server'],
    ['that met an overloaded vendor', refused(503), 'server'],
    ['that the vendor took too long for', refused(408), undefined],
    ['that met a conflict', refused(409), undefined],
    ['for a model that the key does not have', refused(404), undefined],
    ['whose stored key is refused', new GatewayError('upstream_authentication_failed'), 'key'],
    ['whose stored key is unusable', new GatewayError('no_healthy_target'), undefined],
    ['that got no first byte', new GatewayError('upstream_timeout'), 'timeout'],
    ['whose response was broken', new GatewayError('upstream_protocol_error'), 'server'],
  ])('%s', async (_name, failure, cause) => {
    const { sent, waits, causes, outcome } = await play({ failures: [failure], targets: 2 });
    expect(sent).toEqual(['0', '1']);
    expect(waits).toEqual([]);
    expect(causes).toEqual(cause === undefined ? [] : [cause]);
    expect(outcome).toBe(whole);
  });
});

describe('no other target gets a request', () => {
  it.each<[string, Error]>([
    ['that the vendor refuses', refused(400)],
    ['that is too large', refused(413)],
    ['that the vendor cannot process', refused(422)],
    ['that the gateway refuses', new GatewayError('unsupported_parameter', { param: 'n' })],
    ['for which the gateway has no room', new GatewayError('overloaded')],
    ['that a defect ended', new Error('defect')],
  ])('%s', async (_name, failure) => {
    const { sent, outcome } = await play({ failures: [failure], targets: 3 });
    expect(sent).toEqual(['0']);
    expect(outcome).toBe(failure);
  });

  it('whose caller left', async () => {
    const { sent } = await play({ failures: [refused(500)], targets: 2, abortsAt: 1 });
    expect(sent).toEqual(['0']);
  });

  it('after three attempts', async () => {
    const { sent, outcome } = await play({ failures: [500, 500, 502].map((status) => refused(status)), targets: 5 });
    expect(sent).toEqual(['0', '1', '2']);
    expect(outcome).toMatchObject({ status: 502 });
  });

  it('beyond the retries of the organization', async () => {
    const { sent } = await play({ failures: [refused(500), refused(500)], targets: 3, retries: 1 });
    expect(sent).toEqual(['0', '1']);
  });
});

describe('a refusal of the request itself goes to the next target of a route that says so', () => {
  const [never, both] = [
    { onContext: false, onFilter: false },
    { onContext: true, onFilter: true },
  ];
  const vllm = new ProviderFailure(
    {
      ...{ status: 400, message: "This model's maximum context length is 8192 tokens", param: undefined },
      ...{ code: undefined, retryable: false, retryAfter: undefined },
    },
    { retryAfter: undefined, headers: [], reason: '' },
  );

  it.each<[string, Error, 'onContext' | 'onFilter']>([
    ['a context that is too long', refused(400, { code: 'context_length_exceeded' }), 'onContext'],
    ['the same without a code', vllm, 'onContext'],
    ['a content filter', refused(400, { code: 'content_filter' }), 'onFilter'],
    ['a content policy', refused(400, { code: 'content_policy_violation' }), 'onFilter'],
  ])('%s', async (_name, failure, option) => {
    const sent = async (route: Played['route']) => (await play({ failures: [failure], targets: 2, route })).sent;
    expect(await sent({ ...never, [option]: true })).toEqual(['0', '1']);
    expect(await sent({ ...both, [option]: false })).toEqual(['0']);
    expect(await sent(undefined)).toEqual(['0']);
  });

  it('and no other refusal', async () => {
    const { sent } = await play({ failures: [refused(400, { code: 'invalid' })], targets: 2, route: both });
    expect(sent).toEqual(['0']);
  });
});

describe('a later target that cannot express the request', () => {
  const unfit = new GatewayError('unsupported_parameter', { param: 'n' });

  it('is passed over, and its refusal is not returned', async () => {
    const next = await play({ failures: [refused(503), unfit], targets: 3, unsent: [2] });
    expect([next.sent, next.outcome]).toEqual([['0', '1', '2'], whole]);
    const last = await play({ failures: [refused(503), unfit], targets: 2, unsent: [2] });
    expect(last.outcome).toMatchObject({ status: 503 });
  });

  it('is no attempt, so three others are still made', async () => {
    const failures = [refused(503), unfit, refused(502), refused(500)];
    const { sent, outcome } = await play({ failures, targets: 5, unsent: [2] });
    expect(sent).toEqual(['0', '1', '2', '3']);
    expect(outcome).toMatchObject({ status: 500 });
  });
});

describe('the same target gets a request again', () => {
  it('at once, on a new connection, if its kept connection was dead', async () => {
    const dead = () => broken('closed', { wasIdle: true });
    const { sent, waits, outcome } = await play({ failures: [dead], targets: 2 });
    expect([sent, waits, outcome]).toEqual([['0', '0!'], [], whole]);
    expect((await play({ failures: [dead, dead], targets: 2 })).sent).toEqual(['0', '0!', '1']);
  });

  it('once, a moment later, if there was no connection and there is no other target', async () => {
    const { sent, waits } = await play({ failures: [connectFailed, connectFailed] });
    expect([sent, waits]).toEqual([['0', '0!'], [50]]);
  });

  it('after a wait of at most two seconds, if there is no other target', async () => {
    const { sent, waits } = await play({ failures: [refused(429, { retryAfter: 2 })] });
    expect([sent, waits]).toEqual([['0', '0'], [2050]]);
    expect((await play({ failures: [refused(429, { retryAfter: 3 })] })).sent).toEqual(['0']);
    expect((await play({ failures: [refused(429)] })).sent).toEqual(['0']);
  });
});

describe('reasoning that the vendor cannot read', () => {
  const named = (message: string, code = '') => {
    const vendor = { status: 400, message, param: undefined, code, retryable: false, retryAfter: undefined };
    return new ProviderFailure(vendor, { retryAfter: undefined, headers: [], reason: '' });
  };
  const unread = named('', 'invalid_encrypted_content');

  it.each([
    named('The encrypted content gAAA...DQ== could not be verified.', 'invalid_encrypted_content'),
    named('The encrypted content gAAA...wXBV could not be verified.'),
    named('messages.1.content.0: Invalid `signature` in `thinking` block'),
    named('messages.3.content.0: Invalid signature in thinking block'),
    named('messages.1.content.0: Invalid `data` in `redacted_thinking` block'),
    named('Corrupted thought signature.'),
    named('Invalid thought signature.'),
    named('Unable to submit request because Thought signature is not valid..'),
  ])('is left out, at the same target, once: $message', async (failure) => {
    const { sent, waits, outcome } = await play({ failures: [failure], targets: 2, hasReasoning: true });
    expect([sent, waits, outcome]).toEqual([['0', '0-'], [], whole]);
    const twice = await play({ failures: [failure, failure], targets: 2, hasReasoning: true });
    expect([twice.sent, twice.outcome]).toEqual([['0', '0-'], failure]);
  });

  it('stays in if the request cannot be sent without it, or the refusal is about something else', async () => {
    expect((await play({ failures: [unread], targets: 2 })).sent).toEqual(['0']);
    const other = named('messages.1.content.0.type: Expected `thinking`, but found `text`');
    expect((await play({ failures: [other], hasReasoning: true })).sent).toEqual(['0']);
  });

  it('is sent to the next target again', async () => {
    const { sent } = await play({ failures: [unread, refused(503)], targets: 2, hasReasoning: true });
    expect(sent).toEqual(['0', '0-', '1']);
  });

  it('costs a retry of the organization', async () => {
    const { sent, outcome } = await play({ failures: [unread], hasReasoning: true, retries: 0 });
    expect([sent, outcome]).toEqual([['0'], unread]);
  });
});

describe('an attempt that may have cost something', () => {
  const failures = [new GatewayError('upstream_timeout')];

  it('is followed by another one only with money for both', async () => {
    const { sent, charged } = await play({ failures, targets: 2, ending: 'timed_out', hasMoney: true });
    expect([sent, charged]).toEqual([['0', '1'], failures]);
    const poor = await play({ failures, targets: 2, ending: 'timed_out' });
    expect([poor.sent, poor.outcome]).toEqual([['0'], failures[0]]);
  });

  it('is not charged if it cost nothing', async () => {
    const { sent, charged } = await play({ failures: [refused(500)], targets: 2 });
    expect([sent, charged]).toEqual([['0', '1'], []]);
  });
});

describe('health learns', () => {
  it('of each success, also of the only target', async () => {
    expect((await play({ failures: [] })).worked).toEqual(['key-0']);
  });

  it('that a target works if it refuses the request itself', async () => {
    const { worked, causes } = await play({ failures: [refused(400)] });
    expect([worked, causes]).toEqual([['key-0'], []]);
  });

  it('nothing of a request that the gateway itself refuses', async () => {
    const { worked, undecided } = await play({ failures: [new GatewayError('unsupported_parameter')] });
    expect([worked, undecided]).toEqual([[], ['key-0']]);
  });

  it('nothing of a request whose caller left', async () => {
    const { undecided, causes } = await play({ failures: [refused(500)], abortsAt: 1 });
    expect([undecided, causes]).toEqual([['key-0'], []]);
  });

  it('that no attempt was made at the next target for want of money or retries', async () => {
    const failures = [new GatewayError('upstream_timeout')];
    expect((await play({ failures, targets: 2, ending: 'timed_out' })).undecided).toEqual(['key-1']);
    expect((await play({ failures, targets: 2, retries: 0 })).undecided).toEqual(['key-1']);
  });
});

describe('the caller gets', () => {
  it('the first failure that is about the request, else the last one', async () => {
    const mended = await play({ failures: [refused(404), refused(400)], targets: 3 });
    expect(mended.outcome).toMatchObject({ status: 400 });
    const last = await play({ failures: [refused(429), refused(503)], targets: 2 });
    expect(last.outcome).toMatchObject({ status: 503 });
  });

  it('the shortest wait of all attempts', async () => {
    const failures = [refused(429, { retryAfter: 5 }), refused(503, { retryAfter: 20 })];
    const { outcome } = await play({ failures, targets: 2 });
    expect(outcome).toMatchObject({ status: 503, retryAfter: 5 });
  });
});

describe('a copy of a request', () => {
  it.each([
    ['a failure of the vendor', refused(503), 'server'],
    ['a lost connection', connectFailed(), 'dead'],
    ['a kept connection that was closed', broken('closed', { wasIdle: true }), 'dead'],
    ['a rate limit with a short wait', refused(429, { retryAfter: 1 }), 'rate'],
  ])('has one attempt, which health learns from: %s', async (_what, failure, cause) => {
    const played = await play({ failures: [failure], targets: 2, hasMoney: true, isShadow: true });
    expect([played.sent, played.causes, played.charged]).toEqual([['0'], [cause], []]);
    expect(played.outcome).toBe(failure);
  });

  it('permits no retries of others, and is no failed attempt of a caller', async () => {
    expect((await play({ failures: [refused(503)], isShadow: true })).counted).toEqual([]);
    expect((await play({ failures: [refused(503)] })).counted).toEqual(['request', 'failure']);
  });
});

describe('a target that an operator has stopped meanwhile', () => {
  it('is skipped', async () => {
    const played = await play({ failures: [refused(503)], targets: 3, stopped: [1] });
    expect([played.sent, played.outcome]).toEqual([['0', '2'], whole]);
  });

  it('gets no further attempt itself, and the caller gets the failure if no other is left', async () => {
    const failure = refused(503);
    const played = await play({ failures: [failure], targets: 2, stopped: [1] });
    expect([played.sent, played.outcome]).toEqual([['0'], failure]);
    const lost = broken('closed', { wasIdle: true });
    const alone = await play({ failures: [lost], stopped: [0] });
    expect([alone.sent, alone.outcome]).toEqual([['0'], lost]);
  });
});
