// Limits of the calls of one service: their time, their slots, and the breaker that pauses calls of a failing service.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../../../common/logger.ts';
import type { Principal } from '../../../../../proxy/access/principal.ts';
import {
  NotRequestedError,
  ServiceFailedError,
  type ServiceQuestion,
  type ServiceVerdict,
} from '../../../../../proxy/guardrails/service.ts';
import { LimitedCheck } from '../../../../../proxy/guardrails/services/limited-check.ts';
import { organization } from '../../../../support/service-guards.ts';
import { VirtualTime } from '../../../../support/virtual-time.ts';

const question: ServiceQuestion = {
  ...{
    guardrail: { id: 'guardrail-1', name: 'our-guard', action: 'block' },
    stage: 'input',
    requestId: 'request-1',
  },
  ...{ organization, model: 'gpt-provider/gpt-4o-mini', texts: ['tea'], window: 1000 },
  caller: { principal: { organization } as Principal, project: undefined, direct: false },
  context: () => ({ sources: [], query: '' }),
};

interface RequestTarget {
  readonly signal: AbortSignal;
  respond(verdict: ServiceVerdict): void;
  fail(error: Error): void;
}

let time: VirtualTime;
let requested: RequestTarget[];
let outcomes: string[];
let logged: string[];
let leaving: AbortController;
let check: LimitedCheck;

/** @param deaf the service ignores the signal that aborts its calls */
function open(timeoutMs: number, deaf?: 'deaf'): LimitedCheck {
  return new LimitedCheck({
    ask: (_question, signal) =>
      new Promise((respond, fail) => {
        if (deaf === undefined) signal.addEventListener('abort', () => fail(signal.reason));
        requested.push({ signal, respond, fail });
      }),
    ...{ timeoutMs, clock: time },
    log: createLogger({ name: 'test', level: 'info', stream: { write: (line) => void logged.push(line) } }),
    requested: (outcome) => void outcomes.push(outcome),
  });
}

beforeEach(() => {
  time = new VirtualTime();
  [requested, outcomes, logged] = [[], [], []];
  leaving = new AbortController();
  check = open(60_000);
});
afterEach(() => leaving.abort());

const ask = () => check.ask(question, leaving.signal);
const under = (count: number) => expect.poll(() => requested.length).toBe(count);
const reasonOf = (pending: Promise<ServiceVerdict>) =>
  pending.then(
    () => 'responded',
    (error: unknown) =>
      error instanceof ServiceFailedError || error instanceof NotRequestedError ? error.reason : String(error),
  );

async function fail(times: number, error = new Error('no connection')): Promise<void> {
  for (let count = 0; count < times; count++) {
    const before = requested.length;
    const pending = reasonOf(ask());
    await under(before + 1);
    requested.at(-1)?.fail(error);
    await pending;
  }
}

describe('calls of one service', () => {
  it('are limited to 64 at a time, and the others follow in order', async () => {
    const pending = Array.from({ length: 66 }, () => reasonOf(ask()));
    await under(64);
    requested[7]?.respond({ kind: 'pass' });
    await under(65);
    requested[8]?.fail(new Error('no connection'));
    await under(66);
    for (const { respond } of requested) respond({ kind: 'pass' });
    const reasons = await Promise.all(pending);
    expect(reasons.filter((reason) => reason === 'responded')).toHaveLength(65);
    expect(reasons[8]).toBe('unreachable');
  });

  it('are limited to 256 that wait, and one more is refused at once as busy', async () => {
    const pending = Array.from({ length: 64 + 256 }, () => reasonOf(ask()));
    expect(await reasonOf(ask())).toBe('busy');
    expect(outcomes).toEqual(['busy']);
    leaving.abort();
    await Promise.all(pending);
    expect(requested).toHaveLength(64);
  });

  it('that wait for their whole time limit count as busy, not as failed', async () => {
    check = open(50, 'deaf');
    const hanging = Array.from({ length: 64 }, () => reasonOf(ask()));
    expect(await Promise.all(Array.from({ length: 6 }, () => reasonOf(ask())))).toEqual(Array(6).fill('busy'));
    requested[0]?.respond({ kind: 'pass' });
    const next = reasonOf(ask());
    await under(65);
    for (const { respond } of requested) respond({ kind: 'pass' });
    expect([await next, ...new Set(await Promise.all(hanging))]).toEqual(['responded', 'responded']);
  });

  it('that are abandoned while they wait leave their slot to the next', async () => {
    const first = Array.from({ length: 64 }, () => reasonOf(ask()));
    const left = new AbortController();
    const leaver = check.ask(question, left.signal).catch((error: unknown) => error);
    const next = reasonOf(ask());
    const gone = new Error('the client left');
    left.abort(gone);
    expect(await leaver).toBe(gone);
    requested[0]?.respond({ kind: 'pass' });
    await under(65);
    requested[64]?.respond({ kind: 'pass' });
    expect(await next).toBe('responded');
    leaving.abort();
    await Promise.all(first);
  });

  it('are not made for a caller who has already left', async () => {
    leaving.abort(new Error('the client left'));
    await expect(ask()).rejects.toThrow('the client left');
    expect([requested, outcomes]).toEqual([[], []]);
  });
});

describe('the breaker of a service', () => {
  it('opens for ten seconds after five failures in a row', async () => {
    await fail(4);
    expect(logged).toEqual([]);
    await fail(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('left alone for ten seconds');
    expect(await reasonOf(ask())).toBe('resting');
    await time.advance(9_999);
    expect(await reasonOf(ask())).toBe('resting');
    expect(requested).toHaveLength(5);
    expect(outcomes).toEqual([...Array(5).fill('unreachable'), 'resting', 'resting']);
  });

  it('allows one trial call afterwards, and closes when that succeeds', async () => {
    await fail(5);
    await time.advance(10_000);
    const trial = reasonOf(ask());
    await under(6);
    expect(await reasonOf(ask())).toBe('resting');
    requested[5]?.respond({ kind: 'pass' });
    expect(await trial).toBe('responded');
    expect(logged.at(-1)).toContain('responds again');
    const two = [ask(), ask()];
    await under(8);
    for (const { respond } of requested) respond({ kind: 'pass' });
    await Promise.all(two);
  });

  it('opens for as long again when the trial call fails, without another log line', async () => {
    await fail(5);
    await time.advance(10_000);
    await fail(1);
    await time.advance(9_999);
    expect(await reasonOf(ask())).toBe('resting');
    expect(logged).toHaveLength(1);
    await time.advance(1);
    const trial = reasonOf(ask());
    await under(7);
    requested[6]?.respond({ kind: 'pass' });
    expect(await trial).toBe('responded');
  });

  it('counts only failures in a row', async () => {
    for (let times = 0; times < 3; times++) {
      await fail(4);
      const pending = ask();
      await under((times + 1) * 5);
      requested.at(-1)?.respond({ kind: 'pass' });
      await pending;
    }
    expect(logged).toEqual([]);
  });

  it('counts a hanging call as failed once its time is up', async () => {
    check = open(20);
    const hanging = await Promise.all(Array.from({ length: 5 }, () => reasonOf(ask())));
    expect(hanging).toEqual(Array(5).fill('timeout'));
    expect(requested.every(({ signal }) => signal.aborted)).toBe(true);
    expect(await reasonOf(ask())).toBe('resting');
  });

  it('does not count callers that leave', async () => {
    for (let times = 0; times < 10; times++) {
      const left = new AbortController();
      const pending = check.ask(question, left.signal).catch(() => undefined);
      await under(times + 1);
      left.abort();
      await pending;
    }
    const next = reasonOf(ask());
    await under(11);
    requested.at(-1)?.respond({ kind: 'pass' });
    expect(await next).toBe('responded');
  });

  it('does not count a missing key', async () => {
    await fail(10, new ServiceFailedError('no_key'));
    expect(outcomes).toEqual(Array(10).fill('no_key'));
  });
});
