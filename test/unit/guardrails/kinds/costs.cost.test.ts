// The time per character of each kind of check, in texts that are made to be slow: linear, and within ten times the
// stated figure. GATEWAY_TEST_ROUNDS=10 makes the texts that are searched for personal data ten times as long.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { compilePersonalData } from '../../../../guardrails/kinds/personal-data.ts';
import { compilePhrases } from '../../../../guardrails/kinds/phrases.ts';
import { restoreMatcher } from '../../../../guardrails/kinds/restore.ts';
import { compileSecrets } from '../../../../guardrails/kinds/secrets.ts';
import type { Matcher } from '../../../../guardrails/matcher.ts';
import { Placeholders } from '../../../../guardrails/placeholders.ts';
import { Random } from '../../../support/access/random.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { roundsOf } from '../../../support/seed.ts';

const personalData = compilePersonalData({
  ...{ kind: 'personal_data', countries: ['US'], restore: false },
  types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
});

const phrases = (list: readonly string[], withinWords = false): Matcher =>
  compilePhrases({ kind: 'words', phrases: list, withinWords });

const placeholders = new Placeholders();
placeholders.of('jane@example.com', 'EMAIL');
placeholders.of('john@example.com', 'EMAIL');
placeholders.of('4111 1111 1111 1111', 'PAYMENT_CARD');

describe('time to find phrases', () => {
  /** Nanoseconds per unit of 128 KiB of text, the best of three runs. */
  function cost(matcher: Matcher, text: string): number {
    const whole = text.repeat(Math.ceil(131_072 / text.length)).slice(0, 131_072);
    const inspected = { raw: whole, folded: fold(whole), isEnd: true };
    const times = [1, 2, 3].map(() => processorMs(() => matcher.inspect(inspected, 0, 512)));
    return (Math.min(...times) * 1e6) / whole.length;
  }

  const random = new Random(7);
  const syllables = ['ba', 'do', 'ki', 'lu', 'me', 'no', 'pa', 'ri', 'so', 'tu'];
  const word = () => Array.from({ length: 2 + random.below(3) }, () => random.pick(syllables)).join('');
  const thousands = Array.from({ length: 10_000 }, () => `${word()} ${word()}`);

  it('does not depend on phrases and texts that are made to be slow', () => {
    const prose = Array.from({ length: 1000 }, word).join(' ');
    const nested = Array.from({ length: 200 }, (_, index) => 'a'.repeat(index + 1));
    const costs = {
      'one phrase': cost(phrases(['some phrase']), prose),
      '10,000 phrases': cost(phrases(thousands), prose),
      'phrases that end each other': cost(phrases(nested, true), 'a'),
      'phrases that nearly end': cost(phrases([`${'a'.repeat(199)}b`], true), 'a'),
      'unseen characters': cost(phrases(['some phrase']), 's\u200b\u0301'),
      blanks: cost(phrases(['a b']), `a${' '.repeat(1000)}`),
    };
    console.log(
      Object.entries(costs)
        .map(([name, ns]) => `${name} ${ns.toFixed(0)} ns`)
        .join(', '),
    );
    for (const [name, ns] of Object.entries(costs)) expect(ns, name).toBeLessThan(10_000);
  });
});

describe('texts that are made to be slow to search for personal data', () => {
  const nanosecondsMax = 6_000;

  function nanoseconds(part: string, length: number): number {
    const raw = part.repeat(Math.ceil(length / part.length));
    const text = { raw, folded: fold(raw), isEnd: true };
    return (processorMs(() => personalData.inspect(text, 0, 512)) * 1e6) / raw.length;
  }

  it.each([
    ['7', 1],
    ['a@', 1],
    [':', 1],
    ['+1 ', 1],
    ['1 ', 0.5],
    ['1.', 0.5],
    ['1-', 0.5],
    ['012/012 ', 0.5],
    ['a@a.', 0.5],
    ['1a', 0.5],
    ['1::', 0.5],
    ['4111 1111 1111 1112 ', 0.5],
    ['DE89 ', 0.5],
    ['+12025550123 ', 0.5],
    ['ssn 123456789', 0.5],
  ])(
    'take as long for each character as for the first: %j, %d MiB of it',
    (part, mebibytes) => {
      const each = nanoseconds(part, roundsOf(mebibytes * 2 ** 20));
      console.log(`${JSON.stringify(part)}: ${each.toFixed(0)} ns a character`);
      expect(each).toBeLessThan(nanosecondsMax);
    },
    60_000,
  );
});

it('restoring takes as long for each character of ten million brackets as for the first', () => {
  for (const part of ['[', '[EMAIL_', '\\[', '[ ']) {
    const raw = part.repeat(Math.ceil((10 * 2 ** 20) / part.length));
    const text = { raw, folded: fold(raw), isEnd: true };
    const ms = processorMs(() => restoreMatcher(placeholders.values).inspect(text, 0, 512));
    expect((ms * 1e6) / raw.length).toBeLessThan(1_000);
  }
});

describe('the cost of an operator’s secret forms', () => {
  it('is the stated one, on texts that begin forms again and again', () => {
    const forms = Array.from({ length: 20 }, (_, n) => ({ label: 'ACME', form: `---{base64url:${40 + n}}` }));
    const dear = compileSecrets({ kind: 'secrets', forms });
    const raw = '-'.repeat(20_000);
    const text = { raw, folded: fold(raw), isEnd: true };
    const nanoseconds = (processorMs(() => dear.inspect(text, 0, 512)) * 1e6) / raw.length;
    console.log(`${nanoseconds.toFixed(0)} ns per character of ${dear.cost}`);
    expect(nanoseconds).toBeLessThan(10 * dear.cost);
  });
});
