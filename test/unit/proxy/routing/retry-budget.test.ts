import { describe, expect, it } from 'vitest';
import { RetryBudget } from '../../../../proxy/routing/retry-budget.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../support/seed.ts';

function budget(max?: number) {
  let now = 1_000_000;
  const made = new RetryBudget({ clock: { monotonic: () => now }, ...(max !== undefined && { max }) });
  const request = (times: number, organization = 'a') => {
    for (let index = 0; index < times; index++) made.request(organization);
  };
  /** @returns how many of them were allowed */
  const retry = (times: number, organization = 'a') =>
    Array.from({ length: times }, () => made.mayRetry(organization)).filter(Boolean).length;
  const pass = (ms: number) => {
    now += ms;
  };
  return { made, request, retry, pass };
}

describe('the retry budget of an organization', () => {
  it('is three a second where requests are few', () => {
    const { request, retry, pass } = budget();
    request(1);
    expect(retry(100)).toBe(30);
    pass(9_000);
    expect(retry(100)).toBe(0);
    pass(2_000);
    expect(retry(100)).toBe(30);
  });

  it('is a fifth of its requests over ten seconds where they are many', () => {
    const { request, retry, pass } = budget();
    for (let second = 0; second < 10; second++) {
      request(100);
      if (second < 9) pass(1000);
    }
    expect(retry(1000)).toBe(200);
  });

  it('counts no requests that are over', () => {
    const { request, retry, pass } = budget();
    request(1000);
    pass(10_000);
    expect(retry(1000)).toBe(30);
  });

  it('is of no use to another organization', () => {
    const { request, retry } = budget();
    request(1000, 'a');
    expect(retry(1000, 'b')).toBe(30);
    expect(retry(1000, 'a')).toBe(200);
  });

  it('survives any silence', () => {
    const { request, retry, pass } = budget();
    request(500);
    retry(500);
    pass(10 * 365 * 86_400_000);
    request(500);
    expect(retry(500)).toBe(100);
  });

  it('forgets the organization that was idle longest when there are too many', () => {
    const { made, request, retry } = budget(2);
    request(1, 'a');
    retry(30, 'a');
    for (const organization of ['b', 'c', 'd']) request(1, organization);
    expect(made.size).toBe(2);
    expect(retry(100, 'a')).toBe(30);
  });

  it('never allows more than the share or the floor of any ten seconds', () => {
    const counted = Array.from({ length: roundsOf(100) }, (_, index) => traffic(new Random(startingSeed() + index)));
    const all = counted.flat();
    for (const { used, requests } of all)
      expect(used, `seed ${startingSeed()}`).toBeLessThanOrEqual(Math.max(30, 0.2 * requests));
    // The cases reach both bounds.
    expect(all.filter(({ used, requests }) => used === 30 && requests <= 150).length).toBeGreaterThan(0);
    expect(all.filter(({ used, requests }) => used > 30 && used === Math.floor(0.2 * requests)).length).toBeGreaterThan(
      0,
    );
  });
});

/** @returns for each retry that was allowed, the retries and the requests of the ten seconds that end with it */
function traffic(random: Random): readonly { readonly used: number; readonly requests: number }[] {
  const { request, retry, pass } = budget();
  const events: { readonly at: number; readonly kind: 'request' | 'retry' }[] = [];
  const counted: { readonly used: number; readonly requests: number }[] = [];
  let at = 0;
  const within = (kind: 'request' | 'retry') =>
    events.filter((event) => event.kind === kind && event.at > at - 10_000).length;
  for (let step = 0; step < 30; step++) {
    const waitMs = random.below(random.below(10) > 0 ? 1_200 : 15_000);
    at += waitMs;
    pass(waitMs);
    const requests = random.below(120);
    request(requests);
    for (let index = 0; index < requests; index++) events.push({ at, kind: 'request' });
    for (let wanted = random.below(120); wanted > 0; wanted--) {
      if (retry(1) === 0) continue;
      events.push({ at, kind: 'retry' });
      counted.push({ used: within('retry'), requests: within('request') });
    }
  }
  return counted;
}
