// Two attempts of a request at a time, step by step: which of them is waited for, cancelled and charged.
import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { Chains, type HedgeAttempts } from '../../../../proxy/routing/chain.ts';
import { ContenderContext } from '../../../../proxy/routing/contender-context.ts';
import { HedgeShare } from '../../../../proxy/routing/hedge-share.ts';
import { TargetLoads } from '../../../../proxy/routing/target-loads.ts';
import type { AttemptResult, Received, StreamSink } from '../../../../proxy/upstream/attempt-result.ts';
import { ProviderFailure } from '../../../../proxy/upstream/provider-failure.ts';
import { idleContext } from '../../../support/attempt-context.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const whole: AttemptResult = { kind: 'complete', headers: [], body: Buffer.from('{}') };

function refused(status: number): Error {
  const vendor = { status, message: `${status}`, param: undefined, code: '', retryable: status >= 500 };
  return new ProviderFailure(vendor as never, { retryAfter: undefined, headers: [], reason: '' });
}

/** One attempt, which the test plays. */
class Played {
  readonly outcome = Promise.withResolvers<AttemptResult>();
  readonly name: string;
  readonly log: string[];
  context: ContenderContext | undefined;
  tokens = 0;
  sink: StreamSink | undefined;

  constructor(name: string, log: string[]) {
    this.name = name;
    this.log = log;
  }

  get received(): Received {
    const received = { giveUp: (reason: string) => void this.log.push(`${this.name} given up: ${reason}`) };
    return { ...received, textTokens: () => this.tokens, ending: 'timed_out' } as unknown as Received;
  }

  run(): Promise<AttemptResult> {
    this.log.push(`${this.name} sent`);
    this.context?.attemptStarted(this.received);
    this.context?.onAbort({
      abort: (error) => {
        this.log.push(`${this.name} aborted`);
        this.outcome.reject(error);
      },
    });
    return this.outcome.promise;
  }

  begin(): void {
    const nothing = { pause: () => undefined, resume: () => undefined, abort: () => undefined };
    const flowTo = (sink: StreamSink) => {
      this.sink = sink;
    };
    this.outcome.resolve({ ...nothing, kind: 'stream', headers: [], flowTo });
  }
}

let time: VirtualTime;
let log: string[];
let played: Played[];
let reserved: PromiseWithResolvers<boolean> | undefined;
let hasMoney: boolean;
let mayRetry: boolean;
let mayTry: boolean;
let aborted: Error | undefined;
let abortable: { abort(error: Error): void } | undefined;

beforeEach(() => {
  time = new VirtualTime();
  [log, played, reserved] = [[], [], undefined];
  [hasMoney, mayRetry, mayTry, aborted, abortable] = [true, true, true, undefined, undefined];
});

/** @returns the outcome so far */
function open(targetCount = 2) {
  const chains = new Chains({
    health: {
      ...{ usable: (all) => all, usableGroups: (groups) => groups.flat(), mayTry: () => mayTry },
      ...{ failed: (_identity, cause) => void log.push(`counted: ${cause}`), succeeded: () => undefined },
      ...{ undecided: () => undefined, firstToken: () => undefined, exhausted: () => undefined },
    },
    loads: new TargetLoads({ clock: time }),
    retryBudget: { request: () => undefined, mayRetry: () => mayRetry },
    hedgeShare: new HedgeShare(),
    metrics: {
      attemptFailed: () => undefined,
      streamBroke: () => undefined,
      hedged: (result) => void log.push(`metric: ${result}`),
    },
    ...{ timers: time, clock: time, random: () => 0 },
  });
  const targets = Array.from({ length: targetCount }, (_, at) => ({
    ...{ providerKeyId: `key-${at}`, baseUrl: { origin: 'https://vendor.example', path: '' } },
  })) as unknown as Target[];
  const play = (target: Target) => {
    const one = new Played(target.providerKeyId?.slice(4) ?? '', log);
    played.push(one);
    return one;
  };
  const attemptOf = (one: Played) => ({
    ...{ received: one.received, isSent: true, head: {} },
    whenOver: (done: () => void) => done(),
    run: () => one.run(),
  });
  const hedging: HedgeAttempts = {
    contend: (target, _options, monotonic) => {
      const one = play(target);
      one.context = new ContenderContext({ ...idleContext, onAbort: () => undefined }, monotonic);
      return { attempt: attemptOf(one), context: one.context };
    },
    reserve: () => reserved?.promise ?? hasMoney,
    release: () => void log.push('money released'),
    charge: ({ isHedge }) => void log.push(`charged: ${isHedge ? 'hedge' : 'first'}`),
    resume: (context) => void log.push(`resumed: ${played.find((one) => one.context === context)?.name}`),
    hedged: (winner) => void log.push(`winner: ${winner}`),
  };
  const attempts = {
    start: (target: Target) => attemptOf(play(target)),
    ...{ charge: () => true, mayLeaveOutReasoning: () => false, hedging },
  };
  const context = {
    get aborted() {
      return aborted;
    },
    attemptFailed: () => undefined,
    onAbort: (one: { abort(error: Error): void }) => {
      abortable = one;
    },
  };
  const hedge = { delay: { afterMs: 100 }, route: 'fast', streamed: true };
  const call = { targets, organization: 'organization-1', model: 'gpt-provider/gpt-4o', hedge };
  const outcome: { result?: AttemptResult; error?: unknown } = {};
  chains.run(call, attempts, context).then(
    (result) => {
      outcome.result = result;
    },
    (error: unknown) => {
      outcome.error = error;
    },
  );
  return outcome;
}

describe('a stream', () => {
  it('counts from its content on, not from its head', async () => {
    const outcome = open();
    played[0]?.begin();
    await time.advance(50);
    expect(outcome.result).toBeUndefined();
    await time.advance(50);
    played[1]?.begin();
    await time.advance(1);
    for (const [one, tokens] of [
      [played[0], 0],
      [played[1], 1],
    ] as const) {
      if (one !== undefined) one.tokens = tokens;
      one?.sink?.write(Buffer.from(`of ${one.name}`));
    }
    await time.advance(1);
    const pieces: string[] = [];
    if (outcome.result?.kind !== 'stream') throw new Error('no stream');
    outcome.result.flowTo({
      write: (bytes) => void pieces.push(String(bytes)),
      end: () => undefined,
      fail: () => undefined,
    });
    played[1]?.sink?.write(Buffer.from(', more'));
    expect(pieces).toEqual(['of 1', ', more']);
    expect(log).toEqual([
      ...['0 sent', '1 sent', '0 aborted', '0 given up: not_read', 'charged: first'],
      ...['metric: hedge', 'winner: hedge'],
    ]);
  });

  it('is passed on with its head as soon as no second attempt will come', async () => {
    hasMoney = false;
    const outcome = open();
    played[0]?.begin();
    await time.advance(99);
    expect(outcome.result).toBeUndefined();
    await time.advance(1);
    expect([outcome.result?.kind, log]).toEqual(['stream', ['0 sent', 'metric: no_money']]);
  });

  it('that sends events without content for long is passed on', async () => {
    const outcome = open();
    played[0]?.begin();
    await time.advance(1);
    for (let kib = 0; kib <= 64; kib++) played[0]?.sink?.write(Buffer.alloc(1024));
    await time.advance(1);
    expect(outcome.result?.kind).toBe('stream');
  });

  it('that breaks off before its content is a failed attempt', async () => {
    const outcome = open();
    played[0]?.begin();
    await time.advance(1);
    played[0]?.sink?.fail(new GatewayError('upstream_protocol_error'));
    await time.advance(1);
    played[1]?.begin();
    await time.advance(1);
    played[1]?.sink?.end();
    await time.advance(1);
    expect([outcome.result?.kind, log]).toEqual(['stream', ['0 sent', 'counted: server', '1 sent']]);
  });
});

describe('there is no second attempt', () => {
  it.each([
    ['while too many further attempts are made', 'no_retry', () => (mayRetry = false)],
    ['while no other target may be tried', 'no_target', () => (mayTry = false)],
    ['without money', 'no_money', () => (hasMoney = false)],
  ])('%s', async (_name, reason, prepare) => {
    prepare();
    const outcome = open();
    await time.advance(200);
    expect(log.filter((line) => line !== 'money released')).toEqual(['0 sent', `metric: ${reason}`]);
    played[0]?.outcome.resolve(whole);
    await time.advance(1);
    expect(outcome.result).toBe(whole);
  });

  it('if the first one responds while money is reserved, which is released then', async () => {
    reserved = Promise.withResolvers();
    const outcome = open();
    await time.advance(100);
    played[0]?.outcome.resolve(whole);
    await time.advance(1);
    expect(outcome.result).toBe(whole);
    reserved.resolve(true);
    await time.advance(1);
    expect(log).toEqual(['0 sent', 'money released']);
  });

  it('and no timer is left once the first one has responded', async () => {
    open();
    played[0]?.outcome.resolve(whole);
    await time.advance(1);
    expect(time.nextInMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('of two attempts', () => {
  it('the first response counts, also if both come at once', async () => {
    const outcome = open();
    await time.advance(100);
    for (const one of played) one.outcome.resolve(whole);
    await time.advance(1);
    expect(outcome.result).toBe(whole);
    expect(log.filter((line) => line.startsWith('charged'))).toEqual(['charged: hedge']);
    expect(log).toContain('winner: first');
  });

  it('only the later one is ended when its time is over, and the first one is waited for again', async () => {
    const outcome = open();
    await time.advance(100);
    abortable?.abort(new GatewayError('upstream_timeout'));
    await time.advance(1);
    expect(log).toEqual(['0 sent', '1 sent', '1 aborted', 'counted: timeout', 'charged: hedge', 'resumed: 0']);
    abortable?.abort(new GatewayError('upstream_timeout'));
    await time.advance(1);
    expect(outcome.error).toMatchObject({ code: 'upstream_timeout' });
    expect(log.filter((line) => line === '0 aborted')).toHaveLength(1);
  });

  it('one is given up at once when the request is aborted, and the other one ends with it', async () => {
    const outcome = open(3);
    await time.advance(100);
    aborted = new Error('the caller has left');
    abortable?.abort(aborted);
    await time.advance(1);
    expect(outcome.error).toBe(aborted);
    expect(log).toEqual([
      ...['0 sent', '1 sent', '0 aborted', '0 given up: not_read', 'charged: first', '1 aborted'],
      ...['metric: none', 'winner: none'],
    ]);
  });

  it('a refusal of the second one ends the request if the first one fails as well', async () => {
    const outcome = open(3);
    await time.advance(100);
    played[1]?.outcome.reject(refused(400));
    await time.advance(1);
    played[0]?.outcome.reject(refused(500));
    await time.advance(1);
    expect(outcome.error).toMatchObject({ status: 400 });
    expect(played.map(({ name }) => name)).toEqual(['0', '1']);
  });

  it('a third target follows if both fail, and neither gets the request again', async () => {
    const outcome = open(4);
    await time.advance(100);
    played[0]?.outcome.reject(refused(503));
    await time.advance(1);
    played[1]?.outcome.reject(refused(503));
    await time.advance(1);
    played[2]?.outcome.reject(refused(503));
    await time.advance(1000);
    expect(outcome.error).toMatchObject({ status: 503 });
    expect(played.map(({ name }) => name)).toEqual(['0', '1', '2']);
  });
});

describe('a share of a route’s requests', () => {
  it('is one in twenty, the first one at once, ten at most in a row', () => {
    const share = new HedgeShare();
    share.request('fast');
    expect([share.take('fast'), share.take('fast')]).toEqual([true, false]);
    for (let request = 0; request < 19; request++) share.request('fast');
    expect([share.take('fast'), share.take('fast'), share.take('other')]).toEqual([true, false, true]);
    share.give('fast');
    expect(share.take('fast')).toBe(true);
    for (let request = 0; request < 2000; request++) share.request('fast');
    expect(Array.from({ length: 12 }, () => share.take('fast')).filter(Boolean)).toHaveLength(10);
  });
});

describe('the times of a target', () => {
  it('have percentiles of the latest 64, as soon as there are 20', () => {
    const loads = new TargetLoads({ clock: time });
    const target = { organization: 'o', model: 'm', providerKey: { id: 'k', revision: '' } };
    loads.begin(target);
    for (let ms = 1; ms <= 19; ms++) loads.noteTime(target, true, ms);
    expect(loads.timeOf(target, true, 95)).toBeUndefined();
    loads.noteTime(target, true, 20);
    expect([50, 95, 99].map((percent) => loads.timeOf(target, true, percent))).toEqual([10, 19, 20]);
    expect(loads.timeOf(target, false, 95)).toBeUndefined();
    for (let sample = 0; sample < 64; sample++) loads.noteTime(target, true, 500);
    expect(loads.timeOf(target, true, 50)).toBe(500);
  });
});
