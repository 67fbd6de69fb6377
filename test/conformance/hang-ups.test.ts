// Responses that break off, at some of the bytes of each vendor's response; `node test/conformance/run-hang-ups.ts`
// plays every byte.
import { describe, expect, it } from 'vitest';
import { type VendorName, vendors } from '../../simulator/vendors.ts';
import { startingSeed } from '../support/seed.ts';
import { actions, type Case, casesOf, playAll, type Verdict, verdictOn } from './hang-ups/play.ts';

const step = 97;

describe.each(Object.keys(vendors) as VendorName[])('%s', (vendor) => {
  const seed = startingSeed() % step;

  it(`charges for the generated output when a response breaks off (seed ${seed})`, async () => {
    const cases = [...casesOf(vendor, step, seed)];
    const verdicts = await playAll(cases, 16);
    expect(verdicts).toHaveLength(cases.length);
    expect(verdicts.filter(({ fault }) => fault !== undefined).map(shown)).toEqual([]);
    // If the caller leaves and the vendor continues, some charges are exact. Every other kind of end has some estimated
    // charges.
    const exact = verdicts.filter(
      ({ case: { action, hangUp }, booking }) => action === 'leave' && hangUp === 'read' && !booking.estimated,
    );
    expect(exact.length).toBeGreaterThan(0);
    for (const action of actions.filter((one) => one !== 'leave'))
      expect(verdicts.some(({ case: one, booking }) => one.action === action && booking.estimated)).toBe(true);
  });
});

describe('the verdict of a hang-up', () => {
  it('is a fault when a charge is below the generated output or above the reservation', async () => {
    const [first] = casesOf('gpt-provider');
    const one: Case = { ...(first as Case), action: 'reset' };
    const [verdict] = await playAll([one], 1);
    if (verdict === undefined) throw new Error('nothing was played');
    const { booking, cost, fault } = verdict;
    expect(fault).toBeUndefined();
    expect(booking).toMatchObject({ estimateReason: 'reset', cost: booking.reserved });
    const nothing = Buffer.alloc(0);
    expect(verdictOn(one, { ...booking, cost: Math.floor(cost * 0.9) }, nothing).fault).toMatch(/^charged \d+ of/);
    expect(verdictOn(one, { ...booking, cost: booking.reserved + 1 }, nothing).fault).toMatch(/reserved/);
    expect(verdictOn(one, { ...booking, estimated: false }, nothing).fault).toMatch(/without a reason/);
  });
});

function shown({ case: one, booking, fault }: Verdict): string {
  return `${JSON.stringify(one)}: ${fault} (${booking.estimateReason}, status ${booking.status})`;
}
