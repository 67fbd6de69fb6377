// When the batch queue sends requests to Redis, and which ones it sends together.
import { beforeEach, describe, expect, it } from 'vitest';
import { BatchQueue, requestsInCallMax, tokensWaitMs } from '../../../../proxy/rates/batch-queue.ts';
import type { CountedRequest, RateBatch } from '../../../../proxy/rates/rate-batch.ts';
import { newSlotLimit } from '../../../support/rates.ts';
import { settle, VirtualTime } from '../../../support/virtual-time.ts';

let time: VirtualTime;
let sent: RateBatch[];
let batchQueue: BatchQueue;

beforeEach(() => {
  time = new VirtualTime();
  sent = [];
  batchQueue = new BatchQueue({ timers: time, send: (batch) => sent.push(batch) });
});

const request = (name: string, shard = 0): CountedRequest => ({ name, shard, limits: [], tokens: 0 });
const begin = (name: string, shard?: number) =>
  batchQueue.begin({ request: request(name, shard), resolve: () => undefined, reject: () => undefined });
const end = (name: string, shard?: number) => batchQueue.end({ request: request(name, shard), correction: 1 });
const endOfSlot = (name: string) =>
  batchQueue.end({ request: { ...request(name), limits: [newSlotLimit(1)] }, correction: 0 });
const names = (requests: readonly { readonly request: CountedRequest }[]) =>
  requests.map(({ request: { name } }) => name).join(' ');
const reported = () => sent.map(({ shard, ended, begun }) => `${shard}: -${names(ended)} +${names(begun)}`);

describe('requests that begin', () => {
  it('are sent at the end of the tick, all of a shard together and in order', async () => {
    begin('a');
    await Promise.resolve();
    begin('b', 7);
    begin('c');
    expect(reported()).toEqual([]);
    await settle();
    expect(reported()).toEqual(['0: - +a c', '7: - +b']);
    begin('d');
    await settle();
    expect(reported()).toHaveLength(3);
  });

  it('are sent together with ended requests of the same shard, and not of others', async () => {
    end('a');
    end('b', 7);
    await time.advance(tokensWaitMs - 1);
    begin('c');
    end('d');
    await settle();
    expect(reported()).toEqual(['0: -a d +c']);
    await time.advance(1);
    expect(reported()).toEqual(['0: -a d +c', '7: -b +']);
  });
});

describe('requests that have ended', () => {
  it('are sent at the end of the tick when they free a slot, which another proxy may need', async () => {
    end('a');
    end('b', 7);
    endOfSlot('c');
    expect(reported()).toEqual([]);
    await settle();
    expect(reported()).toEqual(['0: -a c +']);
  });

  it('are sent together after a short wait otherwise', async () => {
    end('a');
    await time.advance(tokensWaitMs - 1);
    end('b');
    expect(reported()).toEqual([]);
    await time.advance(1);
    expect(reported()).toEqual(['0: -a b +']);
    await time.advance(60_000);
    expect(sent).toHaveLength(1);
  });

  it('are sent at once when the queue is closed, and afterwards', () => {
    end('a');
    batchQueue.close();
    expect(reported()).toEqual(['0: -a +']);
    end('b');
    expect(reported()).toEqual(['0: -a +', '0: -b +']);
  });
});

describe('a script call of the batch queue', () => {
  it('has a maximum number of requests, with all ended ones before those that begin', async () => {
    for (let i = 0; i < requestsInCallMax + 8; i++) {
      begin(`b${i}`);
      end(`e${i}`);
    }
    await settle();
    const sizes = sent.map(({ ended, begun }) => [ended.length, begun.length]);
    expect(sizes).toEqual([
      [requestsInCallMax, 0],
      [8, requestsInCallMax - 8],
      [0, 16],
    ]);
    expect(
      sent
        .flatMap(({ begun }) => names(begun))
        .join(' ')
        .trim()
        .split(/ +/),
    ).toEqual(Array.from({ length: requestsInCallMax + 8 }, (_, i) => `b${i}`));
  });

  it('with exactly the maximum number of requests is the only call', async () => {
    for (let i = 0; i < requestsInCallMax; i++) begin(`b${i}`);
    await settle();
    expect(sent).toHaveLength(1);
  });
});
