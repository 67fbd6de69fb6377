import { describe, expect, it } from 'vitest';
import { JsonKeeper } from '../../../guardrails/json-keeper.ts';

/** @param found the texts to replace, in the order in which they occur */
function redacted(text: string, ...found: readonly string[]): string {
  const keeper = new JsonKeeper();
  let out = '';
  let at = 0;
  for (const [index, one] of found.entries()) {
    const start = text.indexOf(one, at);
    out += keeper.kept(text.slice(at, start)) + keeper.replaced(one, `[X_${index + 1}]`);
    at = start + one.length;
  }
  return out + keeper.kept(text.slice(at)) + keeper.end();
}

const nested = (value: unknown, times: number): string =>
  times === 0 ? JSON.stringify(value) : JSON.stringify({ in: nested(value, times - 1) });

describe('a replacement in streamed JSON', () => {
  it.each([
    ['a number', '{"card":4111111111111111}', ['4111111111111111'], '{"card":"[X_1]"}'],
    ['a part of a number', '{"a":-4111.50, "b":1e9}', ['411', 'e9'], '{"a":"[X_1]", "b":"[X_2]"}'],
    ['two parts of a number', '[41112222]', ['4111', '2222'], '["[X_1]"]'],
    ['a word', '{"a":true}', ['true'], '{"a":"[X_1]"}'],
    ['some of a string', '{"a":"to x\\ny."}', ['x\\ny'], '{"a":"to [X_1]."}'],
    ['a name', '{"ada":1}', ['ada'], '{"[X_1]":1}'],
    ['over several values', '{"pw": "abc","n":12}', ['"pw": "abc","n":1'], '{"[X_1]": "","":null}'],
    ['all of it', '{"a":1}', ['{"a":1}'], '{"[X_1]":null}'],
    ['in other text', 'So: {"a": 4111} or 4111.', ['4111', '4111'], 'So: {"a": "[X_1]"} or [X_2].'],
    ['a number in groups', '[4111 1111](x)', ['4111 1111'], '["[X_1]"](x)'],
    ['brackets that are no JSON', 'see [SECRET] and [the 42]', ['[SECRET]', '42'], 'see [X_1] and [the [X_2]]'],
    ['a part of JSON that is cut off', '{"a":"b', ['b'], '{"a":"[X_1]'],
  ])('%s', (_what, text, found, expected) => {
    expect(redacted(text, ...found)).toBe(expected);
  });

  it.each([1, 2, 3])('is correct in JSON within %i strings', (times) => {
    const text = nested({ card: 4111111111111111, to: 'ada' }, times);
    expect(redacted(text, '4111111111111111', 'ada')).toBe(nested({ card: '[X_1]', to: '[X_2]' }, times));
  });
});

it('delays a number until it ends, and nothing else', () => {
  const keeper = new JsonKeeper();
  expect(keeper.kept('{"a":"b","c":12')).toBe('{"a":"b","c":');
  expect(keeper.withheld).toBe(2);
  expect(keeper.kept('3,')).toBe('123,');
  expect(keeper.withheld).toBe(0);
});
