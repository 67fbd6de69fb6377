// Compares the tables of proto/words with the contract. The compiler cannot notice an enum without a table, or two
// names with one word.
import { describe, expect, it } from 'vitest';
import { enumNames, enumTypes, oneofsOf } from '../../../proto/json/contract.ts';
import * as access from '../../../proto/words/access.ts';
import * as captures from '../../../proto/words/captures.ts';
import { enumWords } from '../../../proto/words/enum-words.ts';
import * as guardrails from '../../../proto/words/guardrails.ts';
import * as health from '../../../proto/words/health.ts';
import * as money from '../../../proto/words/money.ts';
import * as overview from '../../../proto/words/overview.ts';
import * as requests from '../../../proto/words/requests.ts';
import * as sessions from '../../../proto/words/sessions.ts';

const tables = Object.values({
  ...access,
  ...captures,
  ...guardrails,
  ...health,
  ...money,
  ...overview,
  ...requests,
  ...sessions,
});
const named = tables.map(({ rows }) => Object.keys(rows));

/** The state of a trial, which is not a decision. */
const withoutWord = ['GUARDRAIL_DECISION_NOT_TRIED'];

describe('the words for enums of the contract', () => {
  it.each(enumTypes())('have one table for %s, with all of its names', (type) => {
    const names = enumNames(type)?.filter((name) => !withoutWord.includes(name));
    expect(named.filter((table) => table.some((name) => names?.includes(name)))).toEqual([names]);
  });

  it('have a table for the kinds of a guardrail check', () => {
    const [kinds] = oneofsOf('GuardrailCheck').filter((members) => members.length > 1);
    expect(Object.keys(guardrails.checkKinds.rows).toSorted()).toEqual(kinds?.toSorted());
  });

  it.each(tables.map((table) => [Object.keys(table.rows)[0], table] as const))(
    'differ from each other in the table of %s',
    (_, { rows, words, names }) => {
      expect(new Set(words).size).toBe(Object.keys(rows).length);
      expect(Object.entries(names).map(([word, name]) => [name, word])).toEqual(Object.entries(rows));
    },
  );
});

describe('a table of enum words', () => {
  const colors = enumWords({ COLOR_RED: 'red', COLOR_GREEN: 'green' });

  it('converts in both directions', () => {
    expect(colors.names.green).toBe('COLOR_GREEN');
    expect(colors.wordOf('COLOR_RED')).toBe('red');
    expect(colors.words).toEqual(['red', 'green']);
  });

  it.each(['COLOR_UNSPECIFIED', 'COLOR_BLUE', '', 'red', 'constructor', 7, null, undefined])(
    'has no word for %j',
    (name) => {
      expect(colors.wordOf(name)).toBeUndefined();
    },
  );
});
