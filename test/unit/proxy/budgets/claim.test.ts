// What a request may reserve from the leases of its budgets, depending on the last acquire operation of each lease.
import { describe, expect, it } from 'vitest';
import { type Claim, claimOn, decide, toBeAcquired } from '../../../../proxy/budgets/claim.ts';
import { Lease, leaseOrigin } from '../../../../proxy/budgets/lease.ts';
import type { AcquireResponse } from '../../../../proxy/usage/ledger-client.ts';
import { ask } from './world.ts';

const now = 1_000;

/** A lease with this granted amount; with the outcome `busy`, more is refused for a while. */
function leaseOf(granted: number, outcome: AcquireResponse['outcome'] = 'granted', shuts = false): Lease {
  const lease = new Lease(leaseOrigin('s', { id: 'a', period: 'total' }, 0), { seq: 0, shuts }, now);
  respond(lease, granted, outcome);
  return lease;
}

function respond(lease: Lease, granted: number, outcome: AcquireResponse['outcome']): void {
  lease.acquire('acquire', now);
  lease.acquired({ outcome, granted, attainable: undefined, epoch: '', now: 0 }, now);
}

/** A lease that is completely shut: the control plane knows that this proxy has no reservation in it. */
function shutLeaseOf(granted: number): Lease {
  const lease = leaseOf(granted, 'granted', true);
  respond(lease, 0, 'granted');
  expect(lease.open).toBe(0);
  return lease;
}

const claimOf = (full: number, least: number, ...leases: readonly Lease[]): Claim =>
  claimOn(leases, { ...ask(full, 'a'), least });
const kindsOf = (claim: Claim) => [...toBeAcquired(claim, now).values()];

describe('a request that reserves money', () => {
  it('reserves its full amount when its leases have it open, and nothing is acquired', () => {
    const claim = claimOf(100, 10, leaseOf(100), leaseOf(200));
    expect(decide(claim, 'acquire', now)).toEqual({ kind: 'reserve', amount: 100 });
    expect(kindsOf(claim)).toEqual([]);
  });

  it('waits until money is acquired for each lease that has too little', () => {
    const [poor, rich] = [leaseOf(99), leaseOf(100)];
    const claim = claimOf(100, 10, poor, rich);
    expect(decide(claim, 'acquire', now)).toEqual({ kind: 'wait' });
    expect([...toBeAcquired(claim, now)]).toEqual([[poor, 'acquire']]);
  });

  it('reserves less than its full amount after an acquire operation that was made for it', () => {
    const lease = leaseOf(10);
    const claim = claimOf(100, 10, lease);
    respond(lease, 50, 'granted');
    expect(kindsOf(claim)).toEqual([]);
    expect(decide(claim, 'acquire', now)).toEqual({ kind: 'reserve', amount: 15 });
  });

  it('acquires again when such an operation brought less than its least amount', () => {
    const lease = leaseOf(0);
    const claim = claimOf(100, 10, lease);
    respond(lease, 9, 'granted');
    expect(kindsOf(claim)).toEqual(['acquire']);
    expect(decide(claim, 'acquire', now)).toEqual({ kind: 'wait' });
  });

  it('reserves the available money when a lease was refused more shortly before', () => {
    const claim = claimOf(100, 10, leaseOf(40, 'busy'));
    expect(kindsOf(claim)).toEqual([]);
    expect(decide(claim, 'acquire', now)).toEqual({ kind: 'reserve', amount: 10 });
  });
});

describe('a request with a shut lease', () => {
  it('has the lease opened, and nothing acquired, when the lease has its full or its least amount', () => {
    expect(kindsOf(claimOf(100, 10, shutLeaseOf(100)))).toEqual(['open']);
    const lease = shutLeaseOf(50);
    const claim = claimOf(100, 10, lease);
    respond(lease, 0, 'granted');
    expect(kindsOf(claim)).toEqual(['open']);
  });

  it('is refused while the control plane is unreachable', () => {
    expect(decide(claimOf(100, 10, shutLeaseOf(100)), 'away', now)).toMatchObject({ reason: 'unavailable' });
  });
});

describe('a request that cannot acquire money', () => {
  it('is refused as unavailable, naming the lease with too little, when the control plane is unreachable', () => {
    const [rich, poor] = [leaseOf(10), leaseOf(9)];
    const verdict = decide(claimOf(100, 10, rich, poor), 'away', now);
    expect(verdict).toEqual({ kind: 'refused', lease: poor, reason: 'unavailable' });
  });

  it('is refused as busy when it has waited and other requests got the acquired money', () => {
    const lease = leaseOf(0);
    const claim = claimOf(100, 10, lease);
    expect(decide(claim, 'late', now)).toMatchObject({ reason: 'unavailable' });
    respond(lease, 0, 'busy');
    expect(decide(claim, 'late', now)).toMatchObject({ reason: 'busy' });
  });

  it('reserves the available money when that is at least its least amount', () => {
    expect(decide(claimOf(100, 10, leaseOf(60)), 'away', now)).toEqual({ kind: 'reserve', amount: 15 });
  });
});

describe('a request that several budgets refuse', () => {
  it('is refused as exceeded by the spent budget, whatever the order of the budgets', () => {
    const [busy, spent] = [leaseOf(0, 'busy'), leaseOf(0, 'exceeded')];
    for (const leases of [
      [busy, spent],
      [spent, busy],
    ]) {
      const verdict = decide(claimOf(100, 10, ...leases), 'acquire', now);
      expect(verdict).toEqual({ kind: 'refused', lease: spent, reason: 'exceeded' });
    }
  });
});
