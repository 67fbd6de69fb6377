import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../../common/logger.ts';
import {
  Feed,
  type FeedMessage,
  type Reclaim,
  type WatchHandlers,
  type WatchStart,
} from '../../../../proxy/access/feed.ts';
import { accessLimits } from '../../../../proxy/access/limits.ts';
import { Records } from '../../../../proxy/access/records.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

interface Watch {
  readonly start: WatchStart;
  readonly handlers: WatchHandlers;
  readonly requests: number[];
  cancelled: boolean;
}

let time: VirtualTime;
let records: Records;
let watches: Watch[];
let reclaims: Reclaim[];
let feed: Feed;
let logged: string[];

beforeEach(() => {
  time = new VirtualTime();
  watches = [];
  reclaims = [];
  logged = [];
  records = new Records({ clock: time, maxStaleMs: 60_000, limits: accessLimits });
  feed = new Feed({
    watch: (start, handlers) => {
      const watch: Watch = { start, handlers, requests: [], cancelled: false };
      watches.push(watch);
      return {
        ask: (nonce) => void watch.requests.push(nonce),
        cancel: () => {
          watch.cancelled = true;
        },
      };
    },
    records,
    onInvalidations: (invalidations) => void records.change(invalidations),
    onReclaim: (reclaim) => reclaims.push(reclaim),
    maxStaleMs: 60_000,
    clock: time,
    timers: time,
    random: () => 1,
    limits: accessLimits,
    log: createLogger({ name: 'test', level: 'info', stream: { write: (line) => void logged.push(line) } }),
  });
});

const at = (revision: number) => ({ epoch: 'one', revision });

function newest(): Watch {
  const watch = watches.at(-1);
  if (watch === undefined) throw new Error('nothing is watched');
  return watch;
}

function deliver(message: FeedMessage): void {
  newest().handlers.message(message);
}

function respond(revision: number): void {
  deliver({ type: 'response', nonce: newest().requests.at(-1) ?? 0, position: at(revision) });
}

describe('the change feed', () => {
  it('starts without a position, requests a confirmation at once, and then one every 5 s', async () => {
    expect(newest().start).toEqual({ since: undefined, maxStaleMs: 60_000 });
    expect(newest().requests).toHaveLength(1);
    deliver({ type: 'started', horizon: at(1) });
    respond(1);
    await time.advance(5_000);
    expect(newest().requests).toHaveLength(2);
    respond(1);
    await time.advance(4_999);
    expect(newest().requests).toHaveLength(2);
  });

  it('counts its age from the request of a confirmation, not from the response', async () => {
    const requestedAt = time.monotonic();
    await time.advance(3_000);
    deliver({ type: 'started', horizon: at(1) });
    respond(1);
    expect(records.feed.confirmedAt).toBe(requestedAt);
  });

  it('accepts each confirmation once', async () => {
    deliver({ type: 'started', horizon: at(1) });
    respond(1);
    const confirmedAt = records.feed.confirmedAt;
    await time.advance(1_000);
    respond(1);
    deliver({ type: 'response', nonce: 999, position: at(1) });
    expect(records.feed.confirmedAt).toBe(confirmedAt);
  });

  it('requests a confirmation at once when it starts over, so that records count without a wait', () => {
    deliver({ type: 'started', horizon: at(1) });
    respond(1);
    deliver({ type: 'reset', horizon: { epoch: 'two', revision: 1 } });
    expect(newest().requests).toHaveLength(2);
  });
});

describe('a hint that the feed has news', () => {
  it('makes the feed request a confirmation at once, unless a request is under way', () => {
    deliver({ type: 'started', horizon: at(1) });
    feed.askNow();
    expect(newest().requests).toHaveLength(1);
    respond(1);
    feed.askNow();
    expect(newest().requests).toHaveLength(2);
  });

  it('changes nothing while there is no connection', () => {
    newest().handlers.closed(new Error('refused'));
    feed.askNow();
    expect(newest().requests).toHaveLength(1);
  });
});

describe('a reclaim message', () => {
  const reclaim: Reclaim = { budgetId: 'b', window: 'total' };

  it('is passed on even before the feed has begun, and does not change the feed', () => {
    deliver({ type: 'reclaim', reclaim });
    deliver({ type: 'started', horizon: at(1) });
    deliver({ type: 'reclaim', reclaim });
    expect(reclaims).toEqual([reclaim, reclaim]);
    expect(newest().cancelled).toBe(false);
  });
});

describe('a connection of the feed', () => {
  it('is replaced when a request is unacknowledged until the next one is due; the new connection continues at the same position', async () => {
    deliver({ type: 'started', horizon: at(1) });
    deliver({
      type: 'changes',
      invalidations: [{ kind: 'key', ref: 'a', revision: 4, state: 'changed' }],
    });
    await time.advance(5_000);
    expect(watches[0]?.cancelled).toBe(true);
    await time.advance(100);
    expect(watches).toHaveLength(2);
    expect(newest().start.since).toEqual(at(4));
  });

  it('is ignored after it was given up', async () => {
    const old = newest();
    await time.advance(5_100);
    expect(watches).toHaveLength(2);
    old.handlers.message({ type: 'started', horizon: at(9) });
    old.handlers.closed(new Error('late'));
    expect(records.feed.position).toBeUndefined();
    await time.advance(1_000);
    expect(watches).toHaveLength(2);
  });

  it('is made again after 100 ms, then after growing delays up to 2 s, until a response arrives', async () => {
    const gaps: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) {
      const from = time.monotonic();
      newest().handlers.closed(new Error('refused'));
      const before = watches.length;
      while (watches.length === before) await time.advance(50);
      gaps.push(time.monotonic() - from);
    }
    expect(gaps).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    deliver({ type: 'started', horizon: at(1) });
    respond(1);
    newest().handlers.closed(new Error('recycled'));
    await time.advance(100);
    expect(watches).toHaveLength(9);
  });

  it.each([
    ['changes before its first position', { type: 'changes', invalidations: [] }],
    ['a response before its first position', { type: 'response', nonce: 1, position: at(1) }],
  ] as const)('is given up when it sends %s', (_, message) => {
    deliver(message);
    expect(newest().cancelled).toBe(true);
  });

  it('is logged at its second failure in a row, with the reason of that failure, and once more when it is back', async () => {
    newest().handlers.closed(new Error('the first reason'));
    await time.advance(100);
    expect(logged).toEqual([]);
    deliver({ type: 'changes', invalidations: [] });
    expect(logged).toEqual([expect.stringContaining('the feed did not begin with a position')]);
    await time.advance(200);
    newest().handlers.closed(new Error('the third reason'));
    expect(logged).toHaveLength(1);
    await time.advance(400);
    deliver({ type: 'started', horizon: at(1) });
    respond(1);
    expect(logged.slice(1)).toEqual([expect.stringContaining('the change feed is connected again')]);
  });

  it('is given up when it confirms an older position than is known', () => {
    deliver({ type: 'started', horizon: at(5) });
    respond(4);
    expect(newest().cancelled).toBe(true);
    expect(records.feed.confirmedAt).toBeUndefined();
  });

  it('is not made again once the feed is closed', async () => {
    feed.close();
    expect(newest().cancelled).toBe(true);
    newest().handlers.closed(new Error('cancelled'));
    await time.advance(60_000);
    expect(watches).toHaveLength(1);
  });
});
