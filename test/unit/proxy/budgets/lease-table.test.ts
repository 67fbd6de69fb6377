import { describe, expect, it } from 'vitest';
import { Lease, leaseOrigin } from '../../../../proxy/budgets/lease.ts';
import { LeaseTable } from '../../../../proxy/budgets/lease-table.ts';

const dayMs = 86_400_000;
const budget = { id: 'a', period: 'day' } as const;
const session = { id: 's', shuts: true };

describe('the lease of a budget', () => {
  it('stays the current lease when another lease of the same budget ends', () => {
    const leases = new LeaseTable();
    const today = leases.open(session, budget, { at: dayMs / 2, now: 0 });
    const tomorrow = leases.ahead(today, 0);
    expect(tomorrow?.state).toBe('next');
    if (tomorrow !== undefined) leases.retire(tomorrow);
    expect([tomorrow?.state, leases.current('a')]).toEqual(['past', today]);
  });

  it('is the lease of the next window as soon as that window begins', () => {
    const leases = new LeaseTable();
    const today = leases.open(session, budget, { at: dayMs / 2, now: 0 });
    const tomorrow = leases.ahead(today, 0);
    expect(leases.ahead(today, 0)).toBeUndefined();
    if (tomorrow !== undefined) leases.begin(tomorrow);
    expect([today.state, tomorrow?.state]).toEqual(['past', 'current']);
    expect(leases.current('a')).toBe(tomorrow);
  });

  it('continues its sequence number after it was forgotten, in its own session only', () => {
    const leases = new LeaseTable();
    const instant = { at: dayMs / 2, now: 0 };
    const lease = leases.open(session, budget, instant);
    lease.acquire('acquire', 0);
    leases.forget(lease, 's');
    expect(leases.current('a')).toBeUndefined();
    const again = leases.open(session, budget, instant);
    expect(again.seq).toBe(1);
    leases.forget(again, 'another');
    expect(leases.open(session, budget, instant).seq).toBe(0);
  });
});

describe('a lease whose shut money is reported to the control plane', () => {
  it('is deleted when the response reports that the budget is deleted', () => {
    const lease = new Lease(leaseOrigin('s', budget, 0), { seq: 0, shuts: true }, 0);
    lease.acquire('open', 0);
    lease.acquired({ outcome: 'deleted', granted: 0, attainable: undefined, epoch: '', now: 0 }, 0);
    expect(lease.state).toBe('deleted');
  });
});
