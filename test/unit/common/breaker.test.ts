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

describe('a circuit breaker', () => {
  it('admits calls until enough failures in a row', () => {
    const { made, fail } = breaker();
    expect(fail(2)).toEqual([false, false]);
    expect(made.enter()).toBe(2);
    expect(made.failed()).toBe(true);
    expect(made.enter()).toBeUndefined();
  });

  it('starts to count failures again after a success', () => {
    const { made, fail } = breaker();
    fail(2);
    expect(made.succeeded()).toBe(false);
    expect(fail(2)).toEqual([false, false]);
    expect(made.enter()).toBe(2);
  });

  it('refuses calls while it is open, then admits one trial', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(999);
    expect(made.enter()).toBeUndefined();
    pass(1);
    expect(made.enter()).toBe(3);
    expect(made.enter()).toBeUndefined();
  });

  it('refuses calls again after a failed trial, without reporting that it opened again', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(1000);
    expect(fail(1)).toEqual([false]);
    pass(999);
    expect(made.enter()).toBeUndefined();
    pass(1);
    expect(made.enter()).toBe(4);
  });

  it('admits all calls after a successful trial', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(1000);
    made.enter();
    expect(made.succeeded()).toBe(true);
    expect([made.enter(), made.enter()]).toEqual([0, 0]);
  });

  it('admits another trial when the result of the last one is never reported', () => {
    const { made, fail, pass } = breaker();
    fail(3);
    pass(1000);
    made.enter();
    pass(1000);
    expect(made.enter()).toBe(3);
  });

  it('counts one failure when calls in flight together fail together', () => {
    const { made } = breaker();
    const before = [made.enter(), made.enter(), made.enter(), made.enter()];
    expect(before.map((failures) => made.failed(failures))).toEqual([false, false, false, false]);
    expect(made.enter()).toBe(1);
  });
});
