// Streams on their way through a recorder to a caller, and back from a stored response: whole events, no more than the
// caller reads.
import { describe, expect, it } from 'vitest';
import { Recorder } from '../../../../proxy/response-cache/recorder.ts';
import { replayed } from '../../../../proxy/response-cache/replay.ts';
import type { StreamResult, StreamSink } from '../../../../proxy/upstream/attempt-result.ts';
import { cachedCall } from '../../../support/cached-calls.ts';
import { until } from '../../../support/process.ts';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const done = 'data: [DONE]\n\n';
const tea = chunk({ content: 'Tea' }) + chunk({}, 'stop') + done;

/** A provider's stream, which the test writes. */
class PlayedStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers: readonly string[] = [];
  sink: StreamSink | undefined;
  flowTo(sink: StreamSink): void {
    this.sink = sink;
  }
  pause(): void {}
  resume(): void {}
  abort(): void {}
}

class Caller implements StreamSink {
  text = '';
  ended: unknown;
  onWrite: () => void = () => undefined;
  write(bytes: Buffer): void {
    this.text += bytes.toString();
    this.onWrite();
  }
  end(): void {
    this.ended = 'end';
  }
  fail(error: Error): void {
    this.ended = error.message;
  }
}

function recording({ hasMemory = true } = {}) {
  const source = new PlayedStream();
  const caller = new Caller();
  const paused: boolean[] = [];
  const recorder = new Recorder({
    buffer: () => {
      if (!hasMemory) throw new Error('overloaded');
    },
    onPaused: (isPaused) => void paused.push(isPaused),
    inSlices: () => Promise.reject(new Error('nothing is large')),
  });
  const recorded = recorder.record(source);
  if (recorded instanceof Promise || recorded.kind !== 'stream') throw new Error('it is a stream');
  recorded.flowTo(caller);
  const write = (text: string) => source.sink?.write(Buffer.from(text));
  return { source, caller, recorder, recorded, paused, write };
}

describe('a recorded stream', () => {
  it.each([1, 7, tea.length])('passes unchanged in pieces of %d bytes, and is stored at its end', (bytes) => {
    const { source, caller, recorder, write } = recording();
    for (let at = 0; at < tea.length; at += bytes) write(tea.slice(at, at + bytes));
    expect(recorder.result).toBe('incomplete');
    source.sink?.end();
    expect(recorder.result).toEqual({ form: 'stream', body: Buffer.from(tea) });
    expect([caller.text, caller.ended]).toEqual([tea, 'end']);
  });

  it.each([
    ['incomplete', 'has no end mark', chunk({ content: 'x' }, 'stop')],
    ['finish', 'ended for its length', chunk({}, 'length') + done],
    ['incomplete', 'has an event that is no JSON', `data: [1]\n\n${tea}`],
    ['large_response', 'is too large', chunk({ content: 'x'.repeat(1024 * 1024) }) + tea],
  ])('passes and is not stored (%s) if it %s', (reason, _name, text) => {
    const { source, caller, recorder, write } = recording();
    write(text);
    source.sink?.end();
    expect([recorder.result, caller.text, caller.ended]).toEqual([reason, text, 'end']);
  });

  it('passes and is not stored if there is no memory for it', () => {
    const { source, caller, recorder, write } = recording({ hasMemory: false });
    write(tea);
    source.sink?.end();
    expect([recorder.result, caller.text, caller.ended]).toEqual(['no_memory', tea, 'end']);
  });

  it('is not stored if it fails', () => {
    const { source, caller, recorder, write } = recording();
    write(tea);
    source.sink?.fail(new Error('cut'));
    expect([recorder.result, caller.ended]).toEqual(['failed', 'cut']);
  });

  it('reports a caller that does not read', () => {
    const { recorded, paused } = recording();
    recorded.pause();
    recorded.resume();
    expect(paused).toEqual([true, false]);
  });
});

describe('a stored stream', () => {
  const long = Array.from({ length: 2000 }, (_, at) => chunk({ content: `word ${at}` })).join('') + tea;

  function opened(): StreamResult {
    const { request } = cachedCall({ body: { stream: true } }).call;
    const stored = { form: 'stream', body: Buffer.from(long), headers: [] } as const;
    const { value } = replayed(stored, request).next();
    if (value === undefined || value.kind !== 'stream') throw new Error('it is a stream');
    return value;
  }

  it('comes in whole events, and in several ticks', async () => {
    const caller = new Caller();
    let writes = 0;
    caller.onWrite = () => {
      writes++;
      expect(caller.text.endsWith('\n\n')).toBe(true);
    };
    opened().flowTo(caller);
    expect(caller.ended).toBeUndefined();
    await until(() => caller.ended !== undefined);
    expect([caller.text, caller.ended, writes > 5]).toEqual([long, 'end', true]);
  });

  it('waits while its reader does not read', async () => {
    const stream = opened();
    const caller = new Caller();
    caller.onWrite = () => stream.pause();
    stream.flowTo(caller);
    const first = caller.text.length;
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect([caller.text.length, caller.ended]).toEqual([first, undefined]);
    caller.onWrite = () => undefined;
    stream.resume();
    await until(() => caller.ended !== undefined);
    expect(caller.text).toBe(long);
  });

  it('ends with the error when it is aborted, before and after it flows', async () => {
    const [flowing, early] = [opened(), opened()];
    const [caller, other] = [new Caller(), new Caller()];
    flowing.flowTo(caller);
    flowing.abort(new Error('left'));
    early.abort(new Error('left'));
    early.flowTo(other);
    await new Promise(setImmediate);
    expect([caller.ended, other.ended, other.text]).toEqual(['left', 'left', '']);
  });
});
