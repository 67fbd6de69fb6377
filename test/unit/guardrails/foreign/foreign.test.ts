// The floors that other projects' cases set: what gitleaks, detect-secrets and Presidio are tested with, and credentials of today.
// What is reached is printed by type; what is not found, and why, stands in `missed`.
import { describe, expect, it } from 'vitest';
import {
  casesOfPresidio,
  countIn,
  innocentTexts,
  isCovered,
  type Planted,
  plantedSecrets,
  secretsIn,
  tallied,
} from './score.ts';

const planted = plantedSecrets();
const isFound = (one: Planted) => isCovered(one, secretsIn(one.text));

/** By set and type, or by set and writing: what is found of it at least, and why not all. */
const missed: Readonly<Record<string, readonly [floor: number, why: string]>> = {};

describe('secrets of other projects', () => {
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
    ['gitleaks, tokens', 0.99],
    ['gitleaks, named', 0.97],
    ['gitleaks, curl', 0.9],
    ['credentials of today', 0.99],
    ['places', 0.95],
    ['detect-secrets', 0.9],
  ])('%s are found with a recall of %f', (set, floor) => {
    const { found, all } = sets.get(set) ?? { found: 0, all: 1 };
    expect(found / all).toBeGreaterThanOrEqual(floor);
  });

  it('that are examples, masked or half as long are none', () => {
    const texts = innocentTexts();
    const taken = texts.filter((text) => secretsIn(text).length > 0);
    for (const text of taken) console.log(`taken for a secret: ${text.slice(0, 160)}`);
    console.log(`${taken.length} of ${texts.length} innocent texts are taken for secrets`);
    expect(taken.length / texts.length).toBeLessThanOrEqual(0.01);
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
    ['payment card', 0.95],
    ['e-mail', 1],
    ['US SSN', 0.3],
    ['UK NINO', 0.6],
    ['ES NIF', 0.75],
    ['ES NIE', 0.8],
    ['PL PESEL', 0.6],
    ['SE personnummer', 0.85],
    ['DE tax id', 1],
    ['IP address', 0.95],
    ['phone US', 0.75],
    ['phone PH', 1],
    ['phone TR', 0.85],
  ])('%s: a recall of %f', (type, floor) => {
    for (const one of positive.filter((case_) => case_.type === type && countIn(case_) < case_.count))
      console.log(`  missed: ${one.text}`);
    const { found, all } = recall.get(type) ?? { found: 0, all: 1 };
    console.log(`${type}: ${found} of ${all}`);
    expect(found / all).toBeGreaterThanOrEqual(floor);
  });

  it('that Presidio does not expect is not found', () => {
    const wrong = cases.filter((one) => one.count === 0 && countIn(one) > 0);
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });
});
