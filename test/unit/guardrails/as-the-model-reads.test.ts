// Values in the forms in which models read them: behind escapes of JSON at any depth, in URLs and HTML, in digits of
// other scripts, across line ends.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../guardrails/fold.ts';
import { compileCheck } from '../../../guardrails/index.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { TextWindow } from '../../../guardrails/window.ts';
import type { PersonalDataType } from '../../../proto/words/guardrails.ts';

const personalData = (...types: readonly PersonalDataType[]) =>
  compileCheck({
    kind: 'personal_data',
    types: types.length > 0 ? types : ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
    countries: ['US', 'DE'],
    restore: false,
  });
const words = compileCheck({ kind: 'words', phrases: ['blue heron', 'tangerine'], withinWords: false });
const patterns = compileCheck({ kind: 'pattern', patterns: ['\\bTCK-\\d{6}\\b', 'CORP\\\\\\w+'] });
const secrets = compileCheck({ kind: 'secrets' });
const token = ['ghp', 'a8Kd93LmQz71xYtR5vBn20PwEs64HcJgUiF1'].join('_');
const npmToken = ['npm', 'a8Kd93LmQz71xYtR5vBn20PwEs64HcJgUiF1'].join('_');

function foundIn(matcher: Matcher, raw: string): readonly string[] {
  const { findings } = matcher.inspect({ raw, folded: fold(raw), isEnd: true }, 0, 512);
  return findings.map(({ start, end }) => raw.slice(start, end));
}

const values: readonly (readonly [string, Matcher, string])[] = [
  ['an e-mail address', personalData(), 'ada@example.org'],
  ['a card', personalData(), '4111 1111 1111 1111'],
  ['an IBAN', personalData(), 'GB82WEST12345698765432'],
  ['a telephone number', personalData(), '+49 30 23125456'],
  ['an IP address', personalData(), '10.20.30.40'],
  ['a national id', personalData(), '536-90-4399'],
  ['a phrase', words, 'blue heron'],
  ['a pattern', patterns, 'TCK-123456'],
  ['a secret', secrets, token],
];
const separators = [' ', '\n', '\t', '\r\n', '\f', '\u00a0'];

describe.each(values)('%s in JSON', (_what, matcher, value) => {
  it.each(separators)('is found behind %j, without any part of the escape', (separator) => {
    const inner = JSON.stringify({ note: `Customer:${separator}${value}${separator}end` });
    expect(foundIn(matcher, inner)).toEqual([value]);
    expect(foundIn(matcher, inner.slice(5, -3))).toEqual([value]);
    expect(foundIn(matcher, `got ${inner} today`)).toEqual([value]);
    expect(foundIn(matcher, JSON.stringify({ body: inner }))).toEqual([value]);
    expect(foundIn(matcher, JSON.stringify([JSON.stringify({ body: inner })]))).toEqual([value]);
  });
});

describe('other forms of personal data', () => {
  const email = personalData('email', 'phone', 'payment_card');

  it.each([
    ['letters by number', '{"to":"\\u0061da@example.org"}', ['\\u0061da@example.org']],
    [
      'URLs',
      '/find?email=ada%40example.org&phone=%2B49%2030%2023125456',
      ['ada%40example.org', '%2B49%2030%2023125456'],
    ],
    ['UTF-8 in URLs', 'card=%D9%A4111%201111+%EF%BC%91111%201111', []],
    ['digits of other scripts in URLs', 'card=%D9%A4111%201111%201111%201111', ['%D9%A4111%201111%201111%201111']],
    [
      'HTML',
      '<b>ada&#64;example&period;org</b>&nbsp;4111&#x20;1111 1111 1111',
      ['ada&#64;example&period;org', '4111&#x20;1111 1111 1111'],
    ],
    ['Arabic digits', '٤١١١ ١١١١ ١١١١ ١١١١', ['٤١١١ ١١١١ ١١١١ ١١١١']],
    ['Persian digits', '۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱', ['۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱']],
    ['digits of Devanagari', '४१११ ११११ ११११ ११११', ['४१११ ११११ ११११ ११११']],
    ['full-width digits', '４１１１　１１１１　１１１１　１１１１', ['４１１１　１１１１　１１１１　１１１１']],
    ['a card over a line end', 'card 4111 1111\n  1111 1111.', ['4111 1111\n  1111 1111']],
    ['a card in a quoted mail', '> 4111-1111-\n> 1111-1111', ['4111-1111-\n> 1111-1111']],
    ['a card over an escaped line end', '{"a":"4111 1111\\n1111 1111"}', ['4111 1111\\n1111 1111']],
    ['a telephone number over a line end', 'call +49 30\r\n23125456', ['+49 30\r\n23125456']],
    ['columns of numbers, which are none', '4111\n1111\n1111\n1111\n415\n555\n0132', []],
    ['percent signs and ampersands, which are none', 'up 50%, R&D, 100%de, a &b; \\d{4}', []],
  ])('%s', (_what, raw, expected) => {
    expect(foundIn(email, raw)).toEqual(expected);
  });

  it('digits of every script fold to ASCII digits', () => {
    const digits = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) =>
      /\p{Nd}/u.test(String.fromCodePoint(code)),
    );
    expect(digits.length).toBeGreaterThan(600);
    for (const code of digits) expect(fold(String.fromCodePoint(code)).text).toMatch(/^[0-9]$/);
    expect(fold('٠١٢٣٤٥٦٧٨٩०९๐๙𝟎𝟗𞥐𞥙').text).toBe('0123456789090909' + '09');
  });

  it('a backslash is matched both as an escape and as a plain character', () => {
    expect(foundIn(words, 'C:\\projects\\tangerine and x\\ntangerine')).toEqual(['\\tangerine', 'tangerine']);
    expect(foundIn(patterns, 'CORP\\nadine, {"a":"x\\nTCK-123456"}')).toEqual(['CORP\\nadine', 'TCK-123456']);
    expect(foundIn(secrets, `C:\\keys\\${npmToken}`)).toEqual([`\\${npmToken}`]);
  });

  it('a backslash is both, however a stream is cut', () => {
    const text = 'open C:\\projects\\tangerine and x\\ntangerine now';
    const replaced = { replacement: () => '[X]', found: () => undefined };
    for (let at = 0; at <= text.length; at++) {
      const stream = new TextWindow([{ matcher: words, ...replaced }]);
      const left = stream.push(text.slice(0, at)) + stream.end(text.slice(at));
      expect(left, `cut at ${at}`).toBe('open C:\\projects[X] and x\\n[X] now');
    }
  });
});

it('phone numbers of every listed country are found without a country code', () => {
  const of = (...countries: readonly string[]) =>
    compileCheck({ kind: 'personal_data', types: ['phone'], countries, restore: false });
  for (const number of ['0917 123 4567', '0212 555 01 23', '415-555-0132']) {
    expect(foundIn(of('US', 'PH', 'TR'), `call ${number} now`)).toEqual([number]);
    expect(foundIn(of('TR', 'US', 'PH'), `call ${number} now`)).toEqual([number]);
  }
  expect(foundIn(of('US'), 'at 0917 123 4567 now')).toEqual([]);
});
