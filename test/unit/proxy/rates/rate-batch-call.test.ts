// The arguments of a batch's script call and the reading of its response. The order is the contract with the Redis
// scripts.
import { describe, expect, it } from 'vitest';
import { Leases } from '../../../../proxy/rates/leases.ts';
import type { CountedRequest, RateBatch } from '../../../../proxy/rates/rate-batch.ts';
import { BatchCall } from '../../../../proxy/rates/rate-batch-call.ts';
import type { RateKind, RateLimit } from '../../../../proxy/rates/rates.ts';

const limit = (id: string, kind: RateKind, max = 10): RateLimit => ({ id, kind, max });
const requests = limit('r', 'requests_per_minute');
const tokens = limit('t', 'tokens_per_minute', 1_000);
const concurrent = limit('c', 'concurrent_requests', 3);

function request(name: string, limits: readonly RateLimit[], requested = 0): CountedRequest {
  return { shard: 7, name, limits, tokens: requested };
}

function callOf({ begun = [], ended = [] }: { begun?: CountedRequest[]; ended?: [CountedRequest, number][] }) {
  const batch: RateBatch = {
    shard: 7,
    ended: ended.map(([one, correction]) => ({ request: one, correction })),
    begun: begun.map((one) => ({ request: one, resolve: () => undefined, reject: () => undefined })),
  };
  return new BatchCall(batch, { name: 'n', leaseMs: 60_000, alone: [{ limit: tokens, count: 4 }] });
}

describe('the script call of a batch', () => {
  it('contains each limit once, and each request with the positions of its limits', () => {
    const call = callOf({
      begun: [request('x', [requests, tokens], 50), request('y', [tokens, concurrent], 60)],
    });
    expect(call.keys.slice(1).map((key) => key.slice(key.indexOf('}:') + 2))).toEqual([
      'requests_per_minute:r',
      'tokens_per_minute:t',
      'concurrent_requests:c',
    ]);
    expect(new Set(call.keys.map((key) => key.slice(0, key.indexOf('}:'))))).toHaveLength(1);
    expect(JSON.parse(call.args[0] ?? '')).toEqual({
      ...{ leaseMs: 60_000, asked: 3, alone: [2, 4], ended: [], endedLeases: [] },
      ...{ begun: [50, 2, 1, 2, 60, 2, 2, 3], begunLeases: ['x', 'y'] },
      limits: ['requests_per_minute', 10, 'tokens_per_minute', 1_000, 'concurrent_requests', 3],
    });
  });

  it('uses the newest maximum of a limit that changed between two requests', () => {
    const call = callOf({ begun: [request('x', [requests]), request('y', [{ ...requests, max: 20 }])] });
    expect(JSON.parse(call.args[0] ?? '')).toMatchObject({ limits: ['requests_per_minute', 20] });
  });

  it('contains for ended requests only the limits that their end changes', () => {
    const call = callOf({
      ended: [
        [request('x', [requests, tokens, concurrent]), -30],
        [request('y', [requests, tokens, concurrent]), 0],
      ],
    });
    expect(JSON.parse(call.args[0] ?? '')).toMatchObject({
      ...{ asked: 0, ended: [-30, 2, 1, 2, 0, 1, 2], endedLeases: ['x', 'y'] },
      limits: ['tokens_per_minute', 1_000, 'concurrent_requests', 3],
    });
  });
});

describe('the response to a batch', () => {
  it('contains for each request whether it is admitted, and the standing of its limits', () => {
    const call = callOf({
      begun: [request('x', [requests, concurrent]), request('y', [requests]), request('z', [requests])],
    });
    const judgements = call.read(JSON.stringify(['110', 2, 500, 4_000, 1]));
    expect(judgements).toEqual([
      {
        isAdmitted: true,
        standings: [
          { opensInMs: 0, remaining: 1, resetsInMs: 4_000 },
          { opensInMs: 0, remaining: 0, resetsInMs: 0 },
        ],
      },
      { isAdmitted: true, standings: [{ opensInMs: 0, remaining: 0, resetsInMs: 4_000 }] },
      { isAdmitted: false, standings: [{ opensInMs: 500, remaining: 0, resetsInMs: 4_000 }] },
    ]);
  });

  it('counts tokens request by request, and a refused request takes none', () => {
    const call = callOf({ begun: [request('x', [tokens], 600), request('y', [tokens], 600)] });
    const [first, second] = call.read(JSON.stringify(['10', 0]));
    expect(first).toEqual({
      isAdmitted: true,
      standings: [{ opensInMs: 0, remaining: 400, resetsInMs: 36_000 }],
    });
    expect(second).toEqual({
      isAdmitted: false,
      standings: [{ opensInMs: 12_000, remaining: 400, resetsInMs: 36_000 }],
    });
  });
});

describe('the Redis leases of requests under way', () => {
  it('are stored by limit until their request ends, without affecting other requests', () => {
    const leases = new Leases();
    const [x, y] = [request('x', [concurrent, requests]), request('y', [concurrent])];
    leases.add(request('none', [requests]));
    expect(leases.isEmpty).toBe(true);
    leases.add(x);
    leases.add(y);
    expect([...leases.byShard()].map(([shard, cached]) => [shard, [...cached.keys()]])).toEqual([[7, ['c']]]);
    leases.remove(x);
    expect([leases.has(x), leases.has(y), leases.isEmpty]).toEqual([false, true, false]);
    leases.remove(x);
    leases.remove(y);
    expect([leases.has(y), leases.isEmpty]).toEqual([false, true]);
    leases.remove(y);
  });
});
