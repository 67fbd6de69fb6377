// Texts of up to 1 MB that are made to be slow: each is inspected in linear time. The figures are the measured time per
// character; the test fails at ten times that, and a search that begins anew at each of a million characters takes
// longer even if it compares them in the fastest way. The printed ratio is that of a text four times as long: 4 is
// linear. GATEWAY_TEST_ROUNDS=10 makes all texts ten times as long.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { compilePattern } from '../../../../guardrails/kinds/pattern.ts';
import { compileSecrets } from '../../../../guardrails/kinds/secrets.ts';
import type { Finding, Matcher } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { roundsOf } from '../../../support/seed.ts';

/** Characters: of texts that cost little, and of others. */
const long = roundsOf(1_000_000);
const short = roundsOf(250_000);

const secrets: readonly (readonly [unit: string, nanoseconds: number, length: number])[] = [
  ['AKIA', 110, long],
  [`${'AK'}IA${'234567ABCDEFGHIJ'} `, 300, short],
  ['-----BEGIN', 50, long],
  ['-----BEGIN PRIVATE KEY-----', 90, short],
  ['eyJ', 85, long],
  ['eyJ.', 85, short],
  ['eyJ-', 1000, short],
  ['password is ', 45, short],
  ['-sk-a', 90, short],
  ['password=', 250, short],
  ['123456789:AA', 140, short],
  ['http://a:', 80, short],
  ['aaaaaaaa', 20, long],
];

const expressions: readonly (readonly [pattern: string, nanoseconds: number, length: number])[] = [
  ['(a+)+$', 650, short],
  ['(a|a)*b', 25, long],
  ['(.*)*x', 25, long],
  ['.*.*.*=.*', 25, long],
];

interface Stated {
  readonly nanoseconds: number;
  readonly characters: number;
}

function measure(matcher: Matcher, make: (length: number) => string, stated: Stated): void {
  const { characters } = stated;
  const [quarter = 0, whole = 0] = [characters / 4, characters].map((length) => {
    const raw = make(length);
    const text = { raw, folded: fold(raw), isEnd: true };
    return processorMs(() => matcher.inspect(text, 0, 512));
  });
  const nanoseconds = (whole * 1e6) / characters;
  console.log(`${nanoseconds.toFixed(0)} ns per character, ratio ${(whole / quarter).toFixed(1)}`);
  expect(nanoseconds).toBeLessThan(10 * stated.nanoseconds);
}

const repeated = (unit: string) => (length: number) => unit.repeat(length / unit.length);

function base64(length: number): string {
  const random = new Random(1);
  const bytes = Uint8Array.from({ length: (length * 3) / 4 }, () => random.below(256));
  return Buffer.from(bytes).toString('base64');
}

describe('the time to find secrets', () => {
  const matcher = compileSecrets({ kind: 'secrets' });

  it.each(secrets)('in the repeated text %s is linear', (unit, nanoseconds, characters) =>
    measure(matcher, repeated(unit), { nanoseconds, characters }),
  );

  it('in endless base64 is linear', () => measure(matcher, base64, { nanoseconds: 25, characters: long }));

  it('in endless base64 instead of a password is linear', () =>
    measure(matcher, (length) => `password=${base64(length)}`, { nanoseconds: 40, characters: long }));

  it('in an endless body of a private key is linear', () =>
    measure(matcher, (length) => `-----BEGIN PRIVATE KEY-----\n${base64(length)}`, {
      nanoseconds: 40,
      characters: short,
    }));
});

describe('the time to find patterns', () => {
  it.each(expressions)('for %s in one repeated letter is linear', (pattern, nanoseconds, characters) =>
    measure(compilePattern({ kind: 'pattern', patterns: [pattern] }), repeated('a'), {
      nanoseconds,
      characters,
    }),
  );

  it('is bounded for a pattern that reads to the end for every match', () => {
    const text = 'a'.repeat(roundsOf(10_000));
    const matcher = compilePattern({ kind: 'pattern', patterns: ['.*?z|a'] });
    let findings: readonly Finding[] = [];
    const ms = processorMs(() => {
      findings = matcher.inspect({ raw: text, folded: fold(text), isEnd: true }, 0, 512).findings;
    });
    const nanoseconds = (ms * 1e6) / text.length;
    console.log(`${nanoseconds.toFixed(0)} ns per character`);
    expect(findings).toHaveLength(text.length);
    // Each match reads what is left of the text.
    expect(nanoseconds).toBeLessThan(10 * 7.5 * text.length);
  });
});
