import { describe, expect, it } from 'vitest';
import { Admission } from '../../../../proxy/http/admission.ts';

const overloaded = expect.objectContaining({ code: 'overloaded' });

describe('admission', () => {
  it('admits up to the limit in all, and gives places back', () => {
    const admission = new Admission({ inFlightMax: 2, bufferedBytesMax: 100, organizationShare: 1 });
    const first = admission.admit('a');
    admission.admit('b');
    expect(() => admission.admit('c')).toThrow(overloaded);
    first[Symbol.dispose]();
    admission.admit('c');
    expect(admission.inFlight).toBe(2);
  });

  it('leaves room for others beside one organization', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 0.25 });
    admission.admit('a');
    admission.admit('a');
    expect(() => admission.admit('a')).toThrow(overloaded);
    admission.admit('b');
  });

  it('counts bytes in all and of one organization until the request ends', () => {
    const admission = new Admission({ inFlightMax: 8, bufferedBytesMax: 100, organizationShare: 0.5 });
    const a = admission.admit('a');
    a.buffer(50);
    expect(() => a.buffer(1)).toThrow(overloaded);
    const b = admission.admit('b');
    b.buffer(50);
    const c = admission.admit('c');
    expect(() => c.buffer(1)).toThrow(overloaded);
    a[Symbol.dispose]();
    c.buffer(1);
    expect(admission.bufferedBytes).toBe(51);
  });
});
