import { describe, expect, it } from 'vitest';
import { messageTokensMax, textTokensMax } from '../../../../proxy/chat/text-tokens.ts';

describe('the most tokens of a text', () => {
  it.each<[string, string, number]>([
    ['nothing', '', 0],
    ['a word: three letters each', 'letters', 3],
    ['a word with a capital', 'Letters', 3],
    ['capitals: each', 'HTTP', 4],
    ['a capital inside a word', 'camelCase', 4],
    ['words: the blank between them is part of the second', 'one two three', 4],
    ['two blanks: the first of them is a token', 'one  two', 3],
    ['a blank at the end', 'one ', 2],
    ['digits', '12 34', 5],
    ['marks', '{"a":1}', 7],
    ['letters of another script: two bytes each', 'Ж', 1],
    ['an ideograph', '世界', 3],
    ['a letter with an accent', 'é', 1],
    ['an emoji: every byte', '😀', 4],
    ['an emoji of several characters', '👩‍🚀', 11],
    ['a mark outside ASCII', '€', 3],
    ['half of a pair, as a stream may cut it', '\ud83d', 4],
  ])('counts %s', (_what, text, tokens) => {
    expect(textTokensMax(text)).toBe(tokens);
  });

  it('is not less where the text comes in pieces, wherever it is cut', () => {
    const text = 'Hello there, 世界! 12 CamelCase words  and "quotes" 😀 é';
    for (let cut = 0; cut <= text.length; cut++) {
      const pieces = textTokensMax(text.slice(0, cut)) + textTokensMax(text.slice(cut));
      expect(pieces).toBeGreaterThanOrEqual(textTokensMax(text) - 1);
    }
  });
});

describe('the most tokens of a message', () => {
  it('has the text of every field but names and data', () => {
    const message = {
      ...{ role: 'assistant', content: 'one', refusal: null, id: 'an id', type: 'a type' },
      tool_calls: [{ id: 'call', type: 'function', function: { name: 'two', arguments: '{}' } }],
      thinking_blocks: [{ thinking: 'the same again', signature: 'x' }],
      annotations: [{ type: 'url_citation', url_citation: { url: 'http', title: 'x' } }],
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      musings: ['three'],
    };
    expect(messageTokensMax(message)).toBe(1 + 1 + 2 + 2);
  });
});
