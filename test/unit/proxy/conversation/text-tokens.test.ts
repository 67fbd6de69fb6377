import { describe, expect, it } from 'vitest';
import { textTokensMax } from '../../../../proxy/conversation/text-tokens.ts';
import { messageTokensMax } from '../../../../proxy/formats/chat-completions/text-meter.ts';

describe('the upper bound of a text’s tokens', () => {
  it.each<[string, string, number]>([
    ['nothing', '', 0],
    ['a word: three letters each', 'letters', 3],
    ['letters that are no word: five are three', 'zxcvbnmkjh', 6],
    ['letters too long for a word', 'ab'.repeat(15), 18],
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
    ['a letter with an accent: every byte', 'é', 2],
    ['a letter of a script that is rare: every byte', 'የ', 3],
    ['an emoji: every byte', '😀', 4],
    ['an emoji of several characters', '👩‍🚀', 11],
    ['a mark outside ASCII', '€', 3],
    ['half of a pair, as a stream may cut it', '\ud83d', 4],
  ])('counts %s', (_what, text, tokens) => {
    expect(textTokensMax(text)).toBe(tokens);
  });

  it('is not lower when the text is cut into pieces', () => {
    const text = 'Hello there, 世界! 12 CamelCase words  and "quotes" 😀 é';
    for (let cut = 0; cut <= text.length; cut++) {
      const pieces = textTokensMax(text.slice(0, cut)) + textTokensMax(text.slice(cut));
      expect(pieces).toBeGreaterThanOrEqual(textTokensMax(text) - 1);
    }
  });
});

/**
 * Each text with the largest token count that a vendor's vocabulary (o200k_base, cl100k_base, Claude 2) yields for it.
 */
const counted: readonly (readonly [string, number])[] = [
  ['The gateway lets applications call chat models of five vendors with one kind of key.', 16],
  ['const { usage, complete } = reader; // why?\nreturn usage?.total ?? 0;', 20],
  ['{"user_id":1234567890123456789,"tags":["a","b"],"ok":true}', 23],
  ['模型网关让应用程序调用聊天模型。', 17],
  ['東京は日本の首都です。アプリを呼び出す。', 22],
  ['모델 게이트웨이는 모델을 호출합니다.', 22],
  ['Шлюз моделей вызывает модели поставщиков.', 22],
  ['بوابة النماذج تسمح للتطبيقات', 27],
  ['मॉडल गेटवे अनुप्रयोगों को', 32],
  ['เกตเวย์โมเดลช่วยให้แอป', 42],
  ['Η πύλη μοντέλων επιτρέπει', 29],
  ['שער המודלים מאפשר ליישומים', 24],
  ['የሞዴል መግቢያ መተግበሪያዎች', 48],
  ['Cổng mô hình cho phép các ứng dụng', 24],
  ['Zażółć gęślą jaźń', 13],
  ['😀🚀👩‍🚀🇩🇪💡✅', 23],
  ['31415926535897932384626433832795', 13],
  ['9f86d081884c7d659a2feaa0c55ad015', 20],
  ['TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQ=', 27],
  ['qxzvjkw wkjvzxq zxqvwkj', 14],
  ['sdkfjhgwqpzmxncbvlaksjdhfg', 14],
  ['aQbZcXdWeVfUgT', 12],
  ['        x\n        y\n', 6],
  ['∑∫√≈≠≤≥∞∂∇', 20],
];

describe('the upper bound compared with vendors’ vocabularies', () => {
  it.each(counted)('covers the vendors’ count of %s', (text, tokens) => {
    expect(textTokensMax(text)).toBeGreaterThanOrEqual(tokens);
  });
});

describe('the upper bound of a message’s tokens', () => {
  it('covers the text of every field except names and data', () => {
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
