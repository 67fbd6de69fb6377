import { describe, expect, it } from 'vitest';
import { Breaker } from '../../../common/breaker.ts';

function breaker() {
  let now = 0;
  const made = new Breaker({ failuresMax: 3, restMs: 1000, clock: { monotonic: () => now } });
  const failOnce = () => {
    made.enter();
    return made.failed();
  };
  const fail = (times: number) => Array.from({ length: times }, failOnce);
  const pass = (ms: number) => {
    now += ms;
  };
  return { made, fail, pass };
}

describe('what fails', () => {
  it('is tried until it has failed so often in a row', () => {
    const { made, fail } = breaker();
    expect(fail(2)).toEqual([false, false]);
    expect(made.enter()).toBe(2);
    expect(made.failed()).toBe(true);
    expect(made.enter()).toBeUndefined();
  });

  it('begins anew with each success', () => {
    const { made, fail } = breaker();
    fail(2);
    expect(made.succeeded()).toBe(false);
    expect(fail(2)).toEqual([false, false]);
    expect(made.enter()).toBe(2);
  });

  it('rests, and then is tried once', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(999);
    expect(made.enter()).toBeUndefined();
    pass(1);
    expect(made.enter()).toBe(3);
    expect(made.enter()).toBeUndefined();
  });

  it('rests again after a trial that fails, and is not given up anew', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(1000);
    expect(fail(1)).toEqual([false]);
    pass(999);
    expect(made.enter()).toBeUndefined();
    pass(1);
    expect(made.enter()).toBe(4);
  });

  it('is tried by all again after a trial that succeeds', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(1000);
    made.enter();
    expect(made.succeeded()).toBe(true);
    expect([made.enter(), made.enter()]).toEqual([0, 0]);
  });

  it('is tried again where nobody says how a trial ended', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(1000);
    made.enter();
    pass(1000);
    expect(made.enter()).toBe(3);
  });

  it('has failed once where tries under way together met the same silence', () => {
    const { made } = breaker();
    const before = [made.enter(), made.enter(), made.enter(), made.enter()];
    expect(before.map((failures) => made.failed(failures))).toEqual([false, false, false, false]);
    expect(made.enter()).toBe(1);
  });
});
