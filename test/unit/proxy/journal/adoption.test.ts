// A proxy adopts the journals that killed proxies have left in the pod.
import { beforeEach, describe, expect, it } from 'vitest';
import { createBackground } from '../../../../common/background.ts';
import { Adoption } from '../../../../proxy/journal/adoption.ts';
import { type JournalLine, lineOf } from '../../../../proxy/journal/journal-lines.ts';
import { LedgerRefusedError, type SessionEnd, type UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { MemoryPod } from '../../../support/ledger/journals.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { usageOf } from '../../../support/usage-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

let time: VirtualTime;
let pod: MemoryPod;
let story: string[];
let fails: Error | undefined;
let closeFails: Error | undefined;
let reported: UsageEvent[];
let ends: SessionEnd[];
let lost: number;
let kept: string[];
let closed: string[];

beforeEach(() => {
  [time, pod, story, reported, ends, lost] = [new VirtualTime(), new MemoryPod(), [], [], [], 0];
  [fails, closeFails, kept, closed] = [undefined, undefined, [], []];
});

const leases = [{ budgetId: 'a', window: 'total' }];
const lines: readonly JournalLine[] = [
  { kind: 'session', session: 's', ordinal: 1 },
  { kind: 'settled', event: usageOf({ id: 'settled', session: 's', ordinal: 1 }) },
  {
    kind: 'take',
    hold: 1,
    taken: { event: usageOf({ id: 'killed', cost: 0, charges: [] }), amount: 70, slices: leases },
  },
  { kind: 'overflowed', escrows: [{ budgetId: 'a', window: 'total', escrow: 5 }] },
];

/** A proxy that is killed after it has written these lines. */
function leave(written: readonly JournalLine[] = lines, rest = ''): void {
  const folder = pod.connect();
  folder.create('s').append(written.map(lineOf).join('') + rest);
  folder.kill();
}

function start(folder = pod.connect()): Adoption {
  const response = { now: 0, epoch: 'e' };
  return new Adoption({
    folder,
    client: {
      report: async (events) => {
        story.push(`report ${events.length}`);
        if (fails !== undefined) throw fails;
        reported.push(...events);
        return { ...response, recorded: events.length };
      },
      closeSession: async (end) => {
        story.push('close');
        if (closeFails !== undefined) throw closeFails;
        ends.push(end);
        return { ...response, freed: 0 };
      },
    },
    ...{ clock: time, timers: time, random: () => 0.5, log: silentLog },
    onRecorded: (events, epoch) => void kept.push(`${events.length} in ${epoch}`),
    onClosed: (session) => void closed.push(session),
    background: createBackground({ log: silentLog }),
    metrics: {
      adopted: (settled, killed) => story.push(`adopted ${settled} ${killed}`),
      lost: (events) => {
        lost += events;
      },
    },
  });
}

describe('the journal of a killed proxy', () => {
  it('is reported, then its session is closed, then it is deleted', async () => {
    leave();
    start();
    await time.advance(100);
    expect(story).toEqual(['report 2', 'close', 'adopted 1 1']);
    expect(reported).toMatchObject([{ id: 'settled' }, { id: 'killed', cost: 70, ordinal: 2 }]);
    const outstanding = [{ budgetId: 'a', window: 'total', amount: 5 }];
    expect(ends).toEqual([{ session: 's', outstanding, andOthers: false }]);
    expect(pod.files.size).toBe(0);
    expect([kept, closed]).toEqual([['2 in e'], ['s']]);
  });

  it('is read even if it ends within a line', async () => {
    leave(lines, '{"kind":"take","hold":2,"taken":{"eve');
    start();
    await time.advance(100);
    expect(reported).toHaveLength(2);
  });

  it('is deleted when it is empty', async () => {
    leave([]);
    start();
    await time.advance(100);
    expect(story).toEqual([]);
    expect(pod.files.size).toBe(0);
  });

  it('is retried until the control plane has it, and its session is closed only then', async () => {
    leave();
    fails = new Error('away');
    start();
    await time.advance(20_000);
    expect(new Set(story)).toEqual(new Set(['report 2']));
    fails = undefined;
    await time.advance(10_000);
    expect(story.slice(-3)).toEqual(['report 2', 'close', 'adopted 1 1']);
  });

  it('stays for the next proxy when the adopting proxy ends before', async () => {
    leave();
    closeFails = new Error('away');
    const folder = pod.connect();
    const adoption = start(folder);
    await time.advance(1_000);
    adoption.close();
    folder.kill();
    await time.advance(10_000);
    expect(pod.files.size).toBe(1);
    closeFails = undefined;
    start();
    await time.advance(100);
    expect(ends).toHaveLength(1);
    expect(new Set(reported.map(({ id, ordinal }) => `${id} ${ordinal}`)).size).toBe(2);
  });

  it('is deleted without closing its session when the ledger does not accept the session', async () => {
    leave();
    closeFails = new LedgerRefusedError('unknown', 'of another');
    start();
    await time.advance(100);
    expect(story.at(-1)).toBe('adopted 1 1');
    expect(pod.files.size).toBe(0);
  });

  it('is counted as lost when the control plane refuses it for good', async () => {
    leave();
    fails = new LedgerRefusedError('invalid', 'too old');
    start();
    await time.advance(100);
    expect(lost).toBe(2);
    expect(ends).toHaveLength(1);
  });

  it('is not touched while its process is alive', async () => {
    const other = pod.connect();
    other.create('s').append(lines.map(lineOf).join(''));
    start();
    await time.advance(30_000);
    expect(story).toEqual([]);
    other.kill();
    await time.advance(60_000);
    expect(story.at(-1)).toBe('adopted 1 1');
  });
});
