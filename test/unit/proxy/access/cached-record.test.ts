import { describe, expect, it } from 'vitest';
import { type CachedRecord, cachedRecordsOf, isNewer } from '../../../../proxy/access/cached-record.ts';
import { FeedState, type Position } from '../../../../proxy/access/feed-state.ts';
import { createWorld, hashOf } from '../../../support/access/one-proxy.ts';

const key = hashOf(1);
const at = (revision: number, epoch = 'one'): Position => ({ epoch, revision });

function record(asOf: Position, confirmedAt: number): CachedRecord {
  const { database } = createWorld();
  database.createOrganization('north');
  database.createKey(key, { organizationId: 'north' });
  const { principal } = database.resolve(key);
  const [cached] = principal === undefined ? [] : cachedRecordsOf(key, principal, { asOf, confirmedAt });
  if (cached === undefined) throw new Error('the key is there');
  return cached;
}

function begun(horizon: Position, continues: readonly Position[] = []): FeedState {
  const feed = new FeedState(100);
  feed.begin(horizon, continues);
  return feed;
}

describe('of two records of one subject', () => {
  it('the record of the higher revision is kept, even if the other was confirmed later', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(5), 1_000), record(at(4), 2_000), feed)).toBe(true);
    expect(isNewer(record(at(4), 2_000), record(at(5), 1_000), feed)).toBe(false);
  });

  it('the later confirmed record is kept when both have one revision', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(4), 1_999), record(at(4), 2_000), feed)).toBe(false);
    expect(isNewer(record(at(4), 2_000), record(at(4), 2_000), feed)).toBe(true);
  });

  it('records of two epochs are compared by the revision that each has in the epoch of the feed', () => {
    const feed = begun(at(1, 'two'), [at(10, 'one')]);
    expect(isNewer(record(at(7), 1_000), record(at(6, 'two'), 2_000), feed)).toBe(true);
    expect(isNewer(record(at(5), 2_000), record(at(6, 'two'), 1_000), feed)).toBe(false);
  });

  it('the later confirmed record is kept when they are of two histories', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(9, 'other'), 2_000), record(at(4), 1_000), feed)).toBe(true);
    expect(isNewer(record(at(9, 'other'), 1_000), record(at(4), 2_000), feed)).toBe(false);
  });

  it('a record that the feed contradicts is replaced, even if it was confirmed later', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(2), 1_000), record(at(9, 'other'), 2_000), feed)).toBe(true);
  });
});
