// Decides which statements PostgreSQL prepares.
import { expect, it } from 'vitest';
import { createStatementNames, type NameStatement } from '../../../../control-plane/store/postgres-pool.ts';

function askOften(nameOf: NameStatement, text: string): string | undefined {
  for (let time = 0; time < 5; time++) nameOf(text);
  return nameOf(text);
}

it('a statement is prepared from its fifth use on, always under the same name', () => {
  const nameOf = createStatementNames();
  const names = Array.from({ length: 7 }, () => nameOf('select 1'));
  expect(names.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(names[4]).toBeDefined();
  expect(new Set(names.slice(4)).size).toBe(1);
});

it('two statements never get the same name', () => {
  const nameOf = createStatementNames();
  const names = Array.from({ length: 50 }, (_, nth) => askOften(nameOf, `select ${nth}`));
  expect(new Set(names).size).toBe(50);
});

it('at most a hundred statements are prepared, and those stay prepared', () => {
  const nameOf = createStatementNames();
  const first = askOften(nameOf, 'select first');
  const others = Array.from({ length: 200 }, (_, nth) => askOften(nameOf, `select ${nth}`));
  expect(others.filter((name) => name !== undefined)).toHaveLength(99);
  expect(nameOf('select first')).toBe(first);
});

it('a statement with a long list is not prepared', () => {
  const text = `select ${'1, '.repeat(2000)} 1`;
  expect(askOften(createStatementNames(), text)).toBeUndefined();
});
