// Random texts: noise of all kinds of characters, with values that the matchers find, plain and disguised, complete and
// cut off.
import type { Random } from '../../support/access/random.ts';

export function disguisedText(random: Random): string {
  let text = '';
  for (let parts = random.below(random.chance(0.1) ? 400 : 60); parts >= 0; parts--) {
    text += random.chance(0.3) ? random.pick(planted) : random.pick(noise);
    // More characters than the context before a position contains, so that a test notices when a matcher needs more.
    if (random.chance(0.02)) text += random.pick(['\u200b', '\u{e0041}', ' ', 'a']).repeat(random.below(150));
  }
  return text;
}

const noise = [
  ...'aabdorwxX 19<>.,-_#\n\t\u0000',
  ...['\u200b', '\u0301', '\u00ad', '\ufe0f', '\u{e0041}', 'é', 'ß', 'ﬁ', 'Ｂ', 'а', '😀', '👩‍🚀', '𝐛'],
  ...['각', '가', 'が', 'か', '傻', '瓜', 'दि', 'ดี', '\ud83d', '\udc00', '\u1161', '½', '℡', '\u00a8'],
];

const planted = [
  ...['bad', 'BAD', 'b\u200bad', 'Bаd', 'bad  word', 'bad\nwo\u0301rd', 'word up', 'a b', 'STRASSE', 'straße'],
  ...['傻瓜', 'か', '가', 'U\u0308ber-cool', 'über-cool', 'ｂａｄ ｗｏｒｄ', '𝐛𝐚𝐝', 'bad wor', 'ba\u0301'],
  ...['<abc>', '<123>', '<bad 12>', '<', '1234567', '2031-07', 'XX', '<b>x</b>'],
];
