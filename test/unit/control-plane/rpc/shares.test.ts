// The control plane's table of shares: how much an organization may use of each resource, and the error beyond that.
import { describe, expect, it } from 'vitest';
import { CallError } from '../../../../control-plane/rpc/errors.ts';
import { createShares, shareRows } from '../../../../control-plane/rpc/shares.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const owner = (organization: string, key = 'k') => ({ organization, key });

function refused(work: () => unknown): CallError {
  try {
    work();
  } catch (error) {
    if (error instanceof CallError) return error;
  }
  throw new Error('it was not refused');
}

describe('a rate share of the control plane', () => {
  it('refuses calls beyond the rate with a time to retry, for each organization separately', () => {
    const time = new VirtualTime();
    const shares = createShares(time, { change_rate: { perMinute: 60, burst: 2 } });
    shares.take('change_rate', 'a');
    shares.take('change_rate', 'a');
    const error = refused(() => shares.take('change_rate', 'a'));
    expect(error).toMatchObject({ reason: 'too_many_requests', code: 'RESOURCE_EXHAUSTED', retryAfter: 1 });
    expect(error.message).toContain(shareRows.change_rate.about);
    shares.take('change_rate', 'b');
    time.stall(1000);
    shares.take('change_rate', 'a');
    expect(shares.states().get('change_rate')).toEqual({ used: 1, refused: 1 });
  });

  it('counts time when the cost of a call is known only afterwards', () => {
    const time = new VirtualTime();
    const shares = createShares(time);
    const { burst, perMinute } = shareRows.guardrail_time;
    shares.expect('guardrail_time', 'a');
    shares.charge('guardrail_time', 'a', burst + perMinute / 60);
    expect(refused(() => shares.expect('guardrail_time', 'a')).retryAfter).toBe(2);
    shares.expect('guardrail_time', 'b');
    time.stall(2000);
    shares.expect('guardrail_time', 'a');
  });
});

describe('downloads in progress', () => {
  it.each([1, 3, 10])(
    'leave one for the next organization, however many other organizations have theirs: %i',
    (count) => {
      const shares = createShares(new VirtualTime());
      const ends: (() => void)[] = [];
      for (let n = 0; n < count; n++)
        for (let download = 0; download < shareRows.exports.capacity; download++)
          try {
            ends.push(shares.occupyExport(owner(`greedy${n}`, `k${download}`)));
          } catch (error) {
            expect(error).toMatchObject({ reason: 'too_many_requests', retryAfter: 10 });
          }
      ends.push(shares.occupyExport(owner('next')));
      for (const end of ends) {
        end();
        // Both the sender and its watcher may report the end.
        end();
      }
      expect(shares.states().get('exports')?.used).toBe(0);
    },
  );
});

describe('reads of sums', () => {
  it('are as many at once as an organization may have, whatever others have', () => {
    const shares = createShares(new VirtualTime());
    const { each } = shareRows.sum_reads;
    const ends = Array.from({ length: each }, () => shares.beginSumRead('a'));
    expect(refused(() => shares.beginSumRead('a')).message).toContain(shareRows.sum_reads.about);
    shares.beginSumRead('b')();
    expect(shares.states().get('sum_reads')).toEqual({ used: 1, refused: 1 });
    for (const end of ends) end();
    expect(shares.states().get('sum_reads')).toEqual({ used: 0, refused: 1 });
    shares.beginSumRead('a');
    expect(shares.states().get('sum_reads')?.used).toBe(1 / each);
  });
});

it('every resource of the table reports its state', () => {
  expect([...createShares(new VirtualTime()).states().keys()].sort()).toEqual(Object.keys(shareRows).sort());
});
