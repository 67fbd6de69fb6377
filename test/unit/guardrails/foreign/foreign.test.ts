// Minimum recall on the cases of other projects: the tests of gitleaks, detect-secrets and Presidio, and current
// credentials. Results are printed by type; `missed` lists the types below full recall, with the reason.
import { describe, expect, it } from 'vitest';
import { Random } from '../../../support/access/random.ts';
import { findInPieces } from '../../../support/guardrails/matching.ts';
import { projectRoot } from '../../../support/process.ts';
import { benignTexts, partNumbers } from './benign.ts';
import {
  casesOfPresidio,
  countIn,
  innocentTexts,
  isFoundAlone,
  type Planted,
  personalDataIn,
  plantedSecrets,
  secrets,
  secretsIn,
  tallied,
} from './score.ts';

const planted = plantedSecrets();
const personalDataLabels = new Set(['EMAIL', 'PHONE', 'PAYMENT_CARD', 'IBAN', 'NATIONAL_ID', 'IP_ADDRESS']);
const isFound = (one: Planted) => isFoundAlone(one, secretsIn(one.text));

/** The minimum recall by set and type, or by set and writing, and why it is below 1. */
const missed: Readonly<Record<string, readonly [floor: number, why: string]>> = {
  'gitleaks, named: alibaba-secret-key': [0.8, 'made by chance of what could be words'],
  'gitleaks, named: finnhub-access-token': [0.8, 'made by chance of what could be words'],
  'gitleaks, named: linkedin-client-secret': [0.8, 'made by chance of what could be words'],
  'gitleaks, named: looker-client-secret': [0.9, 'made by chance of what could be words'],
  'gitleaks, named: messagebird-api-token': [0.9, 'made by chance of what could be words'],
  'gitleaks, named: travisci-access-token': [0.8, 'made by chance of what could be words'],
  'detect-secrets: cloudant': [0.75, 'a password of small letters alone: any word would be one'],
  'detect-secrets: keyword': [0.65, 'a name behind its value; a password with brackets and words in it'],
};

describe('secrets from other projects', () => {
  const sets = tallied(planted, ({ set }) => set, isFound);
  const types = tallied(planted, ({ set, type }) => `${set}: ${type}`, isFound);
  const ways = tallied(planted, ({ set, how }) => `${set}: ${how}`, isFound);

  it('are found by type, in eight contexts and all writings', () => {
    for (const [set, { found, all }] of sets) console.log(`${set}: ${found} of ${all}`);
    for (const [key, { found, all }] of [...types, ...ways])
      if (found < all && all > 1) console.log(`  ${key}: ${found} of ${all}`);
    const short = [...types].filter(([key, { found, all }]) => found / all < (missed[key]?.[0] ?? 1));
    expect(short.map(([key, { found, all }]) => `${key}: ${found} of ${all}`)).toEqual([]);
  });

  it.each([
    ['gitleaks, tokens', 1],
    ['gitleaks, named', 0.98],
    ['gitleaks, curl', 1],
    ['credentials of today', 1],
    ['secrets by location', 1],
    ['detect-secrets', 0.9],
  ])('%s are found with a recall of %f', (set, floor) => {
    const { found, all } = sets.get(set) ?? { found: 0, all: 1 };
    expect(found / all).toBeGreaterThanOrEqual(floor);
  });

  it('are not found in examples, masked values or values of a fifth of the length', () => {
    const texts = innocentTexts();
    const matched = texts.filter((text) => secretsIn(text).length > 0);
    for (const text of matched) console.log(`matched as a secret: ${text.slice(0, 160)}`);
    console.log(`${matched.length} of ${texts.length} innocent texts are matched as secrets`);
    expect(matched.length / texts.length).toBeLessThanOrEqual(0.025);
  });
});

describe('secrets in pieces of a stream', () => {
  it('are the same for pieces of one unit and of seven as for the whole text', () => {
    for (const [index, { text }] of planted.entries()) {
      if (index % 17 !== 0) continue;
      const whole = secretsIn(text);
      expect(findInPieces(secrets, text.split(''), 512), text).toEqual(whole);
      expect(findInPieces(secrets, text.match(/[\s\S]{1,7}/g) ?? [], 512), text).toEqual(whole);
    }
  });
});

describe('benign text', () => {
  const texts = benignTexts(projectRoot, 3);
  const megabytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6;
  // E-mail addresses of authors are real e-mail addresses.
  const found = texts.flatMap(({ file, text }) =>
    [...secretsIn(text), ...personalDataIn(text)]
      .filter(({ label }) => label !== 'EMAIL')
      .map(({ start, end, label }) => ({ file, label, value: text.slice(start, end) })),
  );

  it.each([
    ['secrets', 2, (label: string) => !personalDataLabels.has(label)],
    ['phone numbers', 4, (label: string) => label === 'PHONE'],
    ['IP addresses', 16, (label: string) => label === 'IP_ADDRESS'],
    ['national ids, cards and IBANs', 1, (label: string) => /^(?:NATIONAL|PAYMENT|IBAN)/.test(label)],
  ])('%s: at most %i are found in a megabyte of packages', (what, max, isOf) => {
    const own = found.filter(({ label }) => isOf(label));
    for (const { file, label, value } of own) console.log(`${label} in ${file}: ${value.slice(0, 60)}`);
    console.log(`${what}: ${own.length} in ${megabytes.toFixed(1)} MB`);
    expect(megabytes).toBeGreaterThan(2);
    expect(own.length / megabytes).toBeLessThanOrEqual(max);
  });

  it('part and order numbers are neither ids of persons nor phone numbers', () => {
    const lines = partNumbers(new Random(7), 1000);
    expect(lines.filter((line) => personalDataIn(line).length > 0)).toEqual([]);
  });

  it.each(['"partNumber":"282-87-9222"', 'part_no=282-87-9222', 'Order #: 282-87-9222', 'S/N 282-87-9222'])(
    '%s is not the id of a person',
    (text) => {
      expect(personalDataIn(text)).toEqual([]);
    },
  );

  it.each([
    'Tax ID: 282-87-9222',
    '"id":"282-87-9222"',
    'account holder 282-87-9222',
    'his case no. 282-87-9222',
    'SSN, part of the order: 282-87-9222',
  ])('%s may be the id of a person', (text) => {
    expect(personalDataIn(text).map(({ label }) => label)).toEqual(['NATIONAL_ID']);
  });
});

describe("personal data of Presidio's tests", () => {
  const cases = casesOfPresidio();
  const positive = cases.filter(({ count }) => count > 0);
  const recall = tallied(
    positive,
    ({ type }) => type,
    (one) => countIn(one) >= one.count,
  );

  it.each([
    ['IBAN', 1],
    ['payment card', 0.9],
    ['e-mail', 1],
    ['US SSN', 0.4],
    ['UK NINO', 0.6],
    ['ES NIF', 0.75],
    ['ES NIE', 0.8],
    ['PL PESEL', 0.6],
    ['SE personnummer', 0.7],
    ['DE tax id', 1],
    ['IP address', 0.95],
    ['phone US', 0.9],
    ['phone PH', 1],
    ['phone TR', 1],
  ])('%s: a recall of %f', (type, floor) => {
    for (const one of positive.filter((case_) => case_.type === type && countIn(case_) < case_.count))
      console.log(`  missed: ${one.text}`);
    const { found, all } = recall.get(type) ?? { found: 0, all: 1 };
    console.log(`${type}: ${found} of ${all}`);
    expect(found / all).toBeGreaterThanOrEqual(floor);
  });

  it('is not found where Presidio expects none', () => {
    const wrong = cases.filter((one) => one.count === 0 && countIn(one) > 0);
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });
});
