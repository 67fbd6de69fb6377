import { describe, expect, it } from 'vitest';
import { TextMeter } from '../../../../../proxy/providers/passthrough/text-meter.ts';

const event = (content: string, padding = '') =>
  Buffer.from(`data: ${JSON.stringify({ id: 'a', choices: [{ delta: { content } }], padding })}\n\n`);

function measured(...events: readonly Buffer[]): number {
  const meter = new TextMeter();
  for (const one of events) meter.addEvent(one);
  return meter.bytes;
}

function counted(...deltas: readonly unknown[]): number {
  const meter = new TextMeter();
  meter.addChunk({ choices: deltas.map((delta) => ({ delta })) });
  return meter.bytes;
}

describe('text in events that are not parsed', () => {
  it('is what they are larger than the smallest, and a token each', () => {
    expect(measured()).toBe(0);
    expect(measured(event('x'))).toBe(4);
    expect(measured(event(''), event('x'.repeat(1000)))).toBe(1008);
    expect(measured(event('x'.repeat(1000)), event(''))).toBe(1008);
  });

  it('is never less than there was, where one of them has no more than a token', () => {
    for (const words of [
      ['', 'a'],
      ['Hello', ' the', 're'],
      ['a', 'b', 'c'],
      ['Donaudampfschiff', '', 'x'],
    ]) {
      const bytes = measured(...words.map((word) => event(word)));
      expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(words.join('')));
    }
  });

  it('is a token each where they are padded to one size', () => {
    expect(measured(event('a', '1234'), event('abcd', '1'), event('ab', '123'))).toBe(12);
  });

  it('is not in comments', () => {
    expect(measured(event('abcd'), Buffer.from(': keep-alive\n\n'), event('abcd'))).toBe(8);
  });
});

describe('text in chunks that are parsed', () => {
  it.each<[string, unknown, number]>([
    ['content in bytes', { content: 'ä€' }, 5],
    ['a refusal', { content: null, refusal: 'no' }, 2],
    ['reasoning', { reasoning_content: 'hm' }, 2],
    ['reasoning by its other name', { reasoning: 'hmm' }, 3],
    ['reasoning under both names, once', { reasoning_content: 'hmm', reasoning: 'hmm' }, 3],
    [
      'calls',
      { tool_calls: [{ function: { name: 'f', arguments: '{}' } }, { function: { arguments: '1' } }] },
      4,
    ],
    ['the deprecated call', { function_call: { name: 'f', arguments: '{}' } }, 3],
    ['nothing', {}, 0],
    ['what is malformed', { content: 5, tool_calls: [null, 5, { function: 'f' }], function_call: [] }, 0],
    ['no delta', null, 0],
  ])('is %s', (_what, delta, bytes) => {
    expect(counted(delta)).toBe(bytes);
  });

  it('is of all choices', () => {
    expect(counted({ content: 'ab' }, { content: 'cd' })).toBe(4);
    const meter = new TextMeter();
    meter.addChunk({ choices: 'none' });
    meter.addChunk({});
    expect(meter.bytes).toBe(0);
  });
});
