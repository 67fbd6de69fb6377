import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { sliceMax, slicesOf } from '../../../../../proxy/guardrails/stream/chunk-pieces.ts';

const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunkOf = (...choices: unknown[]): JsonObject => ({ ...head, choices });

/** All text of one field of a choice in the pieces. */
function chunkTexts(pieces: readonly JsonObject[], index: number, name: string): string {
  return pieces
    .flatMap(({ choices }) => choices as { index: number; delta: Record<string, string> }[])
    .filter((choice) => choice.index === index)
    .map(({ delta }) => delta[name] ?? '')
    .join('');
}

describe('a chunk of a stream', () => {
  it('with short texts is not cut', () => {
    const content = 'x'.repeat(sliceMax);
    expect(slicesOf(chunkOf({ index: 0, delta: { content } }))).toEqual([]);
    expect(slicesOf({ ...head, choices: 'none' })).toEqual([]);
    expect(slicesOf(chunkOf('odd', { index: 1 }, { index: 2, delta: { content: 4 } }))).toEqual([]);
  });

  it.each(['content', 'reasoning_content', 'reasoning', 'refusal'])(
    'with a long text in %s is cut into short pieces with the same text',
    (name) => {
      const text = Array.from({ length: 3 * sliceMax + 5 }, (_, at) => String(at % 10)).join('');
      const pieces = slicesOf(chunkOf({ index: 0, delta: { role: 'assistant', [name]: text } }));
      expect(pieces).toHaveLength(4);
      expect(chunkTexts(pieces, 0, name)).toBe(text);
      for (const piece of pieces) {
        expect(piece).toMatchObject({ ...head, choices: [{ index: 0, delta: { role: 'assistant' } }] });
        expect(chunkTexts([piece], 0, name).length).toBeLessThanOrEqual(sliceMax);
      }
    },
  );

  it('keeps its other fields once, in the last piece', () => {
    const long = 'x'.repeat(sliceMax + 1);
    const other = { index: 1, delta: { content: 'short' }, finish_reason: null };
    const call = { index: 0, id: 'f', function: { name: 'f', arguments: '{}' } };
    const usage = { prompt_tokens: 1 };
    const pieces = slicesOf({
      ...chunkOf({ index: 0, delta: { content: long, tool_calls: [call] }, finish_reason: 'stop' }, other),
      usage,
    });
    expect(pieces).toHaveLength(2);
    expect(JSON.stringify(pieces[0])).not.toMatch(/tool_calls|stop|usage|short/);
    expect(pieces[1]).toEqual({
      ...chunkOf({ index: 0, delta: { content: 'x', tool_calls: [call] }, finish_reason: 'stop' }, other),
      usage,
    });
  });
});
