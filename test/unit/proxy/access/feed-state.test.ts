import { describe, expect, it } from 'vitest';
import { FeedState } from '../../../../proxy/access/feed-state.ts';

const at = (revision: number, epoch = 'one') => ({ epoch, revision });

function begun(horizon = 10, changedMax = 100): FeedState {
  const feed = new FeedState(changedMax);
  feed.begin(at(horizon));
  return feed;
}

describe('the freshness rule of the feed', () => {
  it('the rule permits every record before the feed has begun', () => {
    expect(new FeedState(1).permits('a', at(0))).toBe(true);
  });

  it('the rule permits records read at the watermark, and no earlier ones', () => {
    expect(begun(10).permits('a', at(10))).toBe(true);
    expect(begun(10).permits('a', at(9))).toBe(false);
  });

  it('the rule permits records read at the last change of their subject, and no earlier ones', () => {
    const feed = begun();
    feed.change('a', 12);
    expect(feed.permits('a', at(12))).toBe(true);
    expect(feed.permits('a', at(11))).toBe(false);
    expect(feed.permits('b', at(11))).toBe(true);
  });

  it('the rule refuses records of another epoch', () => {
    expect(begun().permits('a', at(99, 'two'))).toBe(false);
  });

  it('the rule keeps the latest change when an older one is repeated', () => {
    const feed = begun();
    feed.change('a', 14);
    feed.change('a', 12);
    expect(feed.permits('a', at(13))).toBe(false);
  });
});

describe('the watermark of the feed', () => {
  it('moves up to the oldest change when there are too many changes to remember', () => {
    const feed = begun(10, 2);
    for (const [ref, revision] of [
      ['a', 11],
      ['b', 12],
      ['c', 13],
    ] as const)
      feed.change(ref, revision);
    expect(feed.permits('a', at(10))).toBe(false);
    expect(feed.permits('other', at(10))).toBe(false);
    expect(feed.permits('other', at(11))).toBe(true);
    expect(feed.permits('b', at(11))).toBe(false);
  });

  it('moves past the subject that changed longest ago, not past the one first named', () => {
    const feed = begun(10, 2);
    feed.change('a', 11);
    feed.change('b', 12);
    feed.change('a', 13);
    feed.change('c', 14);
    expect(feed.permits('other', at(12))).toBe(true);
    expect(feed.permits('other', at(11))).toBe(false);
    expect(feed.permits('a', at(12))).toBe(false);
  });

  it('stays unchanged when a new connection continues without a gap', () => {
    const feed = begun(10);
    feed.change('a', 15);
    feed.begin(at(15));
    expect(feed.permits('b', at(10))).toBe(true);
    expect(feed.permits('a', at(14))).toBe(false);
  });

  it('moves over a gap, and never back', () => {
    const feed = begun(10, 2);
    feed.change('a', 11);
    feed.begin(at(20));
    expect(feed.permits('b', at(19))).toBe(false);
    feed.change('b', 21);
    feed.change('c', 22);
    feed.change('d', 23);
    expect(feed.permits('e', at(19))).toBe(false);
  });

  it('moves up as soon as there are more changes than are remembered, past the sixteenth forgotten one too', () => {
    const feed = begun(10, 32);
    for (let change = 1; change <= 32; change++) feed.change(`key-${change}`, 10 + change);
    expect(feed.permits('untouched', at(10))).toBe(true);
    feed.change('key-33', 43);
    expect([feed.permits('untouched', at(12)), feed.permits('untouched', at(13))]).toEqual([false, true]);
  });

  it('starts over with a new epoch, unconfirmed', () => {
    const feed = begun(10);
    feed.confirm(at(10), 1_000);
    feed.begin(at(3, 'two'));
    expect(feed.confirmedAt).toBeUndefined();
    expect(feed.permits('a', at(3, 'two'))).toBe(true);
    expect(feed.permits('a', at(99))).toBe(false);
    expect(feed.position).toEqual(at(3, 'two'));
  });
});

describe('an epoch that continues earlier epochs', () => {
  const continues = [at(20, 'two'), at(15, 'one')];

  it('accepts records of earlier epochs up to the revision at which each was continued', () => {
    const feed = new FeedState(100);
    feed.begin(at(10, 'three'), continues);
    expect(feed.permits('a', at(15, 'one'))).toBe(true);
    expect(feed.permits('a', at(16, 'one'))).toBe(false);
    expect(feed.permits('a', at(20, 'two'))).toBe(true);
    expect(feed.permits('a', at(21, 'two'))).toBe(false);
    expect(feed.permits('a', at(9, 'one'))).toBe(false);
    expect(feed.permits('a', at(15, 'another'))).toBe(false);
  });

  it('accepts records of an older epoch only up to the lowest revision on the way, as after a file was copied back', () => {
    const feed = new FeedState(100);
    feed.begin(at(0, 'three'), [at(5, 'two'), at(15, 'one')]);
    expect(feed.permits('a', at(5, 'one'))).toBe(true);
    expect(feed.permits('a', at(6, 'one'))).toBe(false);
  });

  it('keeps known changes and confirmations, and makes no record stale', () => {
    const feed = begun(10);
    feed.change('a', 12);
    feed.confirm(at(14), 1_000);
    feed.begin(at(14, 'two'), [at(14, 'one')]);
    expect(feed.confirmedAt).toBe(1_000);
    expect(feed.permits('b', at(10))).toBe(true);
    expect(feed.permits('a', at(11))).toBe(false);
    expect(feed.permits('a', at(12))).toBe(true);
    expect(feed.position).toEqual(at(14, 'two'));
    feed.change('b', 15);
    expect(feed.permits('b', at(14))).toBe(false);
  });

  it('counts as another history when the feed had confirmed a later revision than the epoch continues from', () => {
    const feed = begun(10);
    feed.confirm(at(16), 1_000);
    feed.begin(at(15, 'two'), [at(15, 'one')]);
    expect(feed.confirmedAt).toBeUndefined();
    expect(feed.permits('a', at(14))).toBe(false);
    expect(feed.permits('a', at(16))).toBe(false);
    expect(feed.permits('a', at(15))).toBe(true);
  });
});

describe('a confirmation', () => {
  it('counts from the time of its request, and never goes back', () => {
    const feed = begun();
    expect(feed.confirm(at(12), 2_000)).toBe(true);
    expect(feed.confirm(at(12), 1_000)).toBe(true);
    expect(feed.confirmedAt).toBe(2_000);
    expect(feed.position).toEqual(at(12));
  });

  it.each([
    ['of another epoch', at(99, 'two')],
    ['at an older position than is known', at(11)],
  ])('is refused %s', (_, position) => {
    const feed = begun();
    feed.change('a', 12);
    expect(feed.confirm(position, 1_000)).toBe(false);
    expect(feed.confirmedAt).toBeUndefined();
  });
});
