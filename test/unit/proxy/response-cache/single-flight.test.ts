// Equal requests at the same time: who leads, who waits, and what becomes of those that wait.
import { describe, expect, it } from 'vitest';
import { Leader, SingleFlight, Waiter, waitingMax } from '../../../../proxy/response-cache/single-flight.ts';

type Flights = SingleFlight<string>;

function lead(flights: Flights, key = 'a'): Leader<string> {
  const entered = flights.enter(key);
  if (!(entered instanceof Leader)) throw new Error('another one leads');
  return entered;
}

function wait(flights: Flights, key = 'a'): Waiter<string> {
  const entered = flights.enter(key);
  if (!(entered instanceof Waiter)) throw new Error('it does not wait');
  return entered;
}

const kind = async (waiter: Waiter<string>) => {
  const waited = await waiter.result;
  return waited instanceof Leader ? 'leads' : waited === 'alone' ? 'alone' : waited.value;
};

describe('equal requests at the same time', () => {
  it('share what the first of them gets', async () => {
    const flights: Flights = new SingleFlight();
    const leader = lead(flights);
    const waiters = [wait(flights), wait(flights)];
    const other = lead(flights, 'b');
    expect(flights.size).toBe(2);
    leader.share('response');
    expect(await Promise.all(waiters.map(kind))).toEqual(['response', 'response']);
    other.disband();
    expect(flights.size).toBe(0);
    lead(flights).disband();
  });

  it(`wait, up to ${waitingMax}; the next one goes alone`, async () => {
    const flights: Flights = new SingleFlight();
    const leader = lead(flights);
    const waiters = Array.from({ length: waitingMax }, () => wait(flights));
    expect(flights.enter('a')).toBe('alone');
    waiters[7]?.leave();
    expect(await kind(waiters[7] as Waiter<string>)).toBe('alone');
    const last = wait(flights);
    leader.share('response');
    expect(await kind(last)).toBe('response');
  });

  it('have another leader if the first one fails, the one that has waited longest', async () => {
    const flights: Flights = new SingleFlight();
    const [leader, first, second] = [lead(flights), wait(flights), wait(flights)];
    leader.fail();
    leader.share('too late');
    const next = await first.result;
    expect(next).toBeInstanceOf(Leader);
    const third = wait(flights);
    if (next instanceof Leader) next.share('response');
    expect(await Promise.all([second, third].map(kind))).toEqual(['response', 'response']);
  });

  it('go alone once leaders have failed repeatedly, so that nobody queues behind an outage', async () => {
    const flights: Flights = new SingleFlight();
    let leader = lead(flights);
    const waiters = Array.from({ length: 10 }, () => wait(flights));
    const led: number[] = [];
    for (const [index, waiter] of waiters.entries()) {
      leader.fail();
      const waited = await waiter.result;
      if (!(waited instanceof Leader)) break;
      led.push(index);
      leader = waited;
    }
    expect(led).toEqual([0, 1]);
    expect(await Promise.all(waiters.slice(2).map(kind))).toEqual(Array(8).fill('alone'));
    expect(flights.size).toBe(0);
  });

  it('go alone if what the leader got is not for sharing', async () => {
    const flights: Flights = new SingleFlight();
    const [leader, waiter] = [lead(flights), wait(flights)];
    leader.disband();
    expect(await kind(waiter)).toBe('alone');
    expect(flights.size).toBe(0);
  });

  it('have another leader if the new one leaves before it knows that it leads', async () => {
    const flights: Flights = new SingleFlight();
    const [leader, first, second] = [lead(flights), wait(flights), wait(flights)];
    leader.fail();
    first.leave();
    expect(await kind(second)).toBe('leads');
  });

  it('leave nothing behind if all of them leave', () => {
    const flights: Flights = new SingleFlight();
    const [leader, waiter] = [lead(flights), wait(flights)];
    waiter.leave();
    leader.fail();
    expect(flights.size).toBe(0);
  });
});
