// Numbers that a caller writes in an unusual form count by their value, pass no limit because of their form, and crash
// nothing.
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../../common/exact-number.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { readMaxTokens, readNumber } from '../../../../proxy/conversation/options.ts';
import { optionsOf } from '../../../../proxy/conversation/request.ts';
import { count } from '../../../../proxy/conversation/usage.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { toConversation } from '../../../../proxy/formats/chat-completions/to-conversation.ts';
import { readUsage } from '../../../../proxy/formats/chat-completions/usage.ts';
import { fieldRules } from '../../../../proxy/formats/messages/fields.ts';
import { boundOf } from '../../../../proxy/pricing/bound.ts';
import { compilePrices } from '../../../../proxy/pricing/prices.ts';
import { unpriceable } from '../../../../proxy/pricing/unpriceable.ts';
import { estimateTokens } from '../../../../proxy/rates/estimate.ts';

function request(fields: string) {
  return parseChatRequest(Buffer.from(`{"model":"m","messages":[{"role":"user","content":"Hi"}],${fields}}`));
}

function options(fields: string) {
  return optionsOf(request(fields).body);
}

function dropped(fields: string) {
  const capabilities = new CapabilityTable().of('assistant-provider', 'm');
  return fieldRules.dropped(toConversation(request(fields)), { capabilities });
}

const hidden = [
  ...['0', '0.0', '-0', '-0.0e5', '-1', '-1.0', '0.5', '1e-400', '1e400', '-1e400', '9'.repeat(30)],
  ...['4000.0000000000000000001', '9007199254740993', '9007199254740993.0', '1e16', '99e-1'],
];
const whole: readonly (readonly [string, number])[] = [
  ['4000', 4000],
  ['4e3', 4000],
  ['4E+03', 4000],
  ['4000.0', 4000],
  ['4000.000000000000000000000000', 4000],
  ['4000000e-3', 4000],
  ['1.0', 1],
  ['9007199254740991.0', Number.MAX_SAFE_INTEGER],
];

const perOutput = compilePrices({ input: '0', output: '1', asOf: '2026-11-22' });
if (perOutput === undefined) throw new Error('the prices are not believed');
const prices = perOutput;
const bounded = (fields: string) => {
  const bound = boundOf({ request: request(fields), qualifiedModel: 'acme/m', catalogModel: undefined }, prices, 8192);
  return { tokens: bound.full / 1000, hasCeiling: bound.ceilingFor(0) === undefined };
};

describe.each(['max_tokens', 'max_completion_tokens', 'n'])('%s under a budget', (name) => {
  const refusedField = (written: string) => {
    const call = {
      request: request(`"${name}":${written}`),
      qualifiedModel: 'acme/m',
      catalogModel: undefined,
    };
    return unpriceable(call, prices);
  };

  it.each(hidden)('is refused when it is not a count: %s', (written) => {
    expect(refusedField(written)).toBe(name);
  });

  it.each(whole)('is priced by its value: %s', (written) => {
    expect(refusedField(written)).toBeUndefined();
  });
});

describe('the reservation of a request', () => {
  it.each(whole.filter(([, value]) => value < 10_000))('follows the caller’s maximum: %s', (written, value) => {
    expect(bounded(`"max_tokens":${written}`)).toEqual({ tokens: value, hasCeiling: true });
  });

  it('follows the larger of two maxima, times the number of choices', () => {
    const { tokens } = bounded('"max_tokens":1e1,"max_completion_tokens":100.0,"n":3e0');
    expect(tokens).toBe(300);
  });
});

describe('the estimated output of a request', () => {
  const estimated = (fields: string) => estimateTokens({ request: request(fields), catalogModel: undefined }, 8192);

  it.each(whole.filter(([, value]) => value < 10_000))('follows the caller’s maximum: %s', (written, value) => {
    expect(estimated(`"max_tokens":${written},"n":2.0`)).toMatchObject({
      ...{ output: 2 * value, outputGuessed: false },
    });
  });

  it.each(['1e400', '9'.repeat(30), '-5.0', '0.5'])('is guessed when the maximum is not a count: %s', (written) => {
    expect(estimated(`"max_tokens":${written}`)).toMatchObject({ output: 8192, outputGuessed: true });
  });
});

describe('numeric options of a translator', () => {
  it.each(whole.filter(([, value]) => value < 10_000))('a whole number is accepted in any form: %s', (written) => {
    expect(String(readMaxTokens(options(`"max_tokens":${written}`)))).toBe(written);
  });

  it.each(['4000.0000000000000000001', '-0', '0.0', '1e400', '9'.repeat(30), '1e-400'])(
    'a number outside its range is refused: %s',
    (written) => {
      expect(() => readMaxTokens(options(`"max_tokens":${written}`))).toThrow(
        'max_tokens must be a whole number from 1 to 10000000',
      );
    },
  );

  it('keep their written form within their range', () => {
    const sampling = options('"temperature":0.70,"top_p":1e-400,"seed":1234567890123456789');
    expect(readNumber(sampling, 'temperature', { min: 0, max: 2 })).toEqual(new ExactNumber('0.70'));
    expect(readNumber(sampling, 'top_p', { min: 0, max: 1 })).toEqual(new ExactNumber('1e-400'));
    const range = { min: -(2 ** 63), max: 2 ** 63, whole: true };
    expect(readNumber(sampling, 'seed', range)).toEqual(new ExactNumber('1234567890123456789'));
    expect(() => readNumber(options('"seed":1e20'), 'seed', range)).toThrow(
      'from -9223372036854775808 to 9223372036854775808',
    );
  });

  it('that request nothing are accepted in any form', () => {
    expect(dropped('"n":1.0,"top_logprobs":-0')).toEqual([]);
    expect(() => dropped('"n":2e0')).toThrow('n is not supported');
    expect(() => dropped('"top_logprobs":0.5')).toThrow('not supported');
  });

  it('numbers instead of objects and flags are refused', () => {
    for (const field of ['"stream_options":1.0', '"stream":1.0'])
      expect(() => request(`"x":1,${field}`)).toThrow(/must be/);
    expect(() => parseChatRequest(Buffer.from('{"model":1.0,"messages":[1.0]}'))).toThrow('model must be');
    expect(() => parseChatRequest(Buffer.from('{"model":"m","messages":[1.0]}'))).toThrow(
      'messages[0] must be an object',
    );
    expect(() => parseChatRequest(Buffer.from('1.0'))).toThrow('the body must be a JSON object');
  });
});

describe('token counts of a vendor', () => {
  const exact = (source: string) => new ExactNumber(source);

  it.each(whole)('are read by their value: %s', (written, value) => {
    expect(count(exact(written))).toBe(value);
  });

  it.each(hidden.filter((written) => !/^-?0(\.0(e5)?)?$/.test(written)))(
    'are ignored when they are not counts: %s',
    (written) => {
      expect(count(exact(written))).toBeUndefined();
    },
  );

  it('are added up in any form', () => {
    const usage = {
      prompt_tokens: exact('1e1'),
      completion_tokens: exact('5.0'),
      total_tokens: exact('15.0'),
    };
    expect(readUsage(usage)).toMatchObject({ promptTokens: 10, completionTokens: 5 });
  });
});
