// Which statements PostgreSQL is asked to prepare.
import { expect, it } from 'vitest';
import { createStatementNames, type NameStatement } from '../../../../control-plane/store/postgres-pool.ts';

function askOften(nameOf: NameStatement, text: string): string | undefined {
  for (let time = 0; time < 5; time++) nameOf(text);
  return nameOf(text);
}

it('prepares what comes for the fifth time, under the same name from then on', () => {
  const nameOf = createStatementNames();
  const names = Array.from({ length: 7 }, () => nameOf('select 1'));
  expect(names.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(names[4]).toBeDefined();
  expect(new Set(names.slice(4)).size).toBe(1);
});

it('never gives two statements one name', () => {
  const nameOf = createStatementNames();
  const names = Array.from({ length: 50 }, (_, nth) => askOften(nameOf, `select ${nth}`));
  expect(new Set(names).size).toBe(50);
});

it('prepares at most a hundred, and goes on preparing those', () => {
  const nameOf = createStatementNames();
  const first = askOften(nameOf, 'select first');
  const others = Array.from({ length: 200 }, (_, nth) => askOften(nameOf, `select ${nth}`));
  expect(others.filter((name) => name !== undefined)).toHaveLength(99);
  expect(nameOf('select first')).toBe(first);
});

it('does not prepare long lists', () => {
  const text = `select ${'1, '.repeat(2000)} 1`;
  expect(askOften(createStatementNames(), text)).toBeUndefined();
});
