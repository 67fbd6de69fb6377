// Forms of secrets in the notation of tables and operators: what they match, and which forms are refused.
import { describe, expect, it } from 'vitest';
import { InvalidCheckError } from '../../../../guardrails/invalid-check.ts';
import { writtenForm } from '../../../../guardrails/kinds/secrets/form.ts';
import { vendorTokens } from '../../../../guardrails/kinds/secrets/vendors.ts';
import { compileSecrets } from '../../../../guardrails/kinds/secrets.ts';
import { costMax } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { findInPieces, findWhole } from '../../../support/guardrails/matching.ts';
import { written } from '../foreign/written.ts';

const random = new Random(7);

const matcher = compileSecrets({
  kind: 'secrets',
  forms: [
    { label: 'ACME_KEY', form: 'acme_live_{alnum:32}' },
    { label: 'ACME_TOKEN', form: '{hex:16}.acmev1.{base64url:40-60}' },
  ],
});

const foundIn = (text: string) =>
  findWhole(matcher, text, 512).map(({ start, end, label }) => `${label} ${text.slice(start, end)}`);

describe('secret forms of an operator', () => {
  const key = written('acme_live_{a32}', random);
  const token = written('{h16}.acmev1.{u50}', random);

  it('are matched beside the shipped forms, in whole texts and in pieces', () => {
    const shipped = written('gsk_{a52}', random);
    const text = `first ${key}, then "${token}" and ${shipped}.`;
    expect(foundIn(text)).toEqual([`ACME_KEY ${key}`, `ACME_TOKEN ${token}`, `GROQ_KEY ${shipped}`]);
    expect(findInPieces(matcher, text.split(''), 512)).toEqual(findWhole(matcher, text, 512));
  });

  it('are not matched when longer, shorter, within words or as examples', () => {
    for (const text of [`${key}x`, key.slice(0, -1), `x${key}`, `acme_live_${'x'.repeat(32)}`, `f${token}`])
      expect(foundIn(`it is ${text} here`)).toEqual([]);
  });

  it('are matched behind an escaped line break', () => {
    expect(foundIn(`{"text":"keys:\\n${token}\\n${key}"}`)).toEqual([`ACME_TOKEN ${token}`, `ACME_KEY ${key}`]);
  });

  it.each([
    ['no text that all have in common', '{alnum:32}'],
    ['too little of it', 'ab{alnum:32}'],
    ['unknown characters', 'acme_{letters:32}'],
    ['no number', 'acme_{alnum}'],
    ['a brace that is not closed', 'acme_{alnum:32'],
    ['numbers the wrong way round', 'acme_{alnum:32-16}'],
    ['nothing made by chance', 'acme_live_key'],
    ['too little made by chance', 'acme_{alnum:8}'],
    ['too long', 'acme_{alnum:500}'],
    ['two ranges that touch', 'acme_{alnum:10-20}{alnum:10-20}'],
    ['a range before text of its own characters', 'acme_{alnum:10-20}x{alnum:10}'],
    ['too much before the text', '{alnum:100}acme{alnum:12}'],
  ])('are refused with %s', (_, form) => {
    const compile = () => compileSecrets({ kind: 'secrets', forms: [{ label: 'ACME', form }] });
    expect(compile).toThrow(InvalidCheckError);
  });

  it('are refused with an invalid label, and above fifty forms', () => {
    const form = 'acme_{alnum:32}';
    expect(() => compileSecrets({ kind: 'secrets', forms: [{ label: 'acme key', form }] })).toThrow(/match/);
    const many = Array.from({ length: 51 }, () => ({ label: 'ACME', form }));
    expect(() => compileSecrets({ kind: 'secrets', forms: many })).toThrow(/at most 50/);
  });
});

describe('the cost of an operator’s secret forms', () => {
  const costOf = (forms: readonly string[]) =>
    compileSecrets({ kind: 'secrets', forms: forms.map((form) => ({ label: 'ACME', form })) }).cost;
  const many = (begin: (n: number) => string) =>
    Array.from({ length: 50 }, (_, n) => `${begin(n)}{base64url:${20 + n}}`);

  it('depends on how many can be tried at one position: forms with the same beginning add up', () => {
    const one = costOf(['acme-{base64url:20}']);
    expect(one).toBeGreaterThan(compileSecrets({ kind: 'secrets' }).cost);
    expect(costOf(['acme-{base64url:20}', 'beta-{base64url:20}'])).toBe(one);
    expect(costOf(['acme-{base64url:20}', 'acme-x-{base64url:20}'])).toBeGreaterThan(one);
    expect(costOf(many((n) => `acme${n + 10}-`))).toBeLessThan(costMax);
    expect(costOf(many(() => '---'))).toBeGreaterThan(costMax);
  });
});

describe('the table of vendors', () => {
  it('has at least a hundred forms, each with a label and a source', () => {
    expect(vendorTokens.flatMap(([, forms]) => forms).length).toBeGreaterThanOrEqual(100);
    for (const [label, forms, source] of vendorTokens) {
      expect(label).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(source.length, label).toBeGreaterThan(8);
      for (const form of forms) expect(() => writtenForm(label, form), form).not.toThrow();
    }
  });

  it('contains no form twice', () => {
    const forms = vendorTokens.flatMap(([, own]) => own);
    expect(forms.filter((form, index) => forms.indexOf(form) !== index)).toEqual([]);
  });
});
