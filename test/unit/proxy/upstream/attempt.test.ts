// Facts about the provider's response that an attempt keeps for charging, even if the response fails or its caller has
// left.

import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../proxy/errors.ts';
import { ClientGone } from '../../../../proxy/http/exchange.ts';
import { Attempt, type AttemptResult } from '../../../../proxy/upstream/attempt.ts';
import { TransportError, type UpstreamReceiver } from '../../../../proxy/upstream/transport.ts';
import { idleContext } from '../../../support/attempt-context.ts';
import { callOf } from '../../../support/vendor-calls.ts';

const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream' };
const hello = { messages: [{ role: 'user', content: 'Hello' }] };

/** An attempt with a provider that the test plays. */
class Played {
  readonly attempt: Attempt;
  readonly result: Promise<AttemptResult | undefined>;
  /** The receiver by which the test plays the provider. */
  provider: UpstreamReceiver | undefined;
  error: unknown;
  isCancelled = false;
  isPaused = false;
  begun = true;

  constructor(stream: boolean, call = callOf('gpt-provider', 'gpt-4o', { stream, ...hello })) {
    const played = this;
    const connection = {
      get begun() {
        return played.begun;
      },
      cancel: () => {
        this.isCancelled = true;
      },
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
      },
    };
    const transport = {
      send: (_request: unknown, receiver: UpstreamReceiver) => {
        this.provider = receiver;
        return connection;
      },
      close: () => Promise.resolve(),
    };
    const limits = { responseBytesMax: 10_000, eventBytesMax: 10_000 };
    this.attempt = new Attempt(call, { transport, limits, now: () => call.now }, idleContext);
    this.result = this.attempt.run().catch((error: unknown) => {
      this.error = error;
      return undefined;
    });
  }

  says(status: number, headers: object, ...parts: readonly Buffer[]): this {
    this.provider?.onHead(status, { ...headers });
    for (const part of parts) this.provider?.onData(part);
    return this;
  }

  ends(): this {
    this.provider?.onEnd();
    return this;
  }

  breaks(error = new TransportError('closed', 'reset')): this {
    this.provider?.onError(error);
    return this;
  }

  get facts() {
    const { attempt } = this;
    return {
      ending: attempt.ending,
      complete: attempt.usageIsComplete,
      usage: attempt.usage()?.completionTokens,
      model: attempt.model(),
      tokens: attempt.textTokens(),
    };
  }
}

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const usage = { prompt_tokens: 5, completion_tokens: 3 };
const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }];
const chunk = (content: string, more: object = {}) =>
  bytes(`data: ${JSON.stringify({ model: 'served', choices: [{ delta: { content } }], ...more })}\n\n`);
const usageChunk = bytes(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
const done = bytes('data: [DONE]\n\n');

describe('a whole response of an attempt', () => {
  it('has complete usage when the provider reports it', async () => {
    const played = new Played(false).says(200, json, bytes({ model: 'gpt-4o-2024-11-20', choices, usage })).ends();
    expect((await played.result)?.kind).toBe('complete');
    expect(played.facts).toMatchObject({
      ending: 'whole',
      complete: true,
      usage: 3,
      model: 'gpt-4o-2024-11-20',
    });
  });

  it('without usage has the tokens of its text', () => {
    const played = new Played(false).says(200, json, bytes({ model: 'm', choices })).ends();
    expect(played.facts).toEqual({
      ending: 'whole',
      complete: false,
      usage: undefined,
      model: 'm',
      tokens: 1,
    });
  });

  it('has no complete usage when it has text but an output count of 0', () => {
    const nothing = { prompt_tokens: 5, completion_tokens: 0 };
    const played = new Played(false).says(200, json, bytes({ choices, usage: nothing })).ends();
    expect(played.facts).toMatchObject({ ending: 'whole', complete: false, usage: 0, tokens: 1 });
    const silent = [{ index: 0, message: { content: null }, finish_reason: 'content_filter' }];
    const blocked = new Played(false).says(200, json, bytes({ choices: silent, usage: nothing })).ends();
    expect(blocked.facts).toMatchObject({ ending: 'whole', complete: true, usage: 0, tokens: 0 });
  });

  it('has no model when the reported model contains the key of the request', () => {
    const call = callOf('gpt-provider', 'gpt-4o', hello);
    const key = call.target.credential.apiKey?.reveal() ?? '';
    expect(key).not.toBe('');
    const played = new Played(false, call).says(200, json, bytes({ model: `m-${key}`, choices, usage })).ends();
    expect(played.facts).toMatchObject({ ending: 'whole', model: undefined });
  });

  it.each<[string, (played: Played) => void, string]>([
    ['whose connection broke', (played) => played.breaks(), 'reset'],
    ['that cannot be read', (played) => played.ends(), 'not_read'],
    ['that took too long', ({ attempt }) => attempt.abort(new GatewayError('upstream_timeout')), 'timed_out'],
  ])('a response %s has no usage, and its ending is recorded', async (_what, end, ending) => {
    const played = new Played(false).says(200, json, bytes('{"choices":[{"mess'));
    end(played);
    expect(await played.result).toBeUndefined();
    expect(played.facts).toMatchObject({ ending, complete: false, usage: undefined });
    expect(played.facts.tokens).toBeGreaterThan(0);
  });

  it('with an error despite its status used nothing', async () => {
    const played = new Played(false).says(200, json, bytes({ error: { message: 'no' } })).ends();
    expect(await played.result).toBeUndefined();
    expect(played.facts.ending).toBe('unused');
  });
});

describe('an attempt that used nothing', () => {
  it.each<[string, (played: Played) => void]>([
    ['of a provider that refuses', (played) => played.says(500, json, bytes({ error: { message: 'down' } })).ends()],
    ['of one that refuses at length', (played) => played.says(400, json, Buffer.alloc(1_100_000, 'x'))],
    [
      'of one that is not reached',
      (played) => played.breaks(new TransportError('connect', 'refused', { begun: false })),
    ],
    [
      'of one whose address is forbidden',
      (played) => played.breaks(new TransportError('forbidden', 'private', { begun: false })),
    ],
    [
      'of a request that no connection had accepted',
      (played) => played.breaks(new TransportError('closed', 'gone', { begun: false })),
    ],
  ])('is one %s', async (_what, play) => {
    const played = new Played(true);
    play(played);
    expect(await played.result).toBeUndefined();
    expect(played.facts).toMatchObject({ ending: 'unused', usage: undefined, tokens: 0 });
  });

  it('is one whose stream begins with an error', async () => {
    const played = new Played(true).says(200, eventStream, bytes('data: {"error":{"message":"busy"}}\n\n'));
    expect(await played.result).toBeUndefined();
    expect(played.facts.ending).toBe('unused');
    expect(played.isCancelled).toBe(true);
  });

  it('is one whose caller left before a connection took the request', async () => {
    const played = new Played(false);
    played.begun = false;
    played.attempt.abort(new ClientGone('client_left'));
    expect(await played.result).toBeUndefined();
    expect([played.facts.ending, played.isCancelled]).toEqual(['unused', true]);
  });
});

describe('a stream of an attempt', () => {
  it('has complete usage only with its end marker', async () => {
    const played = new Played(true).says(200, eventStream, chunk('Hi'), usageChunk);
    await played.result;
    expect(played.facts).toMatchObject({ ending: 'open', complete: false, usage: 3 });
    played.provider?.onData(done);
    expect(played.facts).toMatchObject({ ending: 'whole', complete: true, usage: 3 });
  });

  it('has no complete usage when it has text but an output count of 0', async () => {
    const nothing = bytes(
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 0 } })}\n\n`,
    );
    const played = new Played(true).says(200, eventStream, chunk('Hi'), nothing, done);
    await played.result;
    expect(played.facts).toMatchObject({ ending: 'whole', complete: false, usage: 0 });
    const silent = new Played(true).says(200, eventStream, chunk(''), nothing, done);
    await silent.result;
    expect(silent.facts).toMatchObject({ ending: 'whole', complete: true, usage: 0 });
  });

  it('keeps its facts after its connection broke', async () => {
    const played = new Played(true).says(200, eventStream, chunk('Hi'));
    expect((await played.result)?.kind).toBe('stream');
    played.provider?.onData(chunk('words '.repeat(100)));
    played.breaks();
    expect(played.facts).toEqual({
      ending: 'reset',
      complete: false,
      usage: undefined,
      model: 'served',
      tokens: 202,
    });
  });

  it('without its end marker was cut', async () => {
    const played = new Played(true).says(200, eventStream, chunk('Hi')).ends();
    await played.result;
    expect(played.facts).toMatchObject({ ending: 'cut', complete: false });
  });

  it('with an error in the middle was cut, and its earlier text was used', async () => {
    const played = new Played(true).says(200, eventStream, chunk('Hi'), bytes('data: {"error":{}}\n\n'));
    await played.result;
    expect(played.facts).toMatchObject({ ending: 'cut', tokens: 1 });
  });
});

describe('a response whose caller has left', () => {
  const left = new ClientGone('client_left');

  it('is not cancelled when it is whole, and is read for its usage', async () => {
    const played = new Played(false);
    played.attempt.abort(left);
    expect(await played.result).toBeUndefined();
    expect([played.error, played.isCancelled, played.facts.ending]).toEqual([left, false, 'open']);
    const reading = played.attempt.readOn();
    played.says(200, json, bytes({ model: 'm', choices, usage })).ends();
    await reading;
    expect(played.facts).toMatchObject({ ending: 'whole', complete: true, usage: 3 });
  });

  it('is not cancelled when it is a stream paused by a slow caller, and is read for its usage', async () => {
    const played = new Played(true).says(200, eventStream, chunk('Hi'));
    const result = await played.result;
    if (result?.kind !== 'stream') throw new Error('there is no stream');
    const written: string[] = [];
    const failures: Error[] = [];
    result.flowTo({
      write: (part) => void written.push(String(part)),
      end: () => undefined,
      fail: (error) => void failures.push(error),
    });
    result.pause();
    played.attempt.abort(left);
    const reading = played.attempt.readOn();
    expect(played.isPaused).toBe(false);
    for (const part of [chunk(' there'), usageChunk, done]) played.provider?.onData(part);
    await reading;
    expect(played.facts).toMatchObject({ ending: 'whole', complete: true, usage: 3 });
    expect([written.length, failures]).toEqual([1, [left]]);
  });

  it('can be given up, before and while it is read on', async () => {
    const before = new Played(true).says(200, eventStream, chunk('Hi'));
    before.attempt.abort(left);
    before.attempt.giveUp('left');
    expect([before.facts.ending, before.isCancelled]).toEqual(['left', true]);

    const during = new Played(false);
    during.attempt.abort(left);
    const reading = during.attempt.readOn();
    during.attempt.giveUp('timed_out');
    await reading;
    expect([during.facts.ending, during.isCancelled]).toEqual(['timed_out', true]);
  });

  it('keeps the ending of its connection when it does not complete', async () => {
    for (const [end, ending] of [
      [(played: Played) => played.breaks(), 'reset'],
      [(played: Played) => played.ends(), 'cut'],
      [(played: Played) => played.provider?.onData(bytes('data: no JSON "error"\n\n')), 'not_read'],
    ] as const) {
      const played = new Played(true).says(200, eventStream, chunk('Hi'));
      played.attempt.abort(left);
      const reading = played.attempt.readOn();
      end(played);
      await reading;
      expect(played.facts.ending).toBe(ending);
    }
  });

  it('is not waited for when it has ended already', async () => {
    const played = new Played(false).says(200, json, bytes({ choices, usage })).ends();
    await played.attempt.readOn();
    played.attempt.giveUp('left');
    expect(played.facts.ending).toBe('whole');
  });
});
