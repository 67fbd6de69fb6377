import { describe, expect, it } from 'vitest';
import type { GuardrailCheck } from '../../../../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { GuardrailRecord } from '../../../../proto/generated/gateway/v1/GuardrailRecord.ts';
import { services } from '../../../../proto/load.ts';
import { decodeResolve } from '../../../../proxy/control-plane/wire-records.ts';

const { Resolve } = services.Access;

/** Sends the guardrails over the wire within a response of Resolve, and decodes them. */
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

const checkOf = (check: GuardrailCheck | null, secret?: string, credential?: GuardrailRecord['credential']) =>
  decode({ ...record, check, ...(secret !== undefined && { secret }), ...(credential && { credential }) })[0]?.check;
const region = 'eu-west-1';

describe('a guardrail of a record', () => {
  it('is decoded with all its fields', () => {
    expect(decode(record)).toEqual([
      {
        ...{ id: '1', name: 'names', position: 7, stage: 'input', action: 'redact', onFailure: 'pass' },
        ...{ message: 'No names, please.', aiSystemIds: ['system'], revision: 5 },
        check: { kind: 'words', phrases: ['Rosebud'], withinWords: true },
      },
    ]);
  });

  it('contains the extra fields that it inspects; an unknown field is read as all of them', () => {
    const alsoOf = (...also: readonly string[]) =>
      decode({ ...record, check: { ...record.check, also: also as NonNullable<GuardrailCheck['also']> } })[0]?.also;
    expect(alsoOf('GUARDRAIL_FIELD_USER', 'GUARDRAIL_FIELD_METADATA')).toEqual(['user', 'metadata']);
    expect(alsoOf('GUARDRAIL_FIELD_UNSPECIFIED')).toHaveLength(4);
    expect(alsoOf()).toBeUndefined();
  });

  it('guardrails are sorted by position, then by age', () => {
    const of = (id: string, position: number) => ({ ...record, id, position });
    const ids = decode(of('c', 9), of('b', 0), of('d', 9), of('a', 9)).map(({ id }) => id);
    expect(ids).toEqual(['b', 'a', 'c', 'd']);
  });

  it('an organization without guardrails has none', () => {
    expect(decode()).toEqual([]);
  });

  it.each<[string, object]>([
    ['id', { id: '' }],
    ['name', { name: '' }],
  ])('is refused without its %s', (_what, without) => {
    expect(() => decode({ ...record, ...without })).toThrow('the record contains half a guardrail');
  });
});

describe('a guardrail of a newer control plane', () => {
  it.each<[string, object, object]>([
    ['a stage', { stage: 9 }, { stage: 'both' }],
    ['no stage', { stage: 0 }, { stage: 'both' }],
    ['an action', { action: 9 }, { action: 'block' }],
    ['no action', { action: 0 }, { action: 'block' }],
    ['a rule', { onFailure: 9 }, { onFailure: 'block' }],
    ['no rule', { onFailure: 0 }, { onFailure: 'block' }],
  ])('is decoded in its strictest form when it has %s that this version does not know', (_what, stated, read) => {
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
    ['an adapter that it does not know', { service: { adapter: 'moon', url: 'https://checks.example.com/' } }],
    ['an adapter without an option that it needs', { service: { adapter: 'bedrock', options: { region } } }],
    [
      'an adapter with an option that it does not know',
      { service: { adapter: 'bedrock', options: { region, guardrail: 'g1', moon: '1' } } },
    ],
    ['a form of a model that it does not know', { model: { model: 'm', form: 'moon' } }],
    ['a form without a model', { model: { form: 'llama_guard' } }],
    ['a form with a field that the form does not take', { model: { model: 'm', form: 'llama_guard', criterion: 'x' } }],
    ['a webhook without its secret', { webhook: { url: 'https://checks.example.com/' } }],
  ])('becomes a check that always fails when this version reads %s', (_what, check) => {
    expect(checkOf(check)).toEqual({ kind: 'unknown' });
  });

  it('becomes a check that always fails when its webhook has no URL', () => {
    expect(checkOf({ webhook: {} }, 'whsec_x')).toEqual({ kind: 'unknown' });
  });
});

describe('a check of a guardrail', () => {
  it('of patterns is decoded with the patterns', () => {
    expect(checkOf({ pattern: { patterns: ['a+', 'b'] } })).toEqual({
      ...{ kind: 'pattern', patterns: ['a+', 'b'] },
    });
  });

  it('of personal data covers all types and the United States by default', () => {
    expect(checkOf({ personalData: {} })).toEqual({
      kind: 'personal_data',
      types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
      countries: ['US'],
      restore: false,
    });
  });

  it('of personal data is decoded with its types, countries and restore flag', () => {
    const types = ['PERSONAL_DATA_TYPE_IBAN', 'PERSONAL_DATA_TYPE_PHONE'] as const;
    expect(checkOf({ personalData: { types: [...types], countries: ['DE', 'FR'], restore: true } })).toEqual({
      ...{ kind: 'personal_data', types: ['iban', 'phone'], countries: ['DE', 'FR'], restore: true },
    });
  });

  it('of secrets may have its own forms', () => {
    const forms = [{ label: 'ACME_KEY', form: 'acme_{alnum:32}' }];
    expect(checkOf({ secrets: {} })).toEqual({ kind: 'secrets' });
    expect(checkOf({ secrets: { forms } })).toEqual({ kind: 'secrets', forms });
  });

  it('of prompt sizes limits only sizes that are not 0', () => {
    expect(checkOf({ promptSize: { messagesMax: 3 } })).toEqual({
      ...{ kind: 'prompt_size', tokensMax: undefined, messagesMax: 3, imagesMax: undefined },
    });
  });

  it('of a service is decoded with its time limit and with a secret that does not print', () => {
    const check = checkOf({ webhook: { url: 'https://checks.example.com/' } }, 'whsec_x');
    expect(check).toMatchObject({ kind: 'webhook', url: 'https://checks.example.com/', timeoutMs: 2000 });
    expect(check?.kind === 'webhook' && check.secret.reveal()).toBe('whsec_x');
    expect(JSON.stringify(check)).not.toContain('whsec_x');
    expect(checkOf({ webhook: { url: 'https://checks.example.com/', timeoutMs: 1 } }, 'x')).toMatchObject({
      timeoutMs: 1,
    });
  });

  it('of a vendor’s service has the vendor’s URL, its options and a credential that does not print', () => {
    const credential = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
    const service = { adapter: 'bedrock', options: { region, guardrail: 'g1' }, labels: ['HATE'] };
    const check = checkOf({ service }, undefined, credential);
    expect(check).toMatchObject({
      ...{ kind: 'service', ...service, url: 'https://bedrock-runtime.eu-west-1.amazonaws.com' },
      ...{ scoreMin: undefined, timeoutMs: 5000 },
    });
    const read = check?.kind === 'service' ? check.credential : undefined;
    expect([read?.accessKeyId, read?.secretAccessKey, read?.apiKey].map((one) => one?.reveal())).toEqual([
      ...['AKIDEXAMPLE', 'not-a-secret', undefined],
    ]);
    expect(JSON.stringify(check)).not.toContain('not-a-secret');
    expect(checkOf({ service })).toMatchObject({ kind: 'service', credential: undefined });
  });

  it('of a model is decoded with what its form takes', () => {
    const model = { model: 'gpt-provider/guard', form: 'llama_guard', categories: ['S1'], timeoutMs: 900 };
    expect(checkOf({ model })).toMatchObject({ kind: 'model', ...model, scoreMin: undefined });
  });

  it('of moderation covers the newest model, all categories and the vendor’s flags by default', () => {
    expect(checkOf({ moderation: {} })).toEqual({
      ...{ kind: 'moderation', model: 'omni-moderation-latest', categories: [], scoreMin: undefined },
    });
    const stated = { model: 'text-moderation-stable', categories: ['violence'], scoreMin: 0.25 };
    expect(checkOf({ moderation: stated })).toEqual({ kind: 'moderation', ...stated });
  });
});
