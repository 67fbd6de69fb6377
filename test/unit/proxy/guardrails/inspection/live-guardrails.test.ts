// What becomes of a request by the guardrails that apply to it: which do, in what order, and what is told of it.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import type { Check, Guardrail } from '../../../../../guardrails/definition.ts';
import {
  callWith,
  complete,
  inspected,
  openInspecting,
  responded,
  wordsGuardrail,
} from '../../../../support/guarded-requests.ts';
import { ParsedStream } from '../../../../support/guarded-streams.ts';
import { guardrailOf } from '../../../../support/service-guards.ts';

const saying = (content: string): JsonObject => ({ messages: [{ role: 'user', content }] });
const respond = (content: string) => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] });
const named = (name: string, words: readonly string[], fields: Partial<Guardrail> = {}) =>
  wordsGuardrail(words, { id: name, name, ...fields });

describe('guardrails apply', () => {
  const narrowed = named('narrowed', ['BAD'], { aiSystemIds: ['ai-1', 'ai-2'] });

  it('to nothing where an organization has none: the call is not touched, and nothing is counted', () => {
    const { inspect, decisions, took } = openInspecting();
    const call = callWith([], saying('BAD'));
    expect(inspect(call)).toEqual({ call, output: undefined });
    expect([decisions, took]).toEqual([[], []]);
  });

  it('to keys of the AI systems that they are narrowed to, and to no others', async () => {
    const { inspect } = openInspecting();
    expect(() => inspect(callWith([narrowed], saying('BAD'), 'ai-2'))).toThrow('narrowed');
    expect(inspect(callWith([narrowed], saying('BAD'), 'ai-3'))).toMatchObject({ output: undefined });
    expect(inspect(callWith([narrowed], saying('BAD')))).toMatchObject({ output: undefined });
  });

  it('also by the project key of a provider’s route', () => {
    const { inspect } = openInspecting();
    const call = callWith([narrowed], saying('BAD'), 'ai-3');
    const project = callWith([narrowed], {}, 'ai-1').caller.principal;
    expect(() => inspect({ ...call, caller: { ...call.caller, project } })).toThrow('narrowed');
  });

  it('anew to a new record of the organization', () => {
    const { inspect } = openInspecting();
    const second = { ...narrowed, revision: 2, aiSystemIds: [] };
    expect(inspect(callWith([narrowed], saying('BAD')))).toMatchObject({ output: undefined });
    expect(() => inspect(callWith([second], saying('BAD')))).toThrow('narrowed');
  });

  it('at their stage only', async () => {
    const input = wordsGuardrail(['BAD'], { stage: 'input' });
    const output = wordsGuardrail(['BAD'], { stage: 'output' });
    await expect(inspected(input, saying('BAD'))).rejects.toThrow();
    expect((await responded(input, respond('BAD'))).body.toString()).toContain('BAD');
    expect(await inspected(output, saying('BAD'))).toMatchObject(saying('BAD'));
    await expect(responded(output, respond('BAD'))).rejects.toThrow();
  });
});

describe('a request', () => {
  it('is rewritten as a new body: the parsed one stays, and what is not rewritten is shared', async () => {
    const { inspect } = openInspecting();
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const call = callWith([wordsGuardrail(['BAD'], { action: 'redact' })], { ...saying('a BAD day'), tools });
    const before = structuredClone(call.request.body);
    const { call: next } = await inspect(call);
    expect(call.request.body).toEqual(before);
    expect(next.request.body).toEqual({ ...before, ...saying('a [WORD_1] day') });
    expect(next.request.messages).toEqual(saying('a [WORD_1] day').messages);
    expect(next.request.body.tools).toBe(call.request.body.tools);
    expect({ ...next, request: undefined }).toEqual({ ...call, request: undefined });
  });

  it('in which nothing is found goes on as the very same call', async () => {
    const { inspect } = openInspecting();
    const call = callWith([wordsGuardrail(['BAD'], { action: 'redact', stage: 'input' })], saying('good'));
    expect(await inspect(call)).toEqual({ call, output: undefined });
    expect((await inspect(call)).call).toBe(call);
  });

  it('keeps a name that no assignment keeps', async () => {
    const body = JSON.parse('{"extra": {"__proto__": {"a": "BAD"}}}') as JsonObject;
    const left = await inspected(wordsGuardrail(['BAD'], { action: 'redact' }), body);
    expect(JSON.stringify(left)).toContain('{"__proto__":{"a":"[WORD_1]"}}');
  });

  it('has one number for one value, wherever it stands', async () => {
    const body = {
      messages: [
        { role: 'user', content: 'ONE and TWO' },
        {
          role: 'assistant',
          content: 'TWO',
          tool_calls: [{ function: { name: 'f', arguments: '{"a":"ONE"}' } }],
        },
      ],
    };
    const left = await inspected(wordsGuardrail(['ONE', 'TWO'], { action: 'redact' }), body);
    expect(left.messages).toEqual([
      { role: 'user', content: '[WORD_1] and [WORD_2]' },
      {
        role: 'assistant',
        content: '[WORD_2]',
        tool_calls: [{ function: { name: 'f', arguments: '{"a":"[WORD_1]"}' } }],
      },
    ]);
  });

  it('is held against the text as it came by every guardrail: of findings that overlap the first is replaced', async () => {
    const guardrails = [
      named('a', ['cd'], { action: 'redact' }),
      named('b', ['bc', 'de'], { action: 'redact' }),
    ];
    const { inspect } = openInspecting();
    const { call } = await inspect(callWith(guardrails, saying('abcdef')));
    expect(call.request.messages[0]?.content).toBe('a[WORD_1]f');
  });
});

describe('what is decided', () => {
  it('is told of each guardrail, in their order: counted, in the header, in the access log, sampled where it did not pass', async () => {
    const { inspect, decisions, samples, took, context } = openInspecting();
    const guardrails = [
      named('first', ['NOTHING']),
      named('second', ['BAD'], { action: 'observe' }),
      named('third', ['BAD'], { action: 'redact', stage: 'input' }),
    ];
    const { output } = await inspect(callWith(guardrails, saying('BAD')));
    expect(decisions).toEqual(['first input pass', 'second input observe', 'third input redact']);
    expect(context.record).toEqual({
      guardrailHeader: 'first=pass, second=observe, third=redact',
      guardrailsNotPassed: 'second=observe, third=redact',
    });
    await output?.guard(complete(respond('fine')));
    expect(decisions.slice(3)).toEqual(['first output pass', 'second output pass']);
    expect(took).toEqual(['input', 'output']);
    const sample = {
      organizationId: 'organization-1',
      keyId: 'key-1',
      requestId: 'request-1',
      stage: 'input',
    };
    expect(samples).toEqual([
      { ...sample, guardrailId: 'second', decision: 'observe' },
      { ...sample, guardrailId: 'third', decision: 'redact' },
    ]);
  });

  it('ends the request at the first finding that blocks, wherever its guardrail stands', () => {
    const guardrails = [named('late', ['SECOND']), named('early', ['FIRST']), named('other', ['FIRST'])];
    const { inspect, decisions, context } = openInspecting();
    expect(() => inspect(callWith(guardrails, saying('FIRST, then SECOND')))).toThrow(
      'blocked by the guardrail early',
    );
    expect(decisions).toEqual(['early input block']);
    expect(context.record.guardrailHeader).toBe('early=block');
  });

  it('tells the guardrail’s own message and name, never what was found', () => {
    const { inspect } = openInspecting();
    const guardrail = wordsGuardrail(['BAD'], { message: 'Ask somebody else' });
    const error = caught(() => inspect(callWith([guardrail], saying('BAD'))));
    expect(error).toMatchObject({ code: 'guardrail_blocked', status: 400 });
    expect(error).toHaveProperty('message', 'Ask somebody else (guardrail our-guard)');
    expect(JSON.stringify(error)).not.toContain('BAD');
  });

  it('stays within what a header holds', async () => {
    const { inspect, context } = openInspecting();
    const guardrails = Array.from({ length: 32 }, (_, i) => named(`${'g'.repeat(50)}${i}`, ['NOTHING']));
    await inspect(callWith(guardrails, saying('x')));
    expect(context.record.guardrailHeader?.length).toBeLessThanOrEqual(512);
    expect(context.record.guardrailHeader).toMatch(/=pass$/);
  });
});

describe('a check that fails', () => {
  const failing: readonly (readonly [string, Check])[] = [
    ['that throws', { kind: 'words', phrases: ['!'], withinWords: true }],
    ['that cannot be compiled', { kind: 'words', phrases: ['?'], withinWords: true }],
    ['of a kind that this gateway does not know', { kind: 'unknown' }],
  ];

  describe.each(failing)('%s', (_what, check) => {
    it('blocks by its rule, at either stage', async () => {
      await expect(inspected(guardrailOf(check), saying('x'))).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
      const output = guardrailOf(check, { stage: 'output' });
      await expect(responded(output, respond('x'))).rejects.toMatchObject({ code: 'guardrail_blocked' });
    });

    it('passes by its rule, and is told as failed', async () => {
      const { inspect, decisions } = openInspecting();
      const call = callWith([guardrailOf(check, { onFailure: 'pass' })], saying('x'));
      const { call: next, output } = await inspect(call);
      expect(next).toBe(call);
      const result = complete(respond('x'));
      expect(await output?.guard(result)).toBe(result);
      expect(decisions).toEqual(['our-guard input failed_pass', 'our-guard output failed_pass']);
    });

    it('keeps nothing back where it only observes', async () => {
      const body = await inspected(guardrailOf(check, { action: 'observe' }), saying('x'));
      expect(body).toMatchObject(saying('x'));
    });
  });

  it('does not keep the others from deciding', () => {
    const { inspect, decisions } = openInspecting();
    const guardrails = [named('broken', ['!'], { onFailure: 'pass' }), named('sound', ['BAD'])];
    expect(() => inspect(callWith(guardrails, saying('BAD')))).toThrow('sound');
    expect(decisions).toEqual(['broken input failed_pass', 'sound input block']);
  });
});

describe('restoring', () => {
  const restoring = (stage: Guardrail['stage'], restore = true) =>
    guardrailOf(
      { kind: 'personal_data', types: ['email'], countries: ['US'], restore },
      { action: 'redact', stage },
    );
  const request = saying('write to person@example.com');
  const written = (value: unknown) => JSON.stringify(value);

  it('puts back into the answer what placeholders of the request stand for, wherever they stand', async () => {
    const { inspect } = openInspecting();
    const { call, output } = await inspect(callWith([restoring('input')], request));
    expect(call.request.messages[0]?.content).toBe('write to [WORD_1]');
    const calls = [{ function: { name: 'mail', arguments: '{"to":"[WORD_1]"}' } }];
    const parsed = { choices: [{ message: { content: 'Dear [WORD_1], [WORD_2]', tool_calls: calls } }] };
    const result = await output?.guard(complete(parsed));
    expect(result).toMatchObject({
      body: Buffer.from(written(parsed).replaceAll('[WORD_1]', 'person@example.com')),
    });
  });

  it('leaves new findings of the answer numbers of their own', async () => {
    const { inspect } = openInspecting();
    const guardrails = [restoring('input'), named('out', ['BAD'], { action: 'redact', stage: 'output' })];
    const { output } = await inspect(callWith(guardrails, request));
    const result = await output?.guard(complete(respond('[WORD_1] is BAD')));
    expect(result).toMatchObject({ body: Buffer.from(written(respond('person@example.com is [WORD_2]'))) });
  });

  it('does not happen where nobody asked for it, or nothing was replaced', async () => {
    const { inspect } = openInspecting();
    expect((await inspect(callWith([restoring('input', false)], request))).output).toBeUndefined();
    expect((await inspect(callWith([restoring('input')], saying('nobody')))).output).toBeUndefined();
  });
});

describe('what spells an answer out', () => {
  const output = (action: Guardrail['action']) => wordsGuardrail(['BAD'], { action, stage: 'output' });

  it.each([{ logprobs: true }, { top_logprobs: 2 }, { return_token_ids: true }])(
    'is refused where a guardrail may keep some of it back: %j',
    async (fields) => {
      const refusal = { code: 'unsupported_parameter', param: Object.keys(fields)[0] };
      await expect(inspected(output('block'), fields)).rejects.toMatchObject(refusal);
      await expect(inspected(output('redact'), fields)).rejects.toMatchObject(refusal);
    },
  );

  it.each([{ logprobs: false }, { logprobs: null, top_logprobs: 0 }])(
    'is not asked for by %j',
    async (fields) => {
      expect(await inspected(output('block'), fields)).toMatchObject(fields);
    },
  );

  it('is taken where guardrails only observe, or look at requests alone', async () => {
    expect(await inspected(output('observe'), { logprobs: true })).toMatchObject({ logprobs: true });
    const input = wordsGuardrail(['BAD'], { stage: 'input' });
    expect(await inspected(input, { logprobs: true })).toMatchObject({ logprobs: true });
  });
});

describe('a stream', () => {
  const stream = new ParsedStream();

  it('is guarded by the guardrails of the output, which is all that the header can tell', async () => {
    const guarded = new ParsedStream();
    let length = 0;
    const { inspect, context, decisions } = openInspecting({
      guardStream: (source, guards) => {
        expect(source).toBe(stream);
        length = guards.guards().length;
        return Promise.resolve(guarded);
      },
    });
    const { output } = await inspect(
      callWith([named('a', ['X']), named('b', ['X'], { stage: 'output' })], {}),
    );
    expect(await output?.guard(stream)).toBe(guarded);
    expect(length).toBe(2);
    expect(context.record.guardrailHeader).toBe('a=pass, a=stream, b=stream');
    expect(decisions).toEqual(['a input pass']);
  });

  it('does not begin where a guardrail of its is not known', async () => {
    const { inspect } = openInspecting();
    const { output } = await inspect(callWith([guardrailOf({ kind: 'unknown' }, { stage: 'output' })], {}));
    expect(() => output?.guard(stream)).toThrow('our-guard');
  });
});

describe('the size of a prompt', () => {
  const sizes = { tokensMax: undefined, messagesMax: undefined, imagesMax: undefined };
  const limit = (fields: object, more: Partial<Guardrail> = {}) =>
    guardrailOf({ kind: 'prompt_size', ...sizes, ...fields }, more);
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  const images = (count: number) => ({
    messages: [{ role: 'user', content: Array.from({ length: count }, () => image) }],
  });
  const messages = (count: number) => ({
    messages: Array.from({ length: count }, () => ({ role: 'user', content: 'x' })),
  });

  it.each([
    ['messages', { messagesMax: 3 }, messages(3), messages(4)],
    ['images', { imagesMax: 2 }, images(2), images(3)],
    ['tokens', { tokensMax: 200 }, saying('x'.repeat(600)), saying('x'.repeat(800))],
    ['nothing', { imagesMax: 0 }, messages(1), images(1)],
  ])('is limited: %s', async (_what, check, fitting, tooMuch) => {
    await inspected(limit(check), fitting);
    await expect(inspected(limit(check), tooMuch)).rejects.toMatchObject({ code: 'guardrail_blocked' });
    await expect(inspected(limit(check, { action: 'redact' }), tooMuch)).rejects.toThrow();
  });

  it('is observed', async () => {
    const { inspect, decisions } = openInspecting();
    const guardrail = limit({ messagesMax: 1 }, { action: 'observe' });
    expect(await inspect(callWith([guardrail], messages(2)))).toMatchObject({ output: undefined });
    expect(decisions).toEqual(['our-guard input observe']);
  });

  it('is no matter of an answer', async () => {
    const result = await responded(limit({ tokensMax: 1 }, { stage: 'output' }), respond('x'.repeat(100)));
    expect(result.body.length).toBeGreaterThan(100);
  });
});

function caught(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}
