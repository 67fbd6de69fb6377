import { describe, expect, it } from 'vitest';
import { Admission } from '../../../../proxy/http/admission.ts';

const owner = (organization: string, key = organization) => ({ organization, key });
const overloaded = expect.objectContaining({ code: 'overloaded' });

describe('admission', () => {
  it('admits up to the limit in all, and gives places back', () => {
    const admission = new Admission({ inFlightMax: 2, bufferedBytesMax: 100, organizationShare: 1 });
    const first = admission.admit(owner('a'));
    admission.admit(owner('b'));
    expect(() => admission.admit(owner('c'))).toThrow(overloaded);
    first[Symbol.dispose]();
    admission.admit(owner('c'));
    expect(admission.inFlight).toBe(2);
  });

  it('leaves room for others beside one organization', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 0.25 });
    admission.admit(owner('a'));
    admission.admit(owner('a'));
    expect(() => admission.admit(owner('a'))).toThrow(overloaded);
    admission.admit(owner('b'));
  });

  it('leaves room for the next organization, however many take what they can', () => {
    const admission = new Admission({ inFlightMax: 1000, bufferedBytesMax: 100, organizationShare: 0.5 });
    const taken = (organization: string) => {
      let count = 0;
      // With keys without number: none has more than a part of what its organization may have.
      for (; admission.requests.hasRoom(owner(organization, `key ${count}`)); count++)
        admission.admit(owner(organization, `key ${count}`));
      return count;
    };
    expect(['a', 'b', 'c', 'd'].map(taken)).toEqual([500, 250, 125, 63]);
  });

  it('leaves room for other keys of the same organization', () => {
    const admission = new Admission({ inFlightMax: 100, bufferedBytesMax: 100, organizationShare: 1 });
    for (let count = 0; count < 80; count++) admission.admit(owner('a', 'greedy'));
    expect(() => admission.admit(owner('a', 'greedy'))).toThrow(overloaded);
    for (let count = 0; count < 16; count++) admission.admit(owner('a', 'other'));
  });

  it('counts bytes in all and of one organization until the request ends', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 0.5 });
    // Its only key has 8 of the 9 parts that the organization may have.
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
