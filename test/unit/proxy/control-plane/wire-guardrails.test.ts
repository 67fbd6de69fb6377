import { describe, expect, it } from 'vitest';
import type { GuardrailCheck } from '../../../../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { GuardrailRecord } from '../../../../proto/generated/gateway/v1/GuardrailRecord.ts';
import { services } from '../../../../proto/load.ts';
import { decodeResolve } from '../../../../proxy/control-plane/wire-records.ts';

const { Resolve } = services.Access;

/** Over the wire and back, within an answer as it comes. */
function decode(...guardrails: GuardrailRecord[]) {
  const sent = Resolve.responseSerialize({
    asOf: { epoch: 'one', revision: 1 },
    key: { keyId: 'k', organizationId: 'o', scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: 'o' } },
    organization: { id: 'o', guardrails },
  });
  return decodeResolve(Resolve.responseDeserialize(sent)).principal?.organization.guardrails ?? [];
}

const record = {
  id: '1',
  name: 'names',
  position: 7,
  stage: 'GUARDRAIL_STAGE_INPUT',
  action: 'GUARDRAIL_ACTION_REDACT',
  onFailure: 'GUARDRAIL_FAILURE_RULE_PASS',
  message: 'No names, please.',
  aiSystemIds: ['system'],
  check: { words: { phrases: ['Rosebud'], withinWords: true } },
  revision: 5,
} as const satisfies GuardrailRecord;

const checkOf = (check: GuardrailCheck | null, secret?: string) =>
  decode({ ...record, check, ...(secret !== undefined && { secret }) })[0]?.check;

describe('a guardrail of a record', () => {
  it('comes with all that it says', () => {
    expect(decode(record)).toEqual([
      {
        ...{ id: '1', name: 'names', position: 7, stage: 'input', action: 'redact', onFailure: 'pass' },
        ...{ message: 'No names, please.', aiSystemIds: ['system'], revision: 5 },
        check: { kind: 'words', phrases: ['Rosebud'], withinWords: true },
      },
    ]);
  });

  it('names the fields that it inspects beside the text; one that is not known may be any', () => {
    const alsoOf = (...also: readonly string[]) =>
      decode({ ...record, check: { ...record.check, also: also as NonNullable<GuardrailCheck['also']> } })[0]
        ?.also;
    expect(alsoOf('GUARDRAIL_FIELD_USER', 'GUARDRAIL_FIELD_METADATA')).toEqual(['user', 'metadata']);
    expect(alsoOf('GUARDRAIL_FIELD_UNSPECIFIED')).toHaveLength(4);
    expect(alsoOf()).toBeUndefined();
  });

  it('stands where it is applied: by position, and the older first', () => {
    const of = (id: string, position: number) => ({ ...record, id, position });
    const ids = decode(of('c', 9), of('b', 0), of('d', 9), of('a', 9)).map(({ id }) => id);
    expect(ids).toEqual(['b', 'a', 'c', 'd']);
  });

  it('is none where the organization has none', () => {
    expect(decode()).toEqual([]);
  });

  it.each<[string, object]>([
    ['id', { id: '' }],
    ['name', { name: '' }],
  ])('is refused without its %s', (_what, without) => {
    expect(() => decode({ ...record, ...without })).toThrow('the record holds half a guardrail');
  });
});

describe('what a newer control plane says of a guardrail', () => {
  it.each<[string, object, object]>([
    ['a stage', { stage: 9 }, { stage: 'both' }],
    ['no stage', { stage: 0 }, { stage: 'both' }],
    ['an action', { action: 9 }, { action: 'block' }],
    ['no action', { action: 0 }, { action: 'block' }],
    ['a rule', { onFailure: 9 }, { onFailure: 'block' }],
    ['no rule', { onFailure: 0 }, { onFailure: 'block' }],
  ])('is read at its strictest where it is %s that this version does not know', (_what, stated, read) => {
    expect(decode({ ...record, ...stated })[0]).toMatchObject({ id: '1', ...read });
  });

  it.each<[string, GuardrailCheck | null]>([
    ['no check', null],
    ['a kind that it does not know', {}],
    ['words without phrases', { words: {} }],
    ['patterns without any', { pattern: {} }],
    ['a type of personal data that it does not know', { personalData: { types: [1, 99 as 1] } }],
    ['a type of personal data that is none', { personalData: { types: [0] } }],
    ['sizes without any', { promptSize: {} }],
    ['a webhook without its secret', { webhook: { url: 'https://checks.example.com/' } }],
  ])('is a check that always fails where this version sees %s', (_what, check) => {
    expect(checkOf(check)).toEqual({ kind: 'unknown' });
  });

  it('is a check that always fails where a webhook has no URL', () => {
    expect(checkOf({ webhook: {} }, 'whsec_x')).toEqual({ kind: 'unknown' });
  });
});

describe('a check', () => {
  it('of patterns comes with them', () => {
    expect(checkOf({ pattern: { patterns: ['a+', 'b'] } })).toEqual({
      ...{ kind: 'pattern', patterns: ['a+', 'b'] },
    });
  });

  it('of personal data means all types and the United States where it says neither', () => {
    expect(checkOf({ personalData: {} })).toEqual({
      kind: 'personal_data',
      types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
      countries: ['US'],
      restore: false,
    });
  });

  it('of personal data comes with what it says', () => {
    const types = ['PERSONAL_DATA_TYPE_IBAN', 'PERSONAL_DATA_TYPE_PHONE'] as const;
    expect(checkOf({ personalData: { types: [...types], countries: ['DE', 'FR'], restore: true } })).toEqual({
      ...{ kind: 'personal_data', types: ['iban', 'phone'], countries: ['DE', 'FR'], restore: true },
    });
  });

  it('of secrets has its forms to say', () => {
    const forms = [{ label: 'ACME_KEY', form: 'acme_{alnum:32}' }];
    expect(checkOf({ secrets: {} })).toEqual({ kind: 'secrets' });
    expect(checkOf({ secrets: { forms } })).toEqual({ kind: 'secrets', forms });
  });

  it('of sizes limits what is not 0', () => {
    expect(checkOf({ promptSize: { messagesMax: 3 } })).toEqual({
      ...{ kind: 'prompt_size', tokensMax: undefined, messagesMax: 3, imagesMax: undefined },
    });
  });

  it('of a service comes with its time limit and a secret that does not print', () => {
    const check = checkOf({ webhook: { url: 'https://checks.example.com/' } }, 'whsec_x');
    expect(check).toMatchObject({ kind: 'webhook', url: 'https://checks.example.com/', timeoutMs: 2000 });
    expect(check?.kind === 'webhook' && check.secret.reveal()).toBe('whsec_x');
    expect(JSON.stringify(check)).not.toContain('whsec_x');
    expect(checkOf({ webhook: { url: 'https://checks.example.com/', timeoutMs: 1 } }, 'x')).toMatchObject({
      timeoutMs: 1,
    });
  });

  it('of moderation means the newest model, all categories and what the vendor flags', () => {
    expect(checkOf({ moderation: {} })).toEqual({
      ...{ kind: 'moderation', model: 'omni-moderation-latest', categories: [], scoreMin: undefined },
    });
    const stated = { model: 'text-moderation-stable', categories: ['violence'], scoreMin: 0.25 };
    expect(checkOf({ moderation: stated })).toEqual({ kind: 'moderation', ...stated });
  });
});
