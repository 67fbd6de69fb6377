// Restores the placeholders of a request in its response: which forms are restored, which texts are left, and pieces of
// text.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { restored, restoreMatcher } from '../../../../guardrails/kinds/restore.ts';
import { Placeholders } from '../../../../guardrails/placeholders.ts';
import { guardText, TextWindow } from '../../../../guardrails/window.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../support/seed.ts';

const placeholders = new Placeholders();
placeholders.of('jane@example.com', 'EMAIL');
placeholders.of('john@example.com', 'EMAIL');
placeholders.of('4111 1111 1111 1111', 'PAYMENT_CARD');
const { values } = placeholders;

const restoring = () => [
  {
    matcher: restoreMatcher(values),
    replacement: (found: string) => restored(found, values),
    found: () => {},
  },
];

const restore = (text: string) => guardText(restoring(), text);

describe('restored placeholders', () => {
  it.each([
    ['[EMAIL_1]', 'jane@example.com'],
    ['Write to [EMAIL_1] or [EMAIL_2].', 'Write to jane@example.com or john@example.com.'],
    ['[email_1]', 'jane@example.com'],
    ['[Email 1]', 'jane@example.com'],
    ['[EMAIL-1]', 'jane@example.com'],
    ['[ EMAIL_1 ]', 'jane@example.com'],
    ['\\[EMAIL_1\\]', 'jane@example.com'],
    ['\\[EMAIL\\_1\\]', 'jane@example.com'],
    ['[EMAIL\\_1]', 'jane@example.com'],
    ['**[EMAIL_1]**', '**jane@example.com**'],
    ['`[EMAIL_1]`', '`jane@example.com`'],
    ['[[EMAIL_1]]', '[jane@example.com]'],
    ['[EMAIL_1](mailto:[EMAIL_1])', 'jane@example.com(mailto:jane@example.com)'],
    ["[EMAIL_1]'s card is [PAYMENT_CARD_1]", "jane@example.com's card is 4111 1111 1111 1111"],
    ['[PAYMENT CARD 1]', '4111 1111 1111 1111'],
    ['［ＥＭＡＩＬ＿１］', 'jane@example.com'],
    ['【EMAIL_1】', 'jane@example.com'],
    ['[EMA\u200bIL_1]', 'jane@example.com'],
  ])('a response with %j is restored', (text, expected) => {
    expect(restore(text)).toBe(expected);
  });
});

describe('a text that is not restored is', () => {
  it.each([
    ['of another request', '[EMAIL_3] [PHONE_1]'],
    ['without its brackets', 'EMAIL_1 [EMAIL_1 EMAIL_1]'],
    ['with another number', '[EMAIL_11] [EMAIL_01] [EMAIL_1a]'],
    ['with a word too many', '[MY_EMAIL_1] [EMAIL_1_2]'],
    ['over two lines', '[EMAIL\n_1]'],
    ['with too much in between', `[${' '.repeat(30)}EMAIL_1]`],
    ['without a label', '[a link](https://example.com) a[1] [x] [] \\[x^2\\]'],
  ])('a placeholder %s', (_, text) => {
    expect(restore(text)).toBe(text);
  });

  it('every placeholder, when nothing was redacted', () => {
    const matcher = restoreMatcher(new Map());
    const text = 'A response with [EMAIL_1].';
    expect(matcher.inspect({ raw: text, folded: fold(text), isEnd: true }, 0, 512).findings).toEqual([]);
  });
});

it('a restored placeholder is reported with its label', () => {
  const text = 'to [payment card 1]';
  const { findings } = restoreMatcher(values).inspect({ raw: text, folded: fold(text), isEnd: true }, 0, 512);
  expect(findings).toEqual([{ start: 3, end: text.length, label: 'PAYMENT_CARD' }]);
});

describe('placeholders in pieces of text', () => {
  it('delay text only from where a placeholder may have begun', () => {
    const window = new TextWindow(restoring());
    expect(window.push('Write to')).toBe('Write to');
    expect(window.push(' [EMA')).toBe(' ');
    expect(window.push('IL_1')).toBe('');
    expect(window.push('] now, a[')).toBe('jane@example.com now, a');
    expect(window.push('0] = 1; [x')).toBe('[0] = 1; ');
    expect(window.push(';')).toBe('[x;');
  });

  it('are not expected behind an open bracket for longer than a placeholder', () => {
    const window = new TextWindow(restoring());
    const text = `[${'a'.repeat(100)}`;
    const left = window.push(text);
    expect(text.startsWith(left)).toBe(true);
    expect(text.length - left.length).toBeLessThan(40);
  });

  const seed = startingSeed();

  it(`are restored as in the whole text (seed ${seed})`, () => {
    const random = new Random(seed);
    const parts = [
      '[EMAIL_1]',
      '\\[EMAIL\\_2\\]',
      '[',
      ']',
      '\\',
      'EMAIL_1',
      ' ',
      'words',
      '[payment card 1]',
      '【',
      '_',
      '1',
    ];
    for (let run = 0; run < roundsOf(500); run++) {
      const text = Array.from({ length: 12 }, () => random.pick(parts)).join('');
      const window = new TextWindow(restoring());
      const left = [...text].map((character) => window.push(character)).join('') + window.end();
      expect(left, JSON.stringify(text)).toBe(restore(text));
    }
  });
});
