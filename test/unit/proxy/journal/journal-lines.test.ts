import { describe, expect, it } from 'vitest';
import {
  type JournalLine,
  JournalReader,
  lineOf,
  readLine,
} from '../../../../proxy/journal/journal-lines.ts';
import { usageOf } from '../../../support/usage-queue.ts';

const begin: JournalLine = { kind: 'session', session: 's', ordinal: 1 };
const slices = [
  { budgetId: 'a', window: 'total' },
  { budgetId: 'b', window: '2026-11-20' },
];
const template = (id: string) =>
  usageOf({ id, session: 's', cost: 0, charges: [], estimateReason: 'killed' });
const take = (hold: number, id: string, amount = 100): JournalLine => ({
  ...{ kind: 'take', hold, taken: { event: template(id), amount, slices } },
});
const settled = (id: string, ordinal: number): JournalLine => ({
  ...{ kind: 'settled', event: usageOf({ id, session: 's', ordinal, cost: 30 }) },
});

function read(...lines: readonly JournalLine[]) {
  const reader = new JournalReader();
  for (const line of lines) {
    const again = readLine(lineOf(line).trimEnd());
    if (again === undefined) throw new Error('a line could not be read again');
    reader.add(again);
  }
  return reader.abandoned;
}

describe('what a journal leaves', () => {
  it('is nothing where it does not say of which session it is', () => {
    expect(read(take(1, 'x'))).toBeUndefined();
  });

  it('is what was settled, as it was', () => {
    expect(read(begin, take(1, 'x'), settled('x', 1))).toMatchObject({
      session: 's',
      settled: [{ id: 'x', ordinal: 1, cost: 30 }],
      killed: [],
    });
  });

  it('is what was under way, at what it held of each budget', () => {
    const charges = slices.map((slice) => ({ ...slice, escrow: 100 }));
    expect(read(begin, take(1, 'x'))?.killed).toEqual([
      { ...JSON.parse(JSON.stringify(template('x'))), cost: 100, charges, ordinal: 1 },
    ]);
  });

  it('counts on from the events that were settled, in the order of what was taken', () => {
    const left = read(begin, take(1, 'x'), take(2, 'y'), take(3, 'z'), settled('y', 7));
    expect(left?.killed.map(({ id, ordinal }) => [id, ordinal])).toEqual([
      ['x', 8],
      ['z', 9],
    ]);
  });

  it('counts on from where the file was written anew', () => {
    expect(read({ ...begin, ordinal: 40 }, take(1, 'x'))?.killed).toMatchObject([{ ordinal: 40 }]);
  });

  it('is nothing of what was given back', () => {
    const release: JournalLine = { kind: 'release', hold: 1, cost: 0, charges: [] };
    expect(read(begin, take(1, 'x'), release)).toMatchObject({ settled: [], killed: [] });
  });

  it('is what one hold did cost and what another one holds, where a request took two', () => {
    const charges = [{ budgetId: 'a', window: 'total', escrow: 40 }];
    const release: JournalLine = { kind: 'release', hold: 1, cost: 40, charges };
    const [killed] = read(begin, take(1, 'x'), release, take(2, 'x', 60))?.killed ?? [];
    expect(killed).toMatchObject({ id: 'x', cost: 100 });
    expect(killed?.charges).toEqual([
      { budgetId: 'a', window: 'total', escrow: 100 },
      { budgetId: 'b', window: '2026-11-20', escrow: 60 },
    ]);
  });

  it('is what was settled alone, though a hold of it was released before', () => {
    const release: JournalLine = { kind: 'release', hold: 1, cost: 40, charges: [] };
    expect(read(begin, take(1, 'x'), release, settled('x', 1))).toMatchObject({
      settled: [{ cost: 30 }],
      killed: [],
    });
  });

  it('names the escrow of what waits elsewhere, by the newest word', () => {
    const escrows = (escrow: number): JournalLine => ({
      ...{ kind: 'overflowed', escrows: [{ budgetId: 'a', window: 'total', escrow }] },
    });
    expect(read(begin, escrows(5), escrows(9))?.overflowed).toMatchObject([{ escrow: 9 }]);
  });

  it('is the same whoever reads it, and however often', () => {
    const lines = [begin, take(1, 'x'), take(2, 'y'), settled('x', 1)];
    expect(read(...lines)).toEqual(read(...lines));
  });
});

it.each(['', '{"kind":"take","hold":1', 'null', '{"no":"kind"}', '7'])('%s is no line', (text) => {
  expect(readLine(text)).toBeUndefined();
});
