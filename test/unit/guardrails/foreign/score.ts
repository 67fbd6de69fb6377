// Counts how many values of the foreign sets the guardrail kinds find, by type. The tests compare the counts with their
// minimum, and the second opinion prints them.
import { compilePersonalData } from '../../../../guardrails/kinds/personal-data.ts';
import { compileSecrets } from '../../../../guardrails/kinds/secrets.ts';
import type { Finding, Matcher } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { findWhole } from '../../../support/guardrails/matching.ts';
import { contexts, placed } from './contexts.ts';
import { credentials, locations } from './current.ts';
import { innocents as detectSecretsInnocents, secrets as detectSecretsSecrets } from './detect-secrets.ts';
import { curls, innocents as gitleaksInnocents, named, tokens, writings } from './gitleaks.ts';
import { type Case, presidioCases } from './presidio.ts';
import { masked, shortened, written } from './written.ts';

/** A value in a text, and the type under which it is counted. */
export interface Planted {
  readonly set: string;
  readonly type: string;
  /** The context of the value, or the way in which it is written. */
  readonly how: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Tally {
  found: number;
  all: number;
}

const seed = 20_261_122;

/** Returns secrets of all sets, the same in each run. */
export function plantedSecrets(): readonly Planted[] {
  const random = new Random(seed);
  const plant = (kind: Pick<Planted, 'set' | 'type' | 'how'>, template: string, form: string): Planted => ({
    ...kind,
    ...placed(template, written(form, random)),
  });
  const bare = (set: string, table: readonly (readonly [string, ...string[]])[]) =>
    table.flatMap(([type, ...forms]) =>
      Object.entries(contexts).flatMap(([how, template]) =>
        forms.map((form) => plant({ set, type, how }, template, form)),
      ),
    );
  return [
    ...bare('gitleaks, tokens', tokens),
    ...named.flatMap(([type, name, form]) =>
      Object.entries(writings).map(([how, writing]) => {
        const template = writing.replaceAll('#', name).replaceAll('@', name.toUpperCase());
        return plant({ set: 'gitleaks, named', type, how }, template, form);
      }),
    ),
    ...curls.map(([template, form]) => plant({ set: 'gitleaks, curl', type: 'curl', how: 'code' }, template, form)),
    ...bare('credentials of today', credentials),
    ...locations.map(([type, template, form]) =>
      plant({ set: 'secrets by location', type, how: type }, template, form),
    ),
    ...detectSecretsSecrets.map(([type, template, form]) =>
      plant({ set: 'detect-secrets', type, how: template }, template, form),
    ),
  ];
}

/** Returns texts without a secret: examples, masked and shortened tokens of every form. */
export function innocentTexts(): readonly string[] {
  const random = new Random(seed);
  const forms = [...tokens, ...credentials].flatMap(([, ...own]) => own);
  return [
    ...gitleaksInnocents,
    ...detectSecretsInnocents,
    ...forms.filter((form) => !form.startsWith('eyJ')).map((form) => `It looks like ${masked(form)} here.`),
    ...forms
      .filter((form) => /^[A-Za-z0-9_.-]+\{/.test(form))
      .map((form) => `It begins as ${written(shortened(form), random)} here.`),
  ];
}

export const secrets = compileSecrets({ kind: 'secrets' });
const personalData = new Map<string, Matcher>();

export function findingsIn(matcher: Matcher, raw: string): readonly Finding[] {
  return findWhole(matcher, raw, 512);
}

export function secretsIn(raw: string): readonly Finding[] {
  return findingsIn(secrets, raw);
}

export function personalDataIn(raw: string, country = 'US'): readonly Finding[] {
  const matcher =
    personalData.get(country) ??
    compilePersonalData({
      kind: 'personal_data',
      types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
      countries: [country],
      restore: false,
    });
  personalData.set(country, matcher);
  return findingsIn(matcher, raw);
}

/** Whether the matches cover all of the value, however much they cover besides. Other tools are scored by this rule. */
export function isCovered({ start, end }: Planted, findings: readonly Pick<Finding, 'start' | 'end'>[]): boolean {
  let at = start;
  for (const finding of findings) if (finding.start <= at && finding.end > at) at = finding.end;
  return at >= end;
}

/** Whether the matches cover all of the value and nothing around it. */
export function isFoundAlone(one: Planted, findings: readonly Finding[]): boolean {
  return isCovered(one, findings) && findings.every(({ start, end }) => start >= one.start && end <= one.end);
}

export function tallied<T>(items: readonly T[], keyOf: (item: T) => string, isFound: (item: T) => boolean) {
  const tallies = new Map<string, Tally>();
  for (const item of items) {
    const key = keyOf(item);
    const tally = tallies.get(key) ?? { found: 0, all: 0 };
    tallies.set(key, tally);
    tally.all++;
    if (isFound(item)) tally.found++;
  }
  return tallies;
}

export function casesOfPresidio(): readonly Case[] {
  return presidioCases(new Random(seed));
}

/** Counts the matches with the label of the case. */
export function countIn({ label, country, text }: Case): number {
  return personalDataIn(text, country).filter((finding) => finding.label === label).length;
}
