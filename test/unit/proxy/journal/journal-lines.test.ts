import { describe, expect, it } from 'vitest';
import { type JournalLine, JournalReader, lineOf, readLine } from '../../../../proxy/journal/journal-lines.ts';
import { usageOf } from '../../../support/usage-queue.ts';

const begin: JournalLine = { kind: 'session', session: 's', ordinal: 1 };
const leases = [
  { budgetId: 'a', window: 'total' },
  { budgetId: 'b', window: '2026-11-20' },
];
const template = (id: string) => usageOf({ id, session: 's', cost: 0, charges: [], estimateReason: 'killed' });
const take = (reservation: number, id: string, amount = 100): JournalLine => ({
  ...{ kind: 'take', hold: reservation, taken: { event: template(id), amount, slices: leases } },
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

describe('the content of an abandoned journal', () => {
  it('is empty without the line of its session', () => {
    expect(read(take(1, 'x'))).toBeUndefined();
  });

  it('contains settled events unchanged', () => {
    expect(read(begin, take(1, 'x'), settled('x', 1))).toMatchObject({
      session: 's',
      settled: [{ id: 'x', ordinal: 1, cost: 30 }],
      killed: [],
    });
  });

  it('contains requests under way, charged with their full reservations', () => {
    const charges = leases.map((lease) => ({ ...lease, escrow: 100 }));
    expect(read(begin, take(1, 'x'))?.killed).toEqual([
      { ...JSON.parse(JSON.stringify(template('x'))), cost: 100, charges, ordinal: 1 },
    ]);
  });

  it('numbers killed requests after the settled events, in the order of their reservations', () => {
    const left = read(begin, take(1, 'x'), take(2, 'y'), take(3, 'z'), settled('y', 7));
    expect(left?.killed.map(({ id, ordinal }) => [id, ordinal])).toEqual([
      ['x', 8],
      ['z', 9],
    ]);
  });

  it('numbers killed requests from the ordinal at which the file was rewritten', () => {
    expect(read({ ...begin, ordinal: 40 }, take(1, 'x'))?.killed).toMatchObject([{ ordinal: 40 }]);
  });

  it('contains no released reservations', () => {
    const release: JournalLine = { kind: 'release', hold: 1, cost: 0, charges: [] };
    expect(read(begin, take(1, 'x'), release)).toMatchObject({ settled: [], killed: [] });
  });

  it('adds the charge of a released reservation and the open reservation of the same request', () => {
    const charges = [{ budgetId: 'a', window: 'total', escrow: 40 }];
    const release: JournalLine = { kind: 'release', hold: 1, cost: 40, charges };
    const [killed] = read(begin, take(1, 'x'), release, take(2, 'x', 60))?.killed ?? [];
    expect(killed).toMatchObject({ id: 'x', cost: 100 });
    expect(killed?.charges).toEqual([
      { budgetId: 'a', window: 'total', escrow: 100 },
      { budgetId: 'b', window: '2026-11-20', escrow: 60 },
    ]);
  });

  it('contains a settled event alone, even if one of its reservations was released before', () => {
    const release: JournalLine = { kind: 'release', hold: 1, cost: 40, charges: [] };
    expect(read(begin, take(1, 'x'), release, settled('x', 1))).toMatchObject({
      settled: [{ cost: 30 }],
      killed: [],
    });
  });

  it('contains the latest pending charges of the overflow', () => {
    const escrows = (escrow: number): JournalLine => ({
      ...{ kind: 'overflowed', escrows: [{ budgetId: 'a', window: 'total', escrow }] },
    });
    expect(read(begin, escrows(5), escrows(9))?.overflowed).toMatchObject([{ escrow: 9 }]);
  });

  it('is the same at every reading', () => {
    const lines = [begin, take(1, 'x'), take(2, 'y'), settled('x', 1)];
    expect(read(...lines)).toEqual(read(...lines));
  });
});

it.each(['', '{"kind":"take","hold":1', 'null', '{"no":"kind"}', '7'])('%s is not a line of a journal', (text) => {
  expect(readLine(text)).toBeUndefined();
});
