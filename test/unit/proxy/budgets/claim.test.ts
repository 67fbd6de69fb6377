// What a request may do with the leases of its budgets, each as a draw of the control plane has left it.
import { describe, expect, it } from 'vitest';
import { type Claim, claimOn, judge, toBeDrawn } from '../../../../proxy/budgets/claim.ts';
import { Slice, sliceOrigin } from '../../../../proxy/budgets/lease.ts';
import type { AcquireResponse } from '../../../../proxy/usage/ledger-client.ts';
import { ask } from './world.ts';

const now = 1_000;

/** A lease of which so much is granted; `busy` refuses more for a while. */
function leaseOf(granted: number, outcome: AcquireResponse['outcome'] = 'granted', shuts = false): Slice {
  const lease = new Slice(sliceOrigin('s', { id: 'a', period: 'total' }, 0), { seq: 0, shuts }, now);
  respond(lease, granted, outcome);
  return lease;
}

function respond(lease: Slice, granted: number, outcome: AcquireResponse['outcome']): void {
  lease.draw('draw', now);
  lease.drawn({ outcome, granted, attainable: undefined, epoch: '', now: 0 }, now);
}

/** A lease all of which is shut: the control plane knows that no request of this proxy holds any of it. */
function shutLeaseOf(granted: number): Slice {
  const lease = leaseOf(granted, 'granted', true);
  respond(lease, 0, 'granted');
  expect(lease.open).toBe(0);
  return lease;
}

const claimOf = (full: number, least: number, ...leases: readonly Slice[]): Claim =>
  claimOn(leases, { ...ask(full, 'a'), least });
const kindsOf = (claim: Claim) => [...toBeDrawn(claim, now).values()];

describe('a request', () => {
  it('takes all that it asks for where its leases have it open, and nothing is drawn', () => {
    const claim = claimOf(100, 10, leaseOf(100), leaseOf(200));
    expect(judge(claim, 'draw', now)).toEqual({ kind: 'hold', amount: 100 });
    expect(kindsOf(claim)).toEqual([]);
  });

  it('waits for a draw of each lease that has too little', () => {
    const [poor, rich] = [leaseOf(99), leaseOf(100)];
    const claim = claimOf(100, 10, poor, rich);
    expect(judge(claim, 'draw', now)).toEqual({ kind: 'wait' });
    expect([...toBeDrawn(claim, now)]).toEqual([[poor, 'draw']]);
  });

  it('makes do with less after a draw that was made for it', () => {
    const lease = leaseOf(10);
    const claim = claimOf(100, 10, lease);
    respond(lease, 50, 'granted');
    expect(kindsOf(claim)).toEqual([]);
    expect(judge(claim, 'draw', now)).toEqual({ kind: 'hold', amount: 15 });
  });

  it('has its lease drawn again after such a draw where not even the least is there', () => {
    const lease = leaseOf(0);
    const claim = claimOf(100, 10, lease);
    respond(lease, 9, 'granted');
    expect(kindsOf(claim)).toEqual(['draw']);
    expect(judge(claim, 'draw', now)).toEqual({ kind: 'wait' });
  });

  it('makes do with what is there where more was refused a moment ago', () => {
    const claim = claimOf(100, 10, leaseOf(40, 'busy'));
    expect(kindsOf(claim)).toEqual([]);
    expect(judge(claim, 'draw', now)).toEqual({ kind: 'hold', amount: 10 });
  });
});

describe('a request before a lease that is shut', () => {
  it('has it opened, not drawn, where all or the least that it asks for is in it', () => {
    expect(kindsOf(claimOf(100, 10, shutLeaseOf(100)))).toEqual(['open']);
    const lease = shutLeaseOf(50);
    const claim = claimOf(100, 10, lease);
    respond(lease, 0, 'granted');
    expect(kindsOf(claim)).toEqual(['open']);
  });

  it('is refused while the control plane is away', () => {
    expect(judge(claimOf(100, 10, shutLeaseOf(100)), 'away', now)).toMatchObject({ reason: 'unavailable' });
  });
});

describe('a request that can draw nothing', () => {
  it('is refused as unavailable where the control plane is away, with the lease that has too little', () => {
    const [rich, poor] = [leaseOf(10), leaseOf(9)];
    const verdict = judge(claimOf(100, 10, rich, poor), 'away', now);
    expect(verdict).toEqual({ kind: 'refused', slice: poor, reason: 'unavailable' });
  });

  it('is refused as busy where it has waited, its draw was answered and others took the money', () => {
    const lease = leaseOf(0);
    const claim = claimOf(100, 10, lease);
    expect(judge(claim, 'late', now)).toMatchObject({ reason: 'unavailable' });
    respond(lease, 0, 'busy');
    expect(judge(claim, 'late', now)).toMatchObject({ reason: 'busy' });
  });

  it('takes what is there where that is enough', () => {
    expect(judge(claimOf(100, 10, leaseOf(60)), 'away', now)).toEqual({ kind: 'hold', amount: 15 });
  });
});

describe('a request that several budgets refuse', () => {
  it('is refused by the one that is spent, wherever it is among them', () => {
    const [busy, spent] = [leaseOf(0, 'busy'), leaseOf(0, 'exceeded')];
    for (const leases of [
      [busy, spent],
      [spent, busy],
    ]) {
      const verdict = judge(claimOf(100, 10, ...leases), 'draw', now);
      expect(verdict).toEqual({ kind: 'refused', slice: spent, reason: 'exceeded' });
    }
  });
});
