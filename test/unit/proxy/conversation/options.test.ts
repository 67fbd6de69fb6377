import { describe, expect, it } from 'vitest';
import {
  efforts,
  readEffort,
  readFlag,
  readMaxTokens,
  readNumber,
  readStop,
} from '../../../../proxy/conversation/options.ts';
import { optionsOf } from '../../../../proxy/conversation/request.ts';
import { readResponseFormat } from '../../../../proxy/formats/chat-completions/read-response-format.ts';

const refused = (param: string) => expect.objectContaining({ code: 'invalid_request', param });

describe('a number of a request', () => {
  const range = { min: 0, max: 2 };

  it.each([
    [undefined, undefined],
    [null, undefined],
    [0, 0],
    [2, 2],
    [0.5, 0.5],
  ])('%j is read as %j', (value, expected) => {
    expect(readNumber({ temperature: value }, 'temperature', range)).toBe(expected);
  });

  it.each([-0.1, 2.1, '1', true, [], Number.NaN])('%j is refused as a number', (value) => {
    expect(() => readNumber({ temperature: value }, 'temperature', range)).toThrow(refused('temperature'));
  });

  it('must be a whole number where the field demands that', () => {
    expect(readNumber({ top_k: 2 }, 'top_k', { ...range, whole: true })).toBe(2);
    expect(() => readNumber({ top_k: 1.5 }, 'top_k', { ...range, whole: true })).toThrow(refused('top_k'));
  });
});

describe('a flag of a request', () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    [true, true],
    [false, false],
  ])('%j is read as the flag %j', (value, expected) => {
    expect(readFlag({ store: value }, 'store')).toBe(expected);
  });

  it('any other value is refused as a flag', () => {
    expect(() => readFlag({ store: 'true' }, 'store')).toThrow(refused('store'));
  });
});

describe('the output limit', () => {
  it.each([
    [{}, undefined],
    [{ max_tokens: 5 }, 5],
    [{ max_tokens: 5, max_completion_tokens: 7 }, 7],
    [{ max_tokens: 5, max_completion_tokens: null }, 5],
  ])('trap 21: the output limit of %j is %j', (body, expected) => {
    expect(readMaxTokens(optionsOf(body))).toBe(expected);
  });

  it.each([
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_completion_tokens: '5' }, 'max_completion_tokens'],
    [{ max_completion_tokens: 1e9 }, 'max_completion_tokens'],
  ])('an invalid output limit is refused: %j', (body, param) => {
    expect(() => readMaxTokens(optionsOf(body))).toThrow(refused(param));
  });
});

describe('stop texts', () => {
  it.each([
    [undefined, []],
    [null, []],
    ['END', ['END']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[], []],
  ])('the stop texts %j are read as %j', (stop, expected) => {
    expect(readStop({ stop })).toEqual(expected);
  });

  it.each([4, [4], [null], {}])('the stop texts %j are refused', (stop) => {
    expect(() => readStop({ stop })).toThrow(refused('stop'));
  });
});

describe('a reasoning effort', () => {
  it.each(efforts)('can be %s', (effort) => {
    expect(readEffort({ reasoning_effort: effort })).toBe(effort);
  });

  it('can be omitted', () => {
    expect(readEffort(optionsOf({}))).toBeUndefined();
    expect(readEffort({ reasoning_effort: null })).toBeUndefined();
  });

  it.each(['', 'HIGH', 'extreme', 3])('cannot be %j', (effort) => {
    expect(() => readEffort({ reasoning_effort: effort })).toThrow(refused('reasoning_effort'));
  });
});

describe('the response format', () => {
  const read = (response_format: unknown) => readResponseFormat({ response_format });
  const schema = { type: 'object' };

  it.each([
    [undefined, { kind: 'text' }],
    [null, { kind: 'text' }],
    [{ type: 'text' }, { kind: 'text' }],
    [{ type: 'json_object' }, { kind: 'json' }],
    [
      { type: 'json_schema', json_schema: { name: 'a', schema, strict: true, description: 'd' } },
      { kind: 'schema', name: 'a', description: 'd', schema, strict: true },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'a' } },
      { kind: 'schema', name: 'a', description: undefined, schema: {}, strict: false },
    ],
  ])('is read: %j', (format, expected) => {
    expect(read(format)).toEqual(expected);
  });

  it.each([
    ['json', 'response_format'],
    [{}, 'response_format.type'],
    [{ type: 'xml' }, 'response_format.type'],
    [{ type: 'json_schema' }, 'response_format.json_schema'],
    [{ type: 'json_schema', json_schema: { schema } }, 'response_format.json_schema.name'],
    [{ type: 'json_schema', json_schema: { name: 'a b' } }, 'response_format.json_schema.name'],
    [{ type: 'json_schema', json_schema: { name: 'a', schema: [] } }, 'response_format.json_schema.schema'],
  ])('is refused: %j', (format, param) => {
    expect(() => read(format)).toThrow(refused(param));
  });
});
