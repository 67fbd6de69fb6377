import { describe, expect, it } from 'vitest';
import { Admission, standingOf } from '../../../../proxy/http/admission.ts';

const owner = (organization: string, key = organization) => ({ organization, key });
const overloaded = expect.objectContaining({ code: 'overloaded' });

describe('admission of requests', () => {
  it('admits up to the total limit, and frees the slot of a request that ends', () => {
    const admission = new Admission({ inFlightMax: 2, bufferedBytesMax: 100, organizationShare: 1 });
    const first = admission.admit(owner('a'));
    admission.admit(owner('b'));
    expect(() => admission.admit(owner('c'))).toThrow(overloaded);
    first[Symbol.dispose]();
    admission.admit(owner('c'));
    expect(admission.inFlight).toBe(2);
  });

  it('leaves slots for others beside one organization', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 0.25 });
    admission.admit(owner('a'));
    admission.admit(owner('a'));
    expect(() => admission.admit(owner('a'))).toThrow(overloaded);
    admission.admit(owner('b'));
  });

  it('leaves slots for the next organization, however many take their share', () => {
    const admission = new Admission({ inFlightMax: 1000, bufferedBytesMax: 100, organizationShare: 0.5 });
    const taken = (organization: string) => {
      let count = 0;
      // Many keys are used, because a single key gets only a part of its organization's share.
      for (; admission.requests.hasRoom(owner(organization, `key ${count}`)); count++)
        admission.admit(owner(organization, `key ${count}`));
      return count;
    };
    expect(['a', 'b', 'c', 'd'].map(taken)).toEqual([500, 250, 125, 63]);
  });

  it('leaves slots for other keys of the same organization', () => {
    const admission = new Admission({ inFlightMax: 100, bufferedBytesMax: 100, organizationShare: 1 });
    for (let count = 0; count < 80; count++) admission.admit(owner('a', 'greedy'));
    expect(() => admission.admit(owner('a', 'greedy'))).toThrow(overloaded);
    for (let count = 0; count < 16; count++) admission.admit(owner('a', 'other'));
  });

  it('counts buffered bytes in total and for an organization until the request ends', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 0.5 });
    // Its only key gets 8 of 9 parts of the organization's share.
    const a = admission.admit(owner('a'));
    expect(() => a.buffer(46)).toThrow(overloaded);
    a.buffer(45);
    expect(() => a.buffer(1)).toThrow(overloaded);
    expect(admission.bytes.refused).toBe(2);
    const b = admission.admit(owner('b'));
    b.buffer(25);
    const c = admission.admit(owner('c'));
    c.buffer(14);
    expect(() => c.buffer(1)).toThrow(overloaded);
    a[Symbol.dispose]();
    c.buffer(1);
    expect(admission.bufferedBytes).toBe(40);
  });
});

describe('the standing of a caller', () => {
  const standing = (key: object, organization: object = {}) =>
    standingOf({ key, scope: undefined, organization } as Parameters<typeof standingOf>[0]);

  it('is the usual one unless its records say otherwise', () => {
    expect(standing({})).toBeUndefined();
    expect(standing({ priorityClass: 'interactive', weight: 100 }, { weight: 100 })).toBeUndefined();
  });

  it('has the class of the key, and both weights as parts of the usual one', () => {
    const usual = { organizationWeight: 1, keyWeight: 1, isBatch: false };
    expect(standing({ priorityClass: 'batch' })).toEqual({ ...usual, isBatch: true });
    expect(standing({ weight: 250 })).toEqual({ ...usual, keyWeight: 2.5 });
    expect(standing({}, { weight: 1 })).toEqual({ ...usual, organizationWeight: 0.01 });
  });

  it('decides about slots, not about the bytes of a request that has one', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 1 });
    const light = standing({ priorityClass: 'batch', weight: 1 }, { weight: 1 });
    const ticket = admission.admit(owner('a'), light);
    expect(() => admission.admit(owner('a'), light)).toThrow(overloaded);
    ticket.buffer(80);
  });
});
