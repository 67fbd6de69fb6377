import { describe, expect, it } from 'vitest';
import { FeedState } from '../../../../proxy/access/feed-state.ts';

const at = (revision: number, epoch = 'one') => ({ epoch, revision });

function begun(horizon = 10, changedMax = 100): FeedState {
  const feed = new FeedState(changedMax);
  feed.begin(at(horizon));
  return feed;
}

describe('the rule', () => {
  it('contradicts nothing before the feed has begun', () => {
    expect(new FeedState(1).permits('a', at(0))).toBe(true);
  });

  it('permits what was read at the horizon and not before', () => {
    expect(begun(10).permits('a', at(10))).toBe(true);
    expect(begun(10).permits('a', at(9))).toBe(false);
  });

  it('permits what was read at the last change of its subject and not before', () => {
    const feed = begun();
    feed.change('a', 12);
    expect(feed.permits('a', at(12))).toBe(true);
    expect(feed.permits('a', at(11))).toBe(false);
    expect(feed.permits('b', at(11))).toBe(true);
  });

  it('compares no positions of different epochs', () => {
    expect(begun().permits('a', at(99, 'two'))).toBe(false);
  });

  it('keeps the latest change when an older one is repeated', () => {
    const feed = begun();
    feed.change('a', 14);
    feed.change('a', 12);
    expect(feed.permits('a', at(13))).toBe(false);
  });
});

describe('the horizon', () => {
  it('moves up to the oldest change when there are too many to remember', () => {
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

  it('forgets the subject that changed longest ago, not the one first named', () => {
    const feed = begun(10, 2);
    feed.change('a', 11);
    feed.change('b', 12);
    feed.change('a', 13);
    feed.change('c', 14);
    expect(feed.permits('other', at(12))).toBe(true);
    expect(feed.permits('other', at(11))).toBe(false);
    expect(feed.permits('a', at(12))).toBe(false);
  });

  it('stays where it is when a connection goes on without a gap', () => {
    const feed = begun(10);
    feed.change('a', 15);
    feed.begin(at(15));
    expect(feed.permits('b', at(10))).toBe(true);
    expect(feed.permits('a', at(14))).toBe(false);
  });

  it('moves over a gap and never back', () => {
    const feed = begun(10, 2);
    feed.change('a', 11);
    feed.begin(at(20));
    expect(feed.permits('b', at(19))).toBe(false);
    feed.change('b', 21);
    feed.change('c', 22);
    feed.change('d', 23);
    expect(feed.permits('e', at(19))).toBe(false);
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

describe('a confirmation', () => {
  it('counts from the ask and never goes back', () => {
    const feed = begun();
    expect(feed.confirm(at(12), 2_000)).toBe(true);
    expect(feed.confirm(at(12), 1_000)).toBe(true);
    expect(feed.confirmedAt).toBe(2_000);
    expect(feed.position).toEqual(at(12));
  });

  it.each([
    ['of another epoch', at(99, 'two')],
    ['before what is already known', at(11)],
  ])('is refused %s', (_, position) => {
    const feed = begun();
    feed.change('a', 12);
    expect(feed.confirm(position, 1_000)).toBe(false);
    expect(feed.confirmedAt).toBeUndefined();
  });
});
