// What an attempt tells of the answer to those who have to charge it, also where there is no answer in the end.
import { describe, expect, it } from 'vitest';
import { Attempt, type AttemptResult, type Received } from '../../../../proxy/upstream/attempt.ts';
import { TransportError, type UpstreamReceiver } from '../../../../proxy/upstream/transport.ts';
import { callOf } from '../../../support/vendor-calls.ts';

const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream' };

interface Facts {
  readonly usage: number | undefined;
  readonly model: string | undefined;
  readonly textBytes: number;
}

const facts = (told: Received): Facts => ({
  usage: told.usage()?.completionTokens,
  model: told.model(),
  textBytes: told.textBytes(),
});

/** @param answer what the provider does */
async function attempt(stream: boolean, answer: (receiver: UpstreamReceiver) => void) {
  const call = callOf('gpt-provider', 'gpt-4o', { stream, messages: [{ role: 'user', content: 'Hello' }] });
  const atFailure: Facts[] = [];
  const context = {
    attemptStarted: () => undefined,
    buffer: () => undefined,
    progress: () => undefined,
    received: (told: Received) => void atFailure.push(facts(told)),
  };
  const connection = { cancel: () => undefined, pause: () => undefined, resume: () => undefined };
  const transport = {
    send: (_request: unknown, receiver: UpstreamReceiver) => {
      queueMicrotask(() => answer(receiver));
      return connection;
    },
    close: () => Promise.resolve(),
  };
  const limits = { answerBytesMax: 10_000, eventBytesMax: 10_000 };
  const started = new Attempt(call, { transport, limits, now: () => call.now }, context);
  const result: AttemptResult | undefined = await started.run().catch(() => undefined);
  return { result, atFailure };
}

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const usage = { prompt_tokens: 5, completion_tokens: 3 };
const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }];

function complete(body: Buffer) {
  return attempt(false, (receiver) => {
    receiver.onHead(200, json);
    receiver.onData(body);
    receiver.onEnd();
  });
}

describe('a complete answer', () => {
  it('tells its model, its usage and how large it was', async () => {
    const body = bytes({ model: 'gpt-4o-2024-11-20', choices, usage });
    const { result, atFailure } = await complete(body);
    expect(result).toMatchObject({ model: 'gpt-4o-2024-11-20', textBytes: body.length });
    expect(result?.kind === 'complete' && result.usage?.completionTokens).toBe(3);
    expect(atFailure).toEqual([]);
  });

  it('tells no model that holds the key it was asked with', async () => {
    const call = callOf('gpt-provider', 'gpt-4o', { messages: [{ role: 'user', content: 'Hello' }] });
    const key = call.target.credential.apiKey?.reveal() ?? '';
    const { result } = await complete(bytes({ model: `m-${key}`, choices, usage }));
    expect(key).not.toBe('');
    expect(result).toMatchObject({ kind: 'complete', model: undefined });
  });

  it.each<[string, (receiver: UpstreamReceiver) => void]>([
    ['that is cut', (receiver) => receiver.onError(new TransportError('closed', 'reset'))],
    ['that cannot be read', (receiver) => receiver.onEnd()],
  ])('%s tells how much had come', async (_what, end) => {
    const { result, atFailure } = await attempt(false, (receiver) => {
      receiver.onHead(200, json);
      receiver.onData(bytes('{"choices":[{"mess'));
      end(receiver);
    });
    expect(result).toBeUndefined();
    expect(atFailure).toEqual([{ usage: undefined, model: undefined, textBytes: 18 }]);
  });
});

describe('what is no answer', () => {
  it('has no text: an error of the provider', async () => {
    const { atFailure } = await attempt(false, (receiver) => {
      receiver.onHead(500, json);
      receiver.onData(bytes({ error: { message: 'down' } }));
      receiver.onEnd();
    });
    expect(atFailure).toEqual([{ usage: undefined, model: undefined, textBytes: 0 }]);
  });

  it('has no text: nothing came', async () => {
    const { atFailure } = await attempt(true, (receiver) => {
      receiver.onError(new TransportError('connect', 'refused'));
    });
    expect(atFailure).toEqual([{ usage: undefined, model: undefined, textBytes: 0 }]);
  });
});

describe('a stream', () => {
  const chunk = (content: string, more: object = {}) =>
    bytes(`data: ${JSON.stringify({ model: 'answered', choices: [{ delta: { content } }], ...more })}\n\n`);

  it('tells what has come so far, and goes on telling it once it is cut', async () => {
    let provider: UpstreamReceiver | undefined;
    const { result, atFailure } = await attempt(true, (receiver) => {
      provider = receiver;
      receiver.onHead(200, eventStream);
      receiver.onData(chunk(''));
    });
    if (result?.kind !== 'stream') throw new Error('there is no stream');
    expect(facts(result)).toEqual({ usage: undefined, model: 'answered', textBytes: 4 });
    provider?.onData(chunk('x'.repeat(100)));
    provider?.onError(new TransportError('closed', 'reset'));
    expect(facts(result)).toEqual({ usage: undefined, model: 'answered', textBytes: 108 });
    expect(atFailure).toEqual([]);
  });

  it('that fails before its first event tells what it had told', async () => {
    const { result, atFailure } = await attempt(true, (receiver) => {
      receiver.onHead(200, eventStream);
      receiver.onData(
        bytes(
          'data: {"model":"answered","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}\n\n',
        ),
      );
      receiver.onEnd();
    });
    expect(result).toBeUndefined();
    expect(atFailure).toEqual([{ usage: 3, model: 'answered', textBytes: 0 }]);
  });
});
