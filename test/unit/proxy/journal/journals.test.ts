// When a journal is written, when it is deleted, and what happens when it cannot be written.
import { beforeEach, describe, expect, it } from 'vitest';
import type { BudgetReservation } from '../../../../proxy/budgets/budgets.ts';
import { JournalReader, readLine } from '../../../../proxy/journal/journal-lines.ts';
import { Journals } from '../../../../proxy/journal/journals.ts';
import { journalBytesMax } from '../../../../proxy/journal/session-journal.ts';
import { MemoryPod } from '../../../support/ledger/journals.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { usageOf } from '../../../support/usage-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

let pod: MemoryPod;
let turn: (() => void)[];
let writes: number;
let broken: string[];
let journals: Journals;
let ordinal: number;
let time: VirtualTime;
let failures: number;

beforeEach(() => {
  [writes, failures, time] = [0, 0, new VirtualTime()];
  pod = new MemoryPod(() => {
    writes += 1;
    return false;
  });
  [turn, broken, ordinal] = [[], [], 1];
  journals = new Journals({
    folder: pod.connect(),
    atEndOfTick: (task) => void turn.push(task),
    nextOrdinal: () => ordinal,
    log: silentLog,
    metrics: { journalFailed: () => void failures++ },
    timers: time,
    onRenew: (session) => void broken.push(session),
  });
  journals.begin('s');
  writes = 0;
});

const endTick = () => {
  for (const task of turn.splice(0)) task();
};
const reservationOf = (id: string, session = 's'): BudgetReservation => ({
  ...{ stamp: { id, at: 1, session }, amount: 100, settle: () => [] },
  leases: [{ budgetId: 'a', window: 'total' }],
});
const take = (id: string) => {
  const taken = journals.take(reservationOf(id), usageOf({ id, session: 's', cost: 0, charges: [] }));
  if (taken === undefined) throw new Error('the journal did not record the reservation');
  return taken;
};
const eventOf = (id: string, fields = {}) => usageOf({ id, session: 's', ...fields });
/** The content that the next proxy would find. */
function left() {
  const reader = new JournalReader();
  for (const file of pod.files)
    for (const text of file.text.split('\n')) {
      const line = readLine(text);
      if (line !== undefined) reader.add(line);
    }
  const { killed = [], settled = [], overflowed = [] } = reader.abandoned ?? {};
  return { killed: killed.map(({ id }) => id), settled: settled.map(({ id }) => id), overflowed };
}

describe('a reservation in a journal', () => {
  it('is written at the end of the tick, all of a tick at once, before any request continues', async () => {
    const taken = ['x', 'y', 'z'].map(take);
    let written = 0;
    for (const one of taken) void one.written.then(() => written++);
    await Promise.resolve();
    expect([writes, written]).toEqual([0, 0]);
    endTick();
    await Promise.resolve();
    expect([writes, written]).toEqual([1, 3]);
    expect(left().killed).toEqual(['x', 'y', 'z']);
  });

  it('is not written for a session without a journal', () => {
    expect(journals.take(reservationOf('x', 'another'), eventOf('x'))).toBeUndefined();
  });

  it('has no effect once it is released', () => {
    take('x').released(0, []);
    endTick();
    expect(left()).toMatchObject({ killed: [], settled: [] });
  });
});

describe('a journal without new lines', () => {
  it('is not written again', () => {
    take('x');
    endTick();
    expect(writes).toBe(1);
    journals.flush();
    journals.flush();
    expect(writes).toBe(1);
  });

  it('has no lines to write at its beginning', () => {
    journals.flush();
    expect(writes).toBe(0);
  });

  it('is not written for a reservation that was released before', () => {
    const taken = take('x');
    taken.released(0, []);
    endTick();
    taken.released(30, []);
    endTick();
    expect(writes).toBe(1);
    expect(left()).toMatchObject({ killed: [], settled: [] });
  });
});

describe('a settled event in a journal', () => {
  it('is written before it is reported', () => {
    take('x');
    journals.settled(eventOf('x'));
    journals.flush();
    expect(left()).toMatchObject({ killed: [], settled: ['x'] });
  });

  it('is deleted with the journal when its session is over and everything is acknowledged', () => {
    const taken = take('x');
    taken.released(30, []);
    journals.settled(eventOf('x'));
    endTick();
    journals.end('s');
    expect(pod.files.size).toBe(1);
    journals.acknowledged([eventOf('x')]);
    expect(pod.files.size).toBe(0);
  });

  it('the file stays while requests of an ended session are under way', () => {
    take('x');
    endTick();
    journals.end('s');
    journals.close();
    expect(left().killed).toEqual(['x']);
  });

  it('leaves its pending charge when it waits in the overflow', () => {
    journals.settled(eventOf('x'));
    journals.overflowed([eventOf('x')]);
    endTick();
    expect(left().overflowed).toEqual([{ budgetId: 'budget-1', window: '2027-01-15', escrow: 1_500_000 }]);
  });
});

describe('a journal file that has grown', () => {
  const sizeOf = () => [...pod.files][0]?.text.length ?? 0;
  const fill = (from: number, count: number) => {
    for (let nth = from; nth < from + count; nth++) {
      const event = eventOf(`event-${nth}`, { modelAnswered: 'x'.repeat(400) });
      journals.settled(event);
      journals.acknowledged([event]);
      if (nth % 100 === 0) endTick();
    }
    endTick();
  };

  it('is rewritten without acknowledged events', () => {
    take('open');
    journals.settled(eventOf('waiting'));
    journals.settled(eventOf('elsewhere'));
    journals.overflowed([eventOf('elsewhere')]);
    endTick();
    ordinal = 9_000;
    fill(0, 12_000);
    expect(sizeOf()).toBeLessThan(journalBytesMax);
    expect(left()).toMatchObject({ killed: ['open'], settled: expect.arrayContaining(['waiting']) });
    expect(left().settled.length).toBeLessThan(12_000);
    expect(left().overflowed).toHaveLength(1);
    const [first] = [...pod.files][0]?.text.split('\n') ?? [];
    expect(JSON.parse(first ?? '')).toMatchObject({ kind: 'session', ordinal: 9_000 });
  });

  it('is not rewritten repeatedly when much of it is needed', () => {
    for (let nth = 0; nth < 12_000; nth++)
      journals.settled(eventOf(`needed-${nth}`, { modelAnswered: 'x'.repeat(400) }));
    endTick();
    const before = sizeOf();
    writes = 0;
    fill(0, 200);
    expect(sizeOf()).toBeGreaterThan(before);
    expect(writes).toBe(3);
  });
});

describe('a journal that cannot be written', () => {
  const failing = () => {
    pod.fails = () => true;
  };

  it('stops requests whose reservations it does not contain, and ends its session', async () => {
    failing();
    const taken = take('x');
    endTick();
    expect(await taken.written).toBe(false);
    expect(broken).toEqual(['s']);
    expect(pod.files.size).toBe(0);
  });

  it('does not exist for the next session, and exists again for the one after', () => {
    failing();
    journals.settled(eventOf('x'));
    endTick();
    pod.fails = () => false;
    journals.begin('next');
    expect(journals.take(reservationOf('x', 'next'), eventOf('x'))).toBeUndefined();
    journals.begin('after');
    expect(journals.take(reservationOf('x', 'after'), eventOf('x'))).toBeDefined();
  });

  it('is retried, and each failure is counted, until a session can begin with a journal', async () => {
    failing();
    journals.settled(eventOf('x'));
    endTick();
    journals.begin('next');
    await time.advance(20_000);
    expect([failures, broken]).toEqual([5, ['s']]);
    pod.fails = () => false;
    await time.advance(5_000);
    expect([failures, broken]).toEqual([5, ['s', 'next']]);
    journals.end('next');
    journals.begin('after');
    expect(journals.take(reservationOf('x', 'after'), eventOf('x'))).toBeDefined();
    await time.advance(60_000);
    expect([failures, broken]).toEqual([5, ['s', 'next']]);
  });

  it('is not retried for a session that is over', async () => {
    failing();
    journals.begin('next');
    journals.end('next');
    pod.fails = () => false;
    await time.advance(60_000);
    expect(broken).toEqual([]);
  });

  it('does not exist when it cannot be created', () => {
    failing();
    journals.begin('next');
    expect(journals.take(reservationOf('x', 'next'), eventOf('x'))).toBeUndefined();
    expect(broken).toEqual([]);
  });
});
