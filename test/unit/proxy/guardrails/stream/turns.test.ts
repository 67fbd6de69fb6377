import { describe, expect, it } from 'vitest';
import type { Matcher } from '../../../../../guardrails/matcher.ts';
import {
  chunkOf,
  finishOf,
  guarded,
  guardOf,
  marked,
  receive,
  responseGuards,
} from '../../../../support/guarded-streams.ts';

const secret = marked('<', '>', 'SECRET');

/** A slow matcher that records the length of text of each call. */
function slow(ms: number, lengths: number[] = []): Matcher {
  return {
    cost: secret.cost,
    inspect: (text, from, window) => {
      lengths.push(text.raw.length - from);
      const until = performance.now() + ms;
      while (performance.now() < until);
      return secret.inspect(text, from, window);
    },
  };
}

const role = chunkOf({ role: 'assistant', content: '' });

describe('a long text of a stream', () => {
  it('is inspected in slices, with other work of the event loop between them', async () => {
    const lengths: number[] = [];
    const { source, result } = guarded(responseGuards([guardOf(slow(6, lengths), 'redact')]));
    let loop = 0;
    const other = setInterval(() => loop++, 0);
    const text = `${'a'.repeat(100_000)}<1>${'b'.repeat(100_000)}`;
    source.say(chunkOf({ role: 'assistant', content: text, reasoning_content: 'Hm.' }), finishOf('stop'));
    source.end();
    const received = receive(await result);
    await received.over;
    clearInterval(other);
    expect(received.text()).toBe(text.replace('<1>', '[SECRET]'));
    expect(received.text('reasoning_content')).toBe('Hm.');
    expect(received.hasEnded).toBe(true);
    expect(Math.max(...lengths)).toBeLessThan(20_000);
    expect(loop).toBeGreaterThan(5);
  });

  it('pauses its provider meanwhile, independently of its reader', async () => {
    const { source, result } = guarded(responseGuards([guardOf(slow(6), 'redact')]));
    source.say(role, chunkOf({ content: 'a'.repeat(40_000) }));
    expect(source.isPaused).toBe(true);
    const received = receive(await result);
    const stream = await result;
    stream.pause();
    stream.resume();
    expect(source.isPaused).toBe(true);
    source.end();
    await received.over;
    expect(received.text()).toHaveLength(40_000);
  });

  it('is followed by what its provider sends afterwards', async () => {
    const { source, result } = guarded(responseGuards([guardOf(slow(6), 'redact')]));
    source.say(role, chunkOf({ content: 'a'.repeat(40_000) }));
    const received = receive(await result);
    for (let tick = 0; source.isPaused && tick < 1000; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect([source.isPaused, received.hasEnded]).toEqual([false, false]);
    source.say(chunkOf({ content: ' <1> b' }), finishOf('stop'));
    source.end();
    await received.over;
    expect(received.text()).toBe(`${'a'.repeat(40_000)} [SECRET] b`);
  });

  it('is not inspected any further when the request has ended', async () => {
    const lengths: number[] = [];
    const { source, result, abort } = guarded(responseGuards([guardOf(slow(6, lengths), 'redact')]));
    source.say(role, chunkOf({ content: 'a'.repeat(100_000) }));
    const received = receive(await result);
    abort(new Error('left'));
    const looked = lengths.length;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(lengths).toHaveLength(looked);
    expect(received.failure?.message).toBe('left');
  });
});

describe('a tool call of a stream', () => {
  it('that would take too long to inspect counts as too long', async () => {
    const guards = responseGuards([guardOf({ ...secret, cost: 1_000_000 }, 'redact')]);
    const { source, result } = guarded(guards, 4_000_000);
    const piece = (args: string) => chunkOf({ tool_calls: [{ index: 0, id: 'a', function: { arguments: args } }] });
    source.say(role, piece('a'.repeat(250)));
    expect(source.aborted).toBeUndefined();
    source.say(piece('a'));
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });
});
