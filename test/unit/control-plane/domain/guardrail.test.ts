import { describe, expect, it } from 'vitest';
import {
  aiSystemIds,
  fitting,
  guardrailMessage,
  guardrailName,
  guardrailPosition,
} from '../../../../control-plane/domain/guardrail.ts';
import { compileProblems, guardrailCheck, textBytesOf } from '../../../../control-plane/domain/guardrail-check.ts';
import type { Guardrail } from '../../../../guardrails/definition.ts';
import type { GuardrailCheck } from '../../../../proto/generated/gateway/v1/GuardrailCheck.ts';
import { services } from '../../../../proto/load.ts';

/** Encodes and decodes the check, so that it is as the server receives it. */
function received(check: GuardrailCheck) {
  const { Create } = services.Guardrails;
  const message = Create.requestDeserialize(Create.requestSerialize({ check })).check;
  if (message === null) throw new Error('it was lost');
  return message;
}

const read = (check: GuardrailCheck) => guardrailCheck(received(check));
const problems = (check: GuardrailCheck): string[] => {
  const field = read(check);
  return ('problems' in field ? field.problems : compileProblems(field.value)).map(({ at }) => at);
};
const some = (count: number) => Array.from({ length: count }, (_, n) => `phrase ${n}`);
const acme = (length: number) => ({ label: 'ACME_KEY', form: `acme_{alnum:${length}}` });
const id = '019ab000-0000-7000-8000-000000000000';

describe('a guardrail', () => {
  it.each(['a', '0', 'no-names', 'a.b_c-d', 'a'.repeat(63)])('can have the name %s', (name) => {
    expect(guardrailName(name)).toEqual({ value: name });
  });

  it.each(['', '-a', '.a', 'A', 'no names', 'é', 'a\n', 'a,b', 'a'.repeat(64)])('cannot have the name %j', (name) => {
    expect(guardrailName(name)).toHaveProperty('problems');
  });

  it.each([
    ['', ''],
    [' No. ', 'No.'],
    ['é'.repeat(200), 'é'.repeat(200)],
    ['😀'.repeat(200), '😀'.repeat(200)],
  ])('can have the message %j', (text, value) => {
    expect(guardrailMessage(text)).toEqual({ value });
  });

  it.each(['a\nb', 'a\u200bb', 'a\u202eb', '\ud800', 'x'.repeat(201)])('cannot have the message %j', (text) => {
    expect(guardrailMessage(text)).toHaveProperty('problems');
  });

  it.each([0, 1000])('can have the position %i', (position) => {
    expect(guardrailPosition(position)).toEqual({ value: position });
  });

  it('cannot have a position above 1,000', () => {
    expect(guardrailPosition(1001)).toHaveProperty('problems');
  });

  it('applies to at most a hundred AI systems, each counted once', () => {
    expect(aiSystemIds([id, id])).toEqual({ value: [id] });
    const ids = Array.from({ length: 101 }, (_, n) => `${id.slice(0, -3)}${String(n).padStart(3, '0')}`);
    expect(aiSystemIds(ids.slice(1))).toHaveProperty('value');
    expect(aiSystemIds(ids)).toHaveProperty('problems');
    expect(aiSystemIds([id, 'x'])).toMatchObject({ problems: [{ at: '[1]' }] });
  });
});

describe('the combinations of check, stage and action', () => {
  const stages = ['input', 'output', 'both'] as const;
  const actions = ['block', 'redact', 'observe'] as const;
  const refused = (check: GuardrailCheck) =>
    stages.flatMap((stage) =>
      actions.flatMap((action) => {
        const fields = fitting({ stage, action } satisfies Pick<Guardrail, 'stage' | 'action'>, received(check));
        const wrong = Object.entries(fields).filter(([, field]) => 'problems' in field);
        return wrong.length === 0 ? [] : [`${stage} ${action}: ${wrong.map(([name]) => name).join(' ')}`];
      }),
    );

  it.each<[string, GuardrailCheck]>([
    ['words', { words: { phrases: ['x'] } }],
    ['pattern', { pattern: { patterns: ['x'] } }],
    ['personal_data', { personalData: {} }],
    ['secrets', { secrets: {} }],
    ['webhook', { webhook: { url: 'https://checks.example.com/' } }],
  ])('%s is allowed with every stage and action', (_kind, check) => {
    expect(refused(check)).toEqual([]);
  });

  it('a size check is allowed on requests only, and cannot redact', () => {
    expect(refused({ promptSize: { tokensMax: 1 } })).toEqual([
      'input redact: action',
      'output block: stage',
      'output redact: stage action',
      'output observe: stage',
      'both block: stage',
      'both redact: stage action',
      'both observe: stage',
    ]);
  });

  it('a moderation check cannot redact', () => {
    expect(refused({ moderation: {} })).toEqual(stages.map((stage) => `${stage} redact: action`));
  });

  it('restoring is allowed only with redaction at the input', () => {
    const field = 'check.personal_data.restore';
    expect(refused({ personalData: { restore: true } })).toEqual([
      ...[`input block: ${field}`, `input observe: ${field}`],
      ...actions.map((action) => `output ${action}: ${field}`),
      ...[`both block: ${field}`, `both observe: ${field}`],
    ]);
  });
});

describe('a guardrail check', () => {
  it('must be of exactly one kind', () => {
    expect(guardrailCheck(null)).toHaveProperty('problems');
    expect(read({})).toMatchObject({
      problems: [{ at: '', description: expect.stringContaining('personal_data') }],
    });
  });

  it.each<[string, GuardrailCheck]>([
    ['10,000 phrases', { words: { phrases: some(10_000) } }],
    ['forms of secrets', { secrets: { forms: [acme(32)] } }],
    ['thirty forms that begin alike', { secrets: { forms: Array.from({ length: 30 }, (_, n) => acme(12 + n)) } }],
    ['a phrase of 200 characters', { words: { phrases: ['😀'.repeat(199).concat('x')] } }],
    ['sizes', { promptSize: { imagesMax: 1 } }],
    ['a webhook', { webhook: { url: 'https://checks.example.com/', timeoutMs: 30_000 } }],
    ['moderation', { moderation: { categories: ['self-harm/intent'], scoreMin: 1 } }],
  ])('may have %s', (_what, check) => {
    const { kind: _kind, ...message } = received(check);
    expect(read(check)).toMatchObject({ value: { message } });
  });

  it.each<[string, GuardrailCheck, string[]]>([
    ['no phrases', { words: {} }, ['.words.phrases']],
    ['10,001 phrases', { words: { phrases: some(10_001) } }, ['.words.phrases']],
    ['an empty phrase', { words: { phrases: ['x', ''] } }, ['.words.phrases[1]']],
    ['a phrase of spaces', { words: { phrases: [' \t'] } }, ['.words.phrases[0]']],
    ['a phrase of 201 characters', { words: { phrases: ['😀'.repeat(201)] } }, ['.words.phrases[0]']],
    ['no patterns', { pattern: {} }, ['.pattern.patterns']],
    ['101 patterns', { pattern: { patterns: some(101) } }, ['.pattern.patterns']],
    ['a pattern of 1,001 characters', { pattern: { patterns: ['x'.repeat(1001)] } }, ['.pattern.patterns[0]']],
    ['a type that is none', { personalData: { types: [1, 0] } }, ['.personal_data.types[1]']],
    ['a type of a newer contract', { personalData: { types: [99 as 1] } }, ['.personal_data.types[0]']],
    [
      'countries that are none',
      { personalData: { countries: ['DE', 'de', 'XX', 'ZZ', 'DEU', ''] } },
      [1, 2, 3, 4, 5].map((n) => `.personal_data.countries[${n}]`),
    ],
    ['no sizes', { promptSize: {} }, ['.prompt_size']],
    ['no URL', { webhook: {} }, ['.webhook.url']],
    [
      'a URL of metadata, too slow',
      { webhook: { url: 'https://169.254.169.254/', timeoutMs: 30_001 } },
      ['.webhook.timeout_ms', '.webhook.url'],
    ],
    [
      'patterns that are too slow for some texts',
      { pattern: { patterns: Array.from({ length: 11 }, (_, n) => `a[^b]{0,400}${n}`) } },
      ['.pattern'],
    ],
    ['unknown fields', { secrets: {}, also: ['GUARDRAIL_FIELD_UNSPECIFIED'] }, ['.also[0]']],
    ['fields of the request for a service', { moderation: {}, also: ['GUARDRAIL_FIELD_USER'] }, ['.also']],
    ['a model with a space', { moderation: { model: 'a b' } }, ['.moderation.model']],
    ['a category in words', { moderation: { categories: ['Self harm'] } }, ['.moderation.categories[0]']],
    ['a score below 0', { moderation: { scoreMin: -0.1 } }, ['.moderation.score_min']],
    ['a score above 1', { moderation: { scoreMin: 1.1 } }, ['.moderation.score_min']],
    ['a score that is no number', { moderation: { scoreMin: Number.NaN } }, ['.moderation.score_min']],
  ])('is refused with %s', (_what, check, at) => {
    expect(problems(check)).toEqual(at);
  });

  it('is stored without repetitions, and with its URL in one form', () => {
    expect(read({ words: { phrases: ['x', 'y', 'x'], withinWords: true } })).toEqual({
      value: {
        kind: 'words',
        message: { words: { phrases: ['x', 'y'], withinWords: true }, also: [] },
      },
    });
    expect(read({ webhook: { url: 'HTTPS://Checks.example.com' } })).toMatchObject({
      value: { message: { webhook: { url: 'https://checks.example.com/', timeoutMs: 0 } } },
    });
  });

  it('reports twenty problems at most, and never repeats the sent text', () => {
    const field = read({ words: { phrases: Array(30).fill('Rosebud'.repeat(100)) } });
    if (!('problems' in field)) throw new Error('it was accepted');
    expect(field.problems).toHaveLength(20);
    expect(JSON.stringify(field)).not.toContain('Rosebud');
  });

  it('counts the size of its phrases or patterns in bytes of UTF-8', () => {
    expect(textBytesOf(received({ words: { phrases: ['é', 'ab'] } }))).toBe(4);
    expect(textBytesOf(received({ pattern: { patterns: ['😀'] } }))).toBe(4);
    expect(textBytesOf(received({ secrets: {} }))).toBe(0);
    expect(textBytesOf(received({ secrets: { forms: [acme(32)] } }))).toBe(8 + 15);
  });
});
