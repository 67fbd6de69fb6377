// Recently acknowledged usage is reported again when the database may have lost it; and each event has its own ordinal.
import { describe, expect, it } from 'vitest';
import { batchEventsMax, packing } from '../../../../proxy/usage/batch.ts';
import { KeptEvents } from '../../../../proxy/usage/kept-events.ts';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { OrdinalSet, Ordinals } from '../../../../proxy/usage/ordinals.ts';
import { Unacknowledged } from '../../../../proxy/usage/unacknowledged.ts';
import { usageOf, usageScene, usagesOf } from '../../../support/usage-queue.ts';
import { settle, VirtualTime } from '../../../support/virtual-time.ts';

/** Waits for packing, which takes real time. */
async function packed(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
  await settle();
}

describe('acknowledged usage', () => {
  it('is reported again in another epoch, and not in the same', async () => {
    const { ledger, start, time } = usageScene();
    const proxy = start();
    const events = usagesOf(30);
    for (const event of events) proxy.record(event);
    await time.advance(100);
    await packed();
    await proxy.reportAgain('epoch-1');
    expect(ledger.recorded.size).toBe(30);
    ledger.recorded.clear();
    ledger.epoch = 'epoch-2';
    await Promise.all([
      proxy.reportAgain('epoch-2'),
      time
        .advance(1_000)
        .then(packed)
        .then(() => time.advance(1_000)),
    ]);
    expect(ledger.recorded.size).toBe(30);
    expect(new Set([...ledger.recorded.values()].map(({ ordinal }) => ordinal)).size).toBe(30);
    const reports = ledger.reports.length;
    await proxy.reportAgain('epoch-2');
    expect(ledger.reports.length).toBe(reports);
  });

  it('is reported again once when several callers request it at the same time', async () => {
    const { ledger, start, time } = usageScene();
    const proxy = start();
    for (const event of usagesOf(30)) proxy.record(event);
    await time.advance(100);
    await packed();
    const before = ledger.reports.length;
    ledger.epoch = 'epoch-2';
    let done = 0;
    const again = () => void proxy.reportAgain('epoch-2').then(() => done++);
    again();
    again();
    for (let nth = 0; nth < 5; nth++) {
      await packed();
      await time.advance(20);
      if (nth === 0) again();
    }
    expect(done).toBe(3);
    expect(ledger.reports.slice(before)).toEqual([30]);
  });

  it('is reported again when its acknowledgement came from the database before the restore', async () => {
    const { ledger, start, time } = usageScene();
    const proxy = start();
    await proxy.reportAgain('epoch-2');
    proxy.record(usageOf());
    await time.advance(100);
    await packed();
    await time.advance(100);
    await packed();
    expect(ledger.reports).toEqual([1, 1]);
    ledger.epoch = 'epoch-2';
    proxy.record(usageOf());
    await time.advance(100);
    await packed();
    expect(ledger.reports).toEqual([1, 1, 1]);
  });

  it('is reported again by its own proxy when the proxy that drained it from Redis is gone', async () => {
    const { ledger, start, store, time } = usageScene();
    const proxy = start();
    ledger.condition = 'down';
    for (const event of usagesOf(30)) proxy.record(event);
    await time.advance(60_000);
    expect(store.events.length).toBe(30);
    ledger.condition = 'up';
    const other = start();
    await time.advance(60_000);
    expect([store.events.length, ledger.recorded.size]).toEqual([0, 30]);
    await Promise.all([other.close(time.monotonic() + 1_000), time.advance(1_000)]);
    ledger.recorded.clear();
    ledger.epoch = 'epoch-2';
    await packed();
    await Promise.all([
      proxy.reportAgain('epoch-2'),
      time
        .advance(1_000)
        .then(packed)
        .then(() => time.advance(1_000)),
    ]);
    expect(ledger.recorded.size).toBe(30);
  });

  it('is reported again until the control plane has it', async () => {
    const { ledger, start, time } = usageScene();
    const proxy = start();
    proxy.record(usageOf());
    await time.advance(100);
    await packed();
    ledger.recorded.clear();
    ledger.condition = 'down';
    let isDone = false;
    void proxy.reportAgain('epoch-2').then(() => {
      isDone = true;
    });
    await packed();
    const before = ledger.reports.length;
    await time.advance(5_000);
    expect(isDone).toBe(false);
    // The delays grow, so that there are fewer tries than the fast refusals would allow.
    expect(ledger.reports.length - before).toBeLessThan(15);
    ledger.condition = 'up';
    await time.advance(5_000);
    expect(isDone).toBe(true);
    expect(ledger.recorded.size).toBe(1);
  });
});

describe('retained events', () => {
  it('are kept for five minutes', async () => {
    const time = new VirtualTime();
    const kept = new KeptEvents(time);
    await kept.keep(usagesOf(5), 'a');
    await time.advance(120_000);
    await kept.keep(usagesOf(5), 'b');
    expect(kept.keptMs).toBe(120_000);
    expect(kept.notIn('b')).toHaveLength(1);
    await time.advance(200_000);
    expect(kept.notIn('c')).toHaveLength(1);
    await time.advance(200_000);
    expect(kept.notIn('c')).toEqual([]);
    expect(kept.keptMs).toBe(0);
  });

  it('are limited in size, and the oldest are dropped first', async () => {
    const time = new VirtualTime();
    const kept = new KeptEvents(time, { bytesMax: 40_000 });
    for (let nth = 0; nth < 50; nth++) {
      await time.advance(10);
      await kept.keep(usagesOf(20), `epoch-${nth}`);
    }
    const left = kept.notIn('');
    expect(left.length).toBeGreaterThan(1);
    expect(left.length).toBeLessThan(50);
    expect(left.at(-1)?.epoch).toBe('epoch-49');
    expect(left.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(40_000);
  });

  it('of small reports are packed together', async () => {
    let packs = 0;
    const counting = {
      ...packing,
      pack: (events: readonly UsageEvent[]) => packing.pack(events).finally(() => packs++),
    };
    const kept = new KeptEvents(new VirtualTime(), { packing: counting });
    const events = usagesOf(batchEventsMax + 10);
    for (const event of events) await kept.keep([event], 'a');
    expect(packs).toBe(1);
    const batches = await Promise.all(kept.notIn('').map((batch) => batch.events()));
    expect(batches.flat().map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    // What is reported again gets no further events.
    await kept.keep(usagesOf(1), 'a');
    expect(kept.notIn('').map(({ epoch }) => epoch)).toEqual(['a', 'a', 'a']);
  });

  it('equal the recorded events', async () => {
    const kept = new KeptEvents(new VirtualTime());
    const events = usagesOf(3);
    await kept.keep(events, 'a');
    expect(await kept.notIn('')[0]?.events()).toEqual(JSON.parse(JSON.stringify(events)));
  });

  it('are none when the control plane does not report its epoch', async () => {
    const kept = new KeptEvents(new VirtualTime());
    await kept.keep(usagesOf(3), '');
    expect(kept.notIn('a')).toEqual([]);
  });
});

describe('a set of ordinals', () => {
  it('contains an ordinal until it is removed', () => {
    const set = new OrdinalSet();
    const some = [0, 1, 31, 32, 63, 64, 1_000_000_000, Number.MAX_SAFE_INTEGER];
    expect(some.map((ordinal) => set.add(ordinal))).toEqual(some.map(() => true));
    expect(some.map((ordinal) => set.add(ordinal))).toEqual(some.map(() => false));
    expect([2, 30, 33, 65].map((ordinal) => set.delete(ordinal))).toEqual([false, false, false, false]);
    expect(set.isEmpty).toBe(false);
    expect(some.map((ordinal) => set.delete(ordinal))).toEqual(some.map(() => true));
    expect(some.map((ordinal) => set.delete(ordinal))).toEqual(some.map(() => false));
    expect(set.isEmpty).toBe(true);
  });
});

describe('ordinals of usage events', () => {
  it('count from 1 in each session', () => {
    const ordinals = new Ordinals();
    expect(['a', 'a', 'b', 'a', 'b'].map((session) => ordinals.take(session))).toEqual([1, 2, 1, 3, 2]);
    expect([ordinals.next('a'), ordinals.next('c')]).toEqual([4, 1]);
  });

  it('do not exist without a session, nor for more sessions than can be counted', () => {
    const ordinals = new Ordinals();
    expect(ordinals.take('')).toBeUndefined();
    for (let nth = 0; nth < 10_000; nth++) ordinals.take(`session-${nth}`);
    expect(ordinals.take('another')).toBeUndefined();
    expect(ordinals.take('session-7')).toBe(2);
  });
});

describe('pending charges', () => {
  const event = (amount: number, session = 's') =>
    usageOf({ session, charges: [{ budgetId: 'a', window: 'total', escrow: amount }] });

  it('are summed by lease, for this proxy and for the overflow', () => {
    const escrows = new Unacknowledged();
    const events = [event(5), event(7), event(11)];
    escrows.recorded([...events, event(13, 'other')]);
    expect(escrows.queued('s')).toEqual([{ budgetId: 'a', window: 'total', amount: 23 }]);
    escrows.acknowledged(events.slice(0, 1));
    escrows.overflowed(events.slice(1, 2));
    expect(escrows.queued('s')).toMatchObject([{ amount: 11 }]);
    expect(escrows.elsewhere('s')).toMatchObject([{ amount: 7 }]);
    escrows.acknowledged(events.slice(2));
    escrows.forget('s');
    expect([escrows.queued('s'), escrows.elsewhere('s')]).toEqual([[], []]);
  });

  it('are reduced once by an event, however often it is put into Redis or reported from there', () => {
    const escrows = new Unacknowledged();
    const charges = [{ budgetId: 'a', window: 'total', escrow: 7 }];
    const events = [1, 2, 40].map((ordinal) => usageOf({ session: 's', ordinal, charges }));
    escrows.recorded(events);
    escrows.overflowed(events);
    escrows.overflowed(events);
    expect(escrows.elsewhere('s')).toMatchObject([{ amount: 21 }]);
    for (let nth = 0; nth < 3; nth++) escrows.drained(events.slice(0, 2));
    escrows.drained([usageOf({ session: 's', ordinal: 3, charges })]);
    expect(escrows.elsewhere('s')).toMatchObject([{ amount: 7 }]);
    escrows.drained(events);
    expect(escrows.elsewhere('s')).toEqual([]);
  });

  it('are reduced by usage that this proxy reports from Redis', () => {
    const escrows = new Unacknowledged();
    const charges = [{ budgetId: 'a', window: 'total', escrow: 7 }];
    const [ours, others] = [usageOf({ session: 's', charges }), usageOf({ session: 't', charges })];
    escrows.recorded([ours]);
    escrows.overflowed([ours]);
    escrows.drained([others, ours]);
    expect([escrows.elsewhere('s'), escrows.elsewhere('t')]).toEqual([[], []]);
  });
});
