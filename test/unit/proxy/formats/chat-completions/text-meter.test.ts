import { describe, expect, it } from 'vitest';
import { textTokensMax } from '../../../../../proxy/conversation/text-tokens.ts';
import { TextMeter } from '../../../../../proxy/formats/chat-completions/text-meter.ts';

const event = (delta: unknown, more: object = {}) =>
  Buffer.from(`data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, delta }], ...more })}\n\n`);

function measured(...events: readonly Buffer[]): number {
  const meter = new TextMeter();
  for (const one of events) meter.addEvent(one);
  return meter.tokens;
}

function counted(...deltas: readonly unknown[]): number {
  const meter = new TextMeter();
  meter.addChunk({ choices: deltas.map((delta) => ({ delta })) });
  return meter.tokens;
}

describe('text in unparsed events', () => {
  it('is counted whether or not events have one size', () => {
    const events = Array.from({ length: 12 }, () => event({ content: 'word '.repeat(100) }));
    // Five words of four letters and a blank are ten tokens: each word counts as two, the last blank as one.
    expect(measured(...events)).toBe(12 * 201);
  });

  it('is counted as in parsed events, for every kind of delta', () => {
    const deltas: object[] = [
      { content: '' },
      { content: 'Hello' },
      { content: 'a "quoted" \\ text\n' },
      { content: 'Grüße, 世界' },
      { role: 'assistant', content: 'first' },
      { content: 'both', reasoning_content: 'kinds' },
      { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'find', arguments: '{"a":1}' } }] },
      { refusal: 'no' },
      {},
    ];
    for (const delta of deltas) expect(measured(event(delta))).toBe(counted(delta));
  });

  it('is counted for all choices of an event', () => {
    const choices = [
      { index: 0, delta: { content: 'ab' } },
      { index: 1, delta: { content: 'cd' } },
    ];
    expect(measured(event({}, { choices }))).toBe(2);
  });

  it('is not counted in padding or comments', () => {
    expect(measured(event({ content: 'ab' }, { obfuscation: 'x'.repeat(100) }))).toBe(1);
    expect(measured(Buffer.from(': "delta":{"content":"ab"}\n\n'))).toBe(0);
  });

  it('is counted when the content itself contains a delta', () => {
    const content = '"delta":{"content":"';
    expect(measured(event({ content }))).toBe(textTokensMax(content));
  });
});

describe('text in parsed chunks', () => {
  it.each<[string, unknown, number]>([
    ['content', { content: 'ä€' }, 5],
    ['a refusal', { content: null, refusal: 'no' }, 1],
    ['reasoning', { reasoning_content: 'hm' }, 1],
    ['reasoning by its other name', { reasoning: 'hmmm' }, 2],
    [
      'reasoning under several names, once',
      { reasoning_content: 'hmm', reasoning: 'hmm', reasoning_details: [{ text: 'hmm' }] },
      1,
    ],
    ['reasoning beside its details, once', { reasoning: 'hmm', reasoning_details: [{ text: 'hmm' }] }, 1],
    [
      'reasoning by its first name beside its details, once',
      { reasoning_content: 'hmm', reasoning_details: [{ text: 'hmm' }] },
      1,
    ],
    ['calls', { tool_calls: [{ function: { name: 'f', arguments: '{}' } }, { function: { arguments: '1' } }] }, 4],
    ['the deprecated call', { function_call: { name: 'f', arguments: '{}' } }, 3],
    ['the transcript of speech, and not its data', { audio: { id: 'audio_1', data: 'AAAA', transcript: 'yes' } }, 1],
    ['an unknown field', { musings: [{ words: 'yes' }] }, 1],
    ['nothing', {}, 0],
    ['malformed fields', { content: 5, tool_calls: [null, 5, { function: 'f' }], function_call: [] }, 1],
    ['no delta', null, 0],
  ])('counts %s', (_what, delta, tokens) => {
    expect(counted(delta)).toBe(tokens);
  });

  it('is counted for all choices', () => {
    expect(counted({ content: 'ab' }, { content: 'cd' })).toBe(2);
    const meter = new TextMeter();
    meter.addChunk({ choices: 'none' });
    meter.addChunk({});
    expect(meter.tokens).toBe(0);
  });
});
