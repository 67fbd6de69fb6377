import { describe, expect, it } from 'vitest';
import { FeedState, type Position } from '../../../../proxy/access/feed-state.ts';
import { type Held, heldOf, isNewer } from '../../../../proxy/access/held.ts';
import { createWorld, hashOf } from '../../../support/access/one-proxy.ts';

const key = hashOf(1);
const at = (revision: number, epoch = 'one'): Position => ({ epoch, revision });

function record(asOf: Position, confirmedAt: number): Held {
  const { database } = createWorld();
  database.createOrganization('north');
  database.createKey(key, { organizationId: 'north' });
  const { principal } = database.resolve(key);
  const [held] = principal === undefined ? [] : heldOf(key, principal, { asOf, confirmedAt });
  if (held === undefined) throw new Error('the key is there');
  return held;
}

function begun(horizon: Position, continues: readonly Position[] = []): FeedState {
  const feed = new FeedState(100);
  feed.begin(horizon, continues);
  return feed;
}

describe('of two records of one subject', () => {
  it('the one of the higher revision is kept, whichever was confirmed later', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(5), 1_000), record(at(4), 2_000), feed)).toBe(true);
    expect(isNewer(record(at(4), 2_000), record(at(5), 1_000), feed)).toBe(false);
  });

  it('of one revision, the one that was confirmed later is kept', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(4), 1_999), record(at(4), 2_000), feed)).toBe(false);
    expect(isNewer(record(at(4), 2_000), record(at(4), 2_000), feed)).toBe(true);
  });

  it('of two epochs, the revision decides that each counts as in the epoch of the feed', () => {
    const feed = begun(at(1, 'two'), [at(10, 'one')]);
    expect(isNewer(record(at(7), 1_000), record(at(6, 'two'), 2_000), feed)).toBe(true);
    expect(isNewer(record(at(5), 2_000), record(at(6, 'two'), 1_000), feed)).toBe(false);
  });

  it('of two histories, the one that was confirmed later is kept', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(9, 'other'), 2_000), record(at(4), 1_000), feed)).toBe(true);
    expect(isNewer(record(at(9, 'other'), 1_000), record(at(4), 2_000), feed)).toBe(false);
  });

  it('one that the feed contradicts is replaced, though it was confirmed later', () => {
    const feed = begun(at(1));
    expect(isNewer(record(at(2), 1_000), record(at(9, 'other'), 2_000), feed)).toBe(true);
  });
});
