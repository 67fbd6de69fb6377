// Personal data in a labelled corpus, and in pieces of text.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { compilePersonalData } from '../../../../guardrails/kinds/personal-data.ts';
import { guardText, TextWindow } from '../../../../guardrails/window.ts';
import type { PersonalDataType } from '../../../../proto/words/guardrails.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../support/seed.ts';
import { corpus, type LabelledSpan, type LabelledText } from '../personal-data.corpus.ts';

const types = ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'] as const;

const compile = (country = 'US', wanted: readonly PersonalDataType[] = types) =>
  compilePersonalData({ kind: 'personal_data', types: wanted, countries: [country], restore: false });

const matchers = new Map([...new Set(corpus.map(({ country }) => country))].map((name) => [name, compile(name)]));

const matcherOf = (country: string) => matchers.get(country) ?? compile(country);

const inspect = (matcher: ReturnType<typeof compile>, raw: string) =>
  matcher.inspect({ raw, folded: fold(raw), isEnd: true }, 0, 512).findings;

const foundIn = (raw: string, country = 'US') =>
  inspect(matcherOf(country), raw).map(({ start, end, label }) => `${label} ${raw.slice(start, end)}`);

interface Score {
  hits: number;
  misses: number;
  falseAlarms: number;
}

const precision = ({ hits, falseAlarms }: Score) => hits / (hits + falseAlarms);
const recall = ({ hits, misses }: Score) => hits / (hits + misses);

function scores(texts: readonly LabelledText[]): ReadonlyMap<string, Score> {
  const all = { hits: 0, misses: 0, falseAlarms: 0 };
  const byLabel = new Map<string, Score>([['all', all]]);
  const count = (label: string, what: keyof Score) => {
    const score = byLabel.get(label) ?? { hits: 0, misses: 0, falseAlarms: 0 };
    byLabel.set(label, score);
    score[what]++;
    all[what]++;
  };
  const key = ({ start, end, label }: LabelledSpan) => `${label} ${start} ${end}`;
  for (const { text, country, spans } of texts) {
    const found = inspect(matcherOf(country), text);
    const expected = new Set(spans.map(key));
    const given = new Set(found.map(key));
    for (const span of spans) count(span.label, given.has(key(span)) ? 'hits' : 'misses');
    for (const span of found) if (!expected.has(key(span))) count(span.label, 'falseAlarms');
  }
  return byLabel;
}

describe('the corpus of personal data', () => {
  const byLabel = scores(corpus);

  it('contains a thousand texts, two hundred of them without personal data', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(1_000);
    expect(corpus.filter(({ spans }) => spans.length === 0).length).toBeGreaterThanOrEqual(200);
    console.log(`personal data, ${corpus.length} texts:`);
    for (const [label, score] of byLabel)
      console.log(`  ${label}: precision ${precision(score).toFixed(4)}, recall ${recall(score).toFixed(4)}`);
  });

  it.each([
    ['all', 0.995, 0.97],
    ['EMAIL', 0.99, 0.95],
    ['PHONE', 0.99, 0.975],
    ['PAYMENT_CARD', 0.99, 0.96],
    ['IBAN', 0.99, 0.99],
    ['NATIONAL_ID', 0.99, 0.97],
    ['IP_ADDRESS', 0.98, 0.97],
  ])('is matched for %s with a precision of %f and a recall of %f', (label, precisionMin, recallMin) => {
    const score = byLabel.get(label) ?? { hits: 0, misses: 1, falseAlarms: 1 };
    expect(precision(score)).toBeGreaterThanOrEqual(precisionMin);
    expect(recall(score)).toBeGreaterThanOrEqual(recallMin);
  });
});

describe('overlapping types of personal data', () => {
  it.each([
    ['a card is no phone number', '4111 1111 1111 1111', 'PAYMENT_CARD 4111 1111 1111 1111'],
    ['an IBAN contains no card', 'SE4550000000058398257466', 'IBAN SE4550000000058398257466'],
    ['digits before an "@" are no number', '4111111111111111@example.com', 'EMAIL 4111111111111111@example.com'],
    ['an id with dashes is no phone number', '123-45-6789', 'NATIONAL_ID 123-45-6789'],
    ['a number that an address follows', '202-555-0123 4@example.com', 'PHONE 202-555-0123,EMAIL 4@example.com'],
  ])('%s', (_, text, expected) => {
    expect(foundIn(text).join()).toBe(expected);
  });

  it('are not matched as another type when only that other type is looked for', () => {
    const text = 'SE4550000000058398257466, 4111 1111 1111 1111, 123-45-6789, 2025550123@example.com';
    expect(inspect(compile('US', ['phone']), text)).toEqual([]);
  });

  it.each(types)('are still distinguished: %s is the only match when only it is looked for', (type) => {
    const labels = inspect(compile('US', [type]), corpus.map(({ text }) => text).join('\n\n')).map(
      ({ label }) => label,
    );
    expect([...new Set(labels)]).toEqual([type.toUpperCase()]);
  });
});

describe('countries of a personal data check', () => {
  it('decide national phone numbers by the first country only', () => {
    expect(foundIn('030 23125-456', 'DE')).toEqual(['PHONE 030 23125-456']);
    expect(foundIn('030 23125-456', 'US')).toEqual([]);
  });

  it('that are unknown leave only numbers with a country code', () => {
    expect(foundIn('202-555-0123 or +1 202-555-0123', 'XX')).toEqual(['PHONE +1 202-555-0123']);
  });
});

describe('personal data in pieces of text', () => {
  const seed = startingSeed();

  function redacting(country: string, found: string[]) {
    const replacement = (value: string, label: string) => `<${label}:${value.length}>`;
    return [{ matcher: matcherOf(country), replacement, found: (label: string) => found.push(label) }];
  }

  function inPieces(text: string, country: string, random: Random): string {
    const window = new TextWindow(redacting(country, []));
    const sizeMax = random.pick([1, 3, 12, 60]);
    let left = '';
    for (let at = 0; at < text.length; ) {
      const size = 1 + random.below(sizeMax);
      left += window.push(text.slice(at, at + size));
      at += size;
    }
    return left + window.end();
  }

  const glue = [
    '',
    ' ',
    '\n',
    '. ',
    ',',
    ' (',
    ': ',
    ' the words between them are plain ',
    '+',
    '@',
    '-',
    '0',
    'a',
    '/',
    '\u200b',
    '、',
  ];

  it(`gives the same matches as the whole text (seed ${seed})`, () => {
    const random = new Random(seed);
    const found: string[] = [];
    for (let run = 0; run < roundsOf(300); run++) {
      const country = random.pick(corpus).country;
      let text = '';
      for (let part = 0; part < 6; part++) text += `${random.pick(corpus).text}${random.pick(glue)}`;
      expect(inPieces(text, country, random), JSON.stringify(text)).toBe(guardText(redacting(country, found), text));
    }
    expect(new Set(found).size).toBe(types.length);
  });

  it('gives the same matches for single characters and a window hardly longer than a match', () => {
    for (const { text, country } of corpus) {
      const window = new TextWindow(redacting(country, []), 96);
      const left = [...text].map((character) => window.push(character)).join('') + window.end();
      expect(left).toBe(guardText(redacting(country, []), text));
    }
  });

  it('delays prose by its last word, and a number until its continuation is known', () => {
    const window = new TextWindow(redacting('US', []));
    expect(window.push('Some plain words, and then ano')).toBe('Some plain words, and then ');
    expect(window.push('ther one. Then 2019 we')).toBe('another one. Then ');
    expect(window.push(' went away ')).toBe('2019 we went away ');
  });
});
