// The guardrails of a request: which ones apply, in what order, and how their decisions are recorded.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import type { Check, Guardrail } from '../../../../../guardrails/definition.ts';
import {
  callWith,
  complete,
  inspected,
  openInspecting,
  phrasesGuardrail,
  responded,
} from '../../../../support/guarded-requests.ts';
import { ParsedStream } from '../../../../support/guarded-streams.ts';
import { guardrailOf } from '../../../../support/service-guards.ts';

const saying = (content: string): JsonObject => ({ messages: [{ role: 'user', content }] });
const respond = (content: string) => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] });
const named = (name: string, words: readonly string[], fields: Partial<Guardrail> = {}) =>
  phrasesGuardrail(words, { id: name, name, ...fields });

describe('the guardrails that apply', () => {
  const narrowed = named('narrowed', ['BAD'], { aiSystemIds: ['ai-1', 'ai-2'] });

  it('are none for an organization without guardrails: the call is unchanged, and nothing is counted', () => {
    const { inspect, decisions, took } = openInspecting();
    const call = callWith([], saying('BAD'));
    expect(inspect(call)).toEqual({ call, output: undefined });
    expect([decisions, took]).toEqual([[], []]);
  });

  it('include those narrowed to AI systems for keys of these systems only', async () => {
    const { inspect } = openInspecting();
    await expect((async () => inspect(callWith([narrowed], saying('BAD'), 'ai-2')))()).rejects.toThrow('narrowed');
    expect(inspect(callWith([narrowed], saying('BAD'), 'ai-3'))).toMatchObject({ output: undefined });
    expect(inspect(callWith([narrowed], saying('BAD')))).toMatchObject({ output: undefined });
  });

  it('include those narrowed to the AI system of the project key on a provider’s route', async () => {
    const { inspect } = openInspecting();
    const call = callWith([narrowed], saying('BAD'), 'ai-3');
    const project = callWith([narrowed], {}, 'ai-1').caller.principal;
    await expect((async () => inspect({ ...call, caller: { ...call.caller, project } }))()).rejects.toThrow('narrowed');
  });

  it('follow a new record of the organization', async () => {
    const { inspect } = openInspecting();
    const second = { ...narrowed, revision: 2, aiSystemIds: [] };
    expect(inspect(callWith([narrowed], saying('BAD')))).toMatchObject({ output: undefined });
    await expect((async () => inspect(callWith([second], saying('BAD'))))()).rejects.toThrow('narrowed');
  });

  it('apply at their own stage only', async () => {
    const input = phrasesGuardrail(['BAD'], { stage: 'input' });
    const output = phrasesGuardrail(['BAD'], { stage: 'output' });
    await expect(inspected(input, saying('BAD'))).rejects.toThrow();
    expect((await responded(input, respond('BAD'))).body.toString()).toContain('BAD');
    expect(await inspected(output, saying('BAD'))).toMatchObject(saying('BAD'));
    await expect(responded(output, respond('BAD'))).rejects.toThrow();
  });
});

describe('a request that guardrails inspect', () => {
  it('is rewritten as a new body; the parsed body stays unchanged and shares the other values', async () => {
    const { inspect } = openInspecting();
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const call = callWith([phrasesGuardrail(['BAD'], { action: 'redact' })], {
      ...saying('a BAD day'),
      tools,
    });
    const before = structuredClone(call.request.body);
    const { call: next } = await inspect(call);
    expect(call.request.body).toEqual(before);
    expect(next.request.body).toEqual({ ...before, ...saying('a [WORD_1] day') });
    expect(next.request.messages).toEqual(saying('a [WORD_1] day').messages);
    expect(next.request.body.tools).toBe(call.request.body.tools);
    expect({ ...next, request: undefined }).toEqual({ ...call, request: undefined });
  });

  it('continues as the same call object when nothing is found', async () => {
    const { inspect } = openInspecting();
    const call = callWith([phrasesGuardrail(['BAD'], { action: 'redact', stage: 'input' })], saying('good'));
    expect(await inspect(call)).toEqual({ call, output: undefined });
    expect((await inspect(call)).call).toBe(call);
  });

  it('keeps a __proto__ member, which an assignment would lose', async () => {
    const body = JSON.parse('{"extra": {"__proto__": {"a": "BAD"}}}') as JsonObject;
    const left = await inspected(phrasesGuardrail(['BAD'], { action: 'redact' }), body);
    expect(JSON.stringify(left)).toContain('{"__proto__":{"a":"[WORD_1]"}}');
  });

  it('has the same placeholder for the same value everywhere', async () => {
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
    const left = await inspected(phrasesGuardrail(['ONE', 'TWO'], { action: 'redact' }), body);
    expect(left.messages).toEqual([
      { role: 'user', content: '[WORD_1] and [WORD_2]' },
      {
        role: 'assistant',
        content: '[WORD_2]',
        tool_calls: [{ function: { name: 'f', arguments: '{"a":"[WORD_1]"}' } }],
      },
    ]);
  });

  it('is matched in its original form by every guardrail, and of overlapping matches the first is replaced', async () => {
    const guardrails = [named('a', ['cd'], { action: 'redact' }), named('b', ['bc', 'de'], { action: 'redact' })];
    const { inspect } = openInspecting();
    const { call } = await inspect(callWith(guardrails, saying('abcdef')));
    expect(call.request.messages[0]?.content).toBe('a[WORD_1]f');
  });
});

describe('the decisions of guardrails', () => {
  it('are counted in order, and are in the header, the access log and, when not passed, in samples', async () => {
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

  it('end the request at the first blocking match, in any order of guardrails', async () => {
    const guardrails = [named('late', ['SECOND']), named('early', ['FIRST']), named('other', ['FIRST'])];
    const { inspect, decisions, context } = openInspecting();
    await expect((async () => inspect(callWith(guardrails, saying('FIRST, then SECOND'))))()).rejects.toThrow(
      'blocked by the guardrail early',
    );
    expect(decisions).toEqual(['early input block']);
    expect(context.record.guardrailHeader).toBe('early=block');
  });

  it('contain the guardrail’s message and name in the error, never the match', () => {
    const { inspect } = openInspecting();
    const guardrail = phrasesGuardrail(['BAD'], { message: 'Contact support' });
    const error = caught(() => inspect(callWith([guardrail], saying('BAD'))));
    expect(error).toMatchObject({ code: 'guardrail_blocked', status: 400 });
    expect(error).toHaveProperty('message', 'Contact support (guardrail our-guard)');
    expect(JSON.stringify(error)).not.toContain('BAD');
  });

  it('fit into a response header', async () => {
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

  describe.each(failing)('a check %s', (_what, check) => {
    it('blocks by its failure rule, at both stages', async () => {
      await expect(inspected(guardrailOf(check), saying('x'))).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
      const output = guardrailOf(check, { stage: 'output' });
      await expect(responded(output, respond('x'))).rejects.toMatchObject({ code: 'guardrail_blocked' });
    });

    it('passes by its failure rule, and is recorded as failed', async () => {
      const { inspect, decisions } = openInspecting();
      const call = callWith([guardrailOf(check, { onFailure: 'pass' })], saying('x'));
      const { call: next, output } = await inspect(call);
      expect(next).toBe(call);
      const result = complete(respond('x'));
      expect(await output?.guard(result)).toBe(result);
      expect(decisions).toEqual(['our-guard input failed_pass', 'our-guard output failed_pass']);
    });

    it('blocks nothing when it only observes', async () => {
      const body = await inspected(guardrailOf(check, { action: 'observe' }), saying('x'));
      expect(body).toMatchObject(saying('x'));
    });
  });

  it('does not stop the other guardrails from deciding', async () => {
    const { inspect, decisions } = openInspecting();
    const guardrails = [named('broken', ['!'], { onFailure: 'pass' }), named('sound', ['BAD'])];
    await expect((async () => inspect(callWith(guardrails, saying('BAD'))))()).rejects.toThrow('sound');
    expect(decisions).toEqual(['broken input failed_pass', 'sound input block']);
  });
});

describe('restoring placeholders', () => {
  const restoring = (stage: Guardrail['stage'], restore = true) =>
    guardrailOf({ kind: 'personal_data', types: ['email'], countries: ['US'], restore }, { action: 'redact', stage });
  const request = saying('write to person@example.com');
  const written = (value: unknown) => JSON.stringify(value);

  it('replaces placeholders of the request everywhere in the response', async () => {
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

  it('leaves own numbers for new matches in the response', async () => {
    const { inspect } = openInspecting();
    const guardrails = [restoring('input'), named('out', ['BAD'], { action: 'redact', stage: 'output' })];
    const { output } = await inspect(callWith(guardrails, request));
    const result = await output?.guard(complete(respond('[WORD_1] is BAD')));
    expect(result).toMatchObject({ body: Buffer.from(written(respond('person@example.com is [WORD_2]'))) });
  });

  it('does not happen when no guardrail requests it or nothing was replaced', async () => {
    const { inspect } = openInspecting();
    expect((await inspect(callWith([restoring('input', false)], request))).output).toBeUndefined();
    expect((await inspect(callWith([restoring('input')], saying('no match')))).output).toBeUndefined();
  });
});

describe('request fields that reveal the tokens of a response', () => {
  const output = (action: Guardrail['action']) => phrasesGuardrail(['BAD'], { action, stage: 'output' });

  it.each([{ logprobs: true }, { top_logprobs: 2 }, { return_token_ids: true }])(
    'are refused when a guardrail may withhold text: %j',
    async (fields) => {
      const refusal = { code: 'unsupported_parameter', param: Object.keys(fields)[0] };
      await expect(inspected(output('block'), fields)).rejects.toMatchObject(refusal);
      await expect(inspected(output('redact'), fields)).rejects.toMatchObject(refusal);
    },
  );

  it.each([{ logprobs: false }, { logprobs: null, top_logprobs: 0 }])(
    'are accepted when they request nothing: %j',
    async (fields) => {
      expect(await inspected(output('block'), fields)).toMatchObject(fields);
    },
  );

  it('are accepted when guardrails only observe or only inspect requests', async () => {
    expect(await inspected(output('observe'), { logprobs: true })).toMatchObject({ logprobs: true });
    const input = phrasesGuardrail(['BAD'], { stage: 'input' });
    expect(await inspected(input, { logprobs: true })).toMatchObject({ logprobs: true });
  });
});

describe('a stream with guardrails', () => {
  const stream = new ParsedStream();

  it('is guarded by those of the output stage, and the header reports them as stream', async () => {
    const guarded = new ParsedStream();
    let length = 0;
    const { inspect, context, decisions } = openInspecting({
      guardStream: (source, guards) => {
        expect(source).toBe(stream);
        length = guards.guards().length;
        return Promise.resolve(guarded);
      },
    });
    const { output } = await inspect(callWith([named('a', ['X']), named('b', ['X'], { stage: 'output' })], {}));
    expect(await output?.guard(stream)).toBe(guarded);
    expect(length).toBe(2);
    expect(context.record.guardrailHeader).toBe('a=pass, a=stream, b=stream');
    expect(decisions).toEqual(['a input pass']);
  });

  it('is refused when the kind of a guardrail is unknown', async () => {
    const { inspect } = openInspecting();
    const { output } = await inspect(callWith([guardrailOf({ kind: 'unknown' }, { stage: 'output' })], {}));
    await expect((async () => output?.guard(stream))()).rejects.toThrow('our-guard');
  });
});

describe('the limit of the prompt size', () => {
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
  ])('blocks a prompt with too many %s', async (_what, check, fitting, tooMuch) => {
    await inspected(limit(check), fitting);
    await expect(inspected(limit(check), tooMuch)).rejects.toMatchObject({ code: 'guardrail_blocked' });
    await expect(inspected(limit(check, { action: 'redact' }), tooMuch)).rejects.toThrow();
  });

  it('can only observe', async () => {
    const { inspect, decisions } = openInspecting();
    const guardrail = limit({ messagesMax: 1 }, { action: 'observe' });
    expect(await inspect(callWith([guardrail], messages(2)))).toMatchObject({ output: undefined });
    expect(decisions).toEqual(['our-guard input observe']);
  });

  it('does not apply to a response', async () => {
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
