// Which keys share a call of the control plane, and what becomes of the keys of a call that fails.
import { beforeEach, expect, it } from 'vitest';
import { BatchedResolves, BatchRefusedError } from '../../../../proxy/access/batched-resolves.ts';
import type { ResolvedRecords } from '../../../../proxy/access/records.ts';
import { settle, VirtualTime } from '../../../support/virtual-time.ts';

const limits = { resolvesAloneMax: 2, resolvesTogetherMax: 3 };
const asOf = { epoch: 'epoch', revision: 1 };

interface Call {
  readonly hashes: readonly string[];
  readonly timeoutMs: number;
  respond(results: ReadonlyMap<string, ResolvedRecords | Error>): void;
  fail(error: Error): void;
}

let time: VirtualTime;
let alone: string[];
let together: Call[];
let endAlone: (() => void)[];
let resolves: BatchedResolves;

beforeEach(() => {
  time = new VirtualTime();
  [alone, together, endAlone] = [[], [], []];
  resolves = new BatchedResolves({
    one: (keyHash) => {
      alone.push(keyHash);
      return new Promise((resolve) => endAlone.push(() => resolve(recordsOf(keyHash))));
    },
    many: (hashes, timeoutMs) => new Promise((respond, fail) => together.push({ hashes, timeoutMs, respond, fail })),
    clock: time,
    limits,
  });
});

const recordsOf = (keyHash: string): ResolvedRecords => ({
  asOf: { ...asOf, epoch: `epoch of ${keyHash}` },
  principal: undefined,
});
/** The outcome in a word: "a" for the records of a, or the message of the error. */
const outcomes: string[] = [];
const resolve = (...hashes: string[]) => {
  for (const hash of hashes)
    resolves.resolve(hash, 1000).then(
      (records) => outcomes.push(records.asOf.epoch.replace('epoch of ', '')),
      (error: Error) => outcomes.push(`${hash}: ${error.message}`),
    );
};
const respondAll = (call: Call | undefined, hashes = call?.hashes ?? []) =>
  call?.respond(new Map(hashes.map((hash) => [hash, recordsOf(hash)])));
const calls = () => together.map(({ hashes }) => hashes.join(' '));

beforeEach(() => void outcomes.splice(0));

it('a few keys have calls of their own; those that come meanwhile share one call after another', async () => {
  resolve('a', 'b', 'c', 'd', 'e', 'f', 'g');
  expect([alone, calls()]).toEqual([['a', 'b'], ['c']]);
  respondAll(together[0]);
  await settle();
  expect(calls()).toEqual(['c', 'd e f']);
  respondAll(together[1]);
  for (const end of endAlone) end();
  await settle();
  // Another call of its own would take the control plane's time from the call that is under way.
  resolve('h');
  respondAll(together[2]);
  await settle();
  respondAll(together[3]);
  await settle();
  expect(calls()).toEqual(['c', 'd e f', 'g', 'h']);
  expect(outcomes.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  resolve('i');
  expect(alone).toEqual(['a', 'b', 'i']);
});

it('keys that a call was not about are in the next one, before later keys', async () => {
  resolve('a', 'b', 'c', 'd', 'e', 'f');
  respondAll(together[0]);
  await settle();
  resolve('g');
  respondAll(together[1], ['d']);
  await settle();
  expect(calls()).toEqual(['c', 'd e f', 'e f g']);
});

it('a control plane that resolves no keys together gets them one at a time, for as long as it says', async () => {
  resolve('a', 'b', 'c', 'd');
  together[0]?.fail(new BatchRefusedError(500, new Error('unknown method')));
  await settle();
  resolve('e');
  expect([alone, calls()]).toEqual([['a', 'b', 'c', 'd', 'e'], ['c']]);
  for (const end of endAlone) end();
  await settle();
  expect(outcomes.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  await time.advance(500);
  resolve('f', 'g', 'h');
  expect(calls()).toEqual(['c', 'h']);
});

it('a call that fails fails its own keys, and unreadable records fail their key alone', async () => {
  resolve('a', 'b', 'c', 'd', 'e');
  together[0]?.fail(new Error('no response'));
  await settle();
  expect(outcomes).toEqual(['c: no response']);
  together[1]?.respond(
    new Map<string, ResolvedRecords | Error>([
      ['d', new Error('unreadable')],
      ['e', recordsOf('e')],
    ]),
  );
  await settle();
  expect(outcomes.toSorted()).toEqual(['c: no response', 'd: unreadable', 'e']);
});

it('a key that waited for too long is not requested, and a call has the time of its newest key', async () => {
  resolve('a', 'b', 'c', 'd');
  await time.advance(400);
  resolve('e');
  await time.advance(600);
  respondAll(together[0]);
  await settle();
  expect(together.map(({ hashes, timeoutMs }) => [hashes, timeoutMs])).toEqual([
    [['c'], 1000],
    [['e'], 400],
  ]);
  expect(outcomes.toSorted()).toEqual(['c', 'd: the key was not resolved in time']);
});
