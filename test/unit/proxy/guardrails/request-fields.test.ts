// Fields that identify a person to the vendor, for guardrails with `also`; placeholders that a caller has written; and
// the message of a provider's failure.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import type { Guardrail } from '../../../../guardrails/definition.ts';
import { requestLocations } from '../../../../guardrails/inspection/request-schema.ts';
import {
  formatFields,
  routingFields,
  samplingFields,
} from '../../../../proxy/formats/chat-completions/passed-fields.ts';
import { keptBack } from '../../../../proxy/guardrails/response-guards.ts';
import { ProviderFailure } from '../../../../proxy/upstream/provider-failure.ts';
import { callWith, complete, openInspecting, phrasesGuardrail } from '../../../support/guarded-requests.ts';
import { guardrailOf } from '../../../support/service-guards.ts';

const named = (name: string, fields: Partial<Guardrail> = {}) =>
  phrasesGuardrail(['HERON'], { id: name, name, stage: 'input', ...fields });
const body = {
  user: 'HERON',
  safety_identifier: 'a HERON',
  prompt_cache_key: 'HERON-1',
  metadata: { customer: 'HERON' },
};

async function sent(guardrails: readonly Guardrail[], fields: JsonObject) {
  const inspecting = openInspecting();
  const { call } = await inspecting.inspect(callWith(guardrails, fields));
  return { body: call.request.body, decisions: inspecting.decisions };
}

describe('request fields that the model does not read', () => {
  it('pass uninspected when no guardrail lists them', async () => {
    const { body: left, decisions } = await sent([named('quiet')], body);
    expect(left).toMatchObject(body);
    expect(decisions).toEqual(['quiet input pass']);
  });

  it('are inspected by guardrails that list them, and by no others', async () => {
    const redacting = named('redacts', { action: 'redact', also: ['user', 'metadata'] });
    const { body: left, decisions } = await sent([named('blocks'), redacting], body);
    expect(left).toMatchObject({ ...body, user: '[WORD_1]', metadata: { customer: '[WORD_1]' } });
    expect(decisions).toEqual(['blocks input pass', 'redacts input redact']);
  });

  it.each(['user', 'metadata', 'safety_identifier', 'prompt_cache_key'] as const)(
    'are blocked by a guardrail that lists %s',
    async (field) => {
      await expect(sent([named('redacts', { also: [field] })], { [field]: body[field] })).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
    },
  );

  it('are exactly the fields whose text the inspection table exempts', () => {
    const unseen = Object.entries(requestLocations.fields ?? {}).filter(
      ([, { strings, isExempt }]) => strings === 'exempt' && isExempt === undefined,
    );
    const steering = ['model', 'stream_options', 'logit_bias', 'cache_control'];
    expect(
      unseen
        .map(([name]) => name)
        .filter((name) => !steering.includes(name))
        .sort(),
    ).toEqual(Object.keys(body).sort());
    for (const [name, { why }] of unseen) expect(why, name).toMatch(/\w/);
  });
});

describe('the inspection table compared with the lists of request fields', () => {
  const known = Object.keys(requestLocations.fields ?? {});
  const lists = [formatFields, samplingFields, routingFields];
  const unnamed = [...new Set(lists.flatMap((list) => [...list]))].filter((name) => !known.includes(name));

  it('has every field of the format except these, which are inspected like unknown fields', () => {
    expect(unnamed.filter((name) => formatFields.has(name))).toEqual(['moderation', 'prompt_cache_options']);
    expect(known.filter((name) => !lists.some((list) => list.has(name)))).toEqual(['cache_control']);
  });

  it.each(unnamed)('a field without a row is inspected, text and names, at any depth: %s', async (field) => {
    for (const value of ['a HERON', [{ deep: { deeper: 'a HERON' } }], { HERON: 1 }])
      await expect(sent([named('blocks')], { [field]: value })).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
  });
});

describe('placeholders that the caller has written', () => {
  const restoring = guardrailOf(
    { kind: 'personal_data', types: ['email'], countries: ['US'], restore: true },
    { action: 'redact', stage: 'input' },
  );
  const requesting = (content: string) => ({ messages: [{ role: 'user', content }] });

  it.each(['[WORD_1]', '[word 1]', '\\[WORD\\_1\\]', '【WORD_1】', '\\u005bWORD_1\\u005d'])(
    'are not replaced on the way back: %s',
    async (written) => {
      const { call, output } = await openInspecting().inspect(
        callWith([restoring], requesting(`Literal ${written} stays. Mail person@example.com`)),
      );
      expect(call.request.body.messages).toEqual(requesting(`Literal ${written} stays. Mail [WORD_2]`).messages);
      const response = { choices: [{ message: { content: `Mailed [WORD_2], not ${written}.` } }] };
      const result = await output?.guard(complete(response));
      const left = result?.kind === 'complete' ? JSON.parse(result.body.toString()) : undefined;
      expect(left.choices[0].message.content).toBe(`Mailed person@example.com, not ${written}.`);
    },
  );

  it('do not shift the numbers when nothing is restored', async () => {
    const { check } = restoring;
    const plain = { ...restoring, check: { ...check, restore: false } } as Guardrail;
    const { body: left } = await sent([plain], requesting('[WORD_1] is person@example.com'));
    expect(left.messages).toEqual(requesting('[WORD_1] is [WORD_1]').messages);
  });
});

describe('the message of a provider’s failure', () => {
  const failure = new ProviderFailure(
    {
      status: 429,
      message: 'no HERON here',
      param: 'HERON',
      code: 'slow',
      retryable: true,
      retryAfter: undefined,
    },
    { retryAfter: 3, headers: [], reason: 'status 429' },
  );
  const through = async (fields: Partial<Guardrail>, error: unknown = failure) => {
    const inspecting = openInspecting();
    const { output } = await inspecting.inspect(callWith([named('out', { stage: 'output', ...fields })], {}));
    return { left: output?.failure(error), decisions: inspecting.decisions };
  };

  it('is redacted like a response, and keeps its other fields', async () => {
    const { left, decisions } = await through({ action: 'redact' });
    expect(left).toMatchObject({ status: 429, message: 'no [WORD_1] here', retryAfter: 3, retryable: true });
    expect(left).toMatchObject({ param: undefined, code: 'slow' });
    expect(decisions).toContain('out output block');
  });

  it('is withheld when a guardrail blocks', async () => {
    const { left } = await through({ action: 'block' });
    expect(left).toMatchObject({ status: 429, message: keptBack, param: undefined });
  });

  it('is unchanged when nothing is found, and when the failure is not a provider’s', async () => {
    const quiet = new ProviderFailure(
      {
        status: 400,
        message: 'no',
        param: undefined,
        code: undefined,
        retryable: false,
        retryAfter: undefined,
      },
      { retryAfter: undefined, headers: [], reason: 'status 400' },
    );
    expect(await through({}, quiet)).toEqual({ left: quiet, decisions: ['out output pass'] });
    const other = new Error('HERON');
    expect((await through({}, other)).left).toBe(other);
  });
});
