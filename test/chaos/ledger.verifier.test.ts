// The check of the evidence finds each way in which the promise can be broken, and reports nothing when the promise is
// kept.
import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../support/recorded.ts';
import type { Call } from './ledger.callers.ts';
import type { WindowState } from './ledger.state.ts';
import { type Evidence, verify } from './ledger.verifier.ts';

const reported = { promptTokens: 10, completionTokens: 5 };
const cost = 310_000;
const payer = { name: 'key', key: 'made-up', budgets: ['budget'] };
const free = { name: 'free', key: 'made-up', budgets: [] };
const alive = { tokenId: 'alive', killedAt: undefined };
const killed = { tokenId: 'killed', killedAt: 30_000 };

const call = (name: string, fields: Partial<Call> = {}): Call => ({
  ...{ name, payer, run: alive, reported, outcome: '200', endedAt: 1_000 },
  ...fields,
});

const row = (requestId: string, fields: Partial<RecordedRequest> = {}): RecordedRequest => ({
  ...{
    requestId,
    at: '2026-11-20T10:00:00.000Z',
    keyId: 'key',
    provider: 'gpt-provider',
    modelAsked: 'model',
  },
  ...{ ...reported, costUsd: '0.00031', unpriced: false, estimated: false, status: 200, errorSource: '' },
  ...{ errorCode: '', latencyMs: 1, streamed: false, directKey: false },
  ...fields,
});

const ledger = (fields: Partial<WindowState> = {}): WindowState => ({
  ...{ budget: 'budget', window: 'total', amount: 1_000_000, spent: cost, leased: 0, unsettled: 0 },
  ...{ recorded: cost, open: 0, expired: 0 },
  ...fields,
});

const request = (ended: 'finished' | 'client_left', times = 1) => ({
  times,
  request: {
    ...{
      method: 'POST',
      target: '/',
      headers: {},
      rawHeaders: [],
      body: Buffer.alloc(0),
      status: 200,
      ended,
    },
    json: () => undefined,
  },
});

/** Evidence of one recorded request of a living proxy, except for the given changes. */
function faultsOf(evidence: Partial<Evidence>): readonly string[] {
  const { calls = [call('a')] } = evidence;
  const witnessed = new Map(calls.map(({ name }) => [name, request('finished')] as const));
  const whole = { witnessed, recorded: [row('a')], windows: [ledger()], reserved: [], absences: [] };
  return verify({ ...whole, ...evidence, calls }).faults;
}

const unreported = { run: killed, endedAt: 25_000 };
const lease = { tokenId: 'killed', budget: 'budget', open: cost, expired: 0 };

describe('the check of a chaos run accepts', () => {
  it.each<[string, Partial<Evidence>]>([
    ['an answer that is booked as told', {}],
    ['an answer of a killed proxy that is booked', { calls: [call('a', unreported)] }],
    ['one that is not, but held', { calls: [call('a', unreported)], recorded: [], reserved: [lease] }],
    [
      'one that is unsettled',
      { calls: [call('a', unreported)], recorded: [], reserved: [{ ...lease, open: 0, expired: cost }] },
    ],
    [
      'one without a budget that was answered just before',
      { calls: [call('a', { ...unreported, payer: free })], recorded: [] },
    ],
    [
      'one long before, with the database away since',
      {
        calls: [call('a', { payer: free, run: killed })],
        recorded: [],
        absences: [
          { name: 'PostgreSQL', from: 5_000, to: 15_000 },
          { name: 'control plane 1', from: 14_000, to: 22_000 },
        ],
      },
    ],
    [
      'a refusal that nobody booked',
      { calls: [call('a', { outcome: '402 budget_exceeded' })], recorded: [], witnessed: new Map() },
    ],
    [
      'usage that the vendor did not tell',
      { calls: [call('a', { reported: null })], recorded: [row('a', { estimated: true })] },
    ],
  ])('%s', (_what, evidence) => expect(faultsOf(evidence)).toEqual([]));
});

describe('the check of a chaos run reports', () => {
  it.each<[string, Partial<Evidence>, RegExp]>([
    ['an answer of a living proxy is not booked', { recorded: [] }, /not in the books/],
    [
      'one that its caller left neither',
      { calls: [call('a', { outcome: 'broken' })], recorded: [] },
      /not in the books/,
    ],
    ['booked twice', { recorded: [row('a'), row('a')] }, /stands 2 times/],
    ['booked by nobody', { recorded: [row('a'), row('b')] }, /nobody asked b/],
    ['booked with other usage', { recorded: [row('a', { completionTokens: 6 })] }, /otherwise than told/],
    ['booked at another price', { recorded: [row('a', { costUsd: '0.0003' })] }, /otherwise than told/],
    ['booked by estimate', { recorded: [row('a', { estimated: true })] }, /otherwise than told/],
    ['sent twice', { witnessed: new Map([['a', request('finished', 2)]]) }, /more than once/],
    ['answered without the vendor', { witnessed: new Map() }, /without the vendor/],
    [
      'cut off at the vendor, and yet whole',
      { witnessed: new Map([['a', request('client_left')]]) },
      /without the vendor/,
    ],
    ['refused, and yet booked', { calls: [call('a', { outcome: '429 budget_busy' })] }, /was refused/],
    ['a defect', { calls: [call('a', { outcome: '500 internal_error' })] }, /met a defect/],
    ['not booked and not held', { calls: [call('a', unreported)], recorded: [] }, /answered in vain/],
    [
      'not booked and not held whole',
      { calls: [call('a', unreported)], recorded: [], reserved: [{ ...lease, open: cost - 1 }] },
      /answered in vain/,
    ],
    [
      'held of another proxy',
      { calls: [call('a', unreported)], recorded: [], reserved: [{ ...lease, tokenId: 'alive' }] },
      /answered in vain/,
    ],
    [
      'not told though there was time',
      { calls: [call('a', { payer: free, run: killed })], recorded: [] },
      /not told in time/,
    ],
    [
      'not told though there was time, and held',
      { calls: [call('a', { run: killed })], recorded: [], reserved: [lease] },
      /not told in time/,
    ],
    ['more than the amount', { windows: [ledger({ amount: cost - 1 })] }, /more than the amount/],
    [
      'a sum that is not that of usage',
      { windows: [ledger({ recorded: cost + 1 })] },
      /sum of recorded usage/,
    ],
    ['a sum that is not that of open leases', { windows: [ledger({ open: 1 })] }, /sum of open leases/],
    ['a sum that is not that of expired leases', { windows: [ledger({ unsettled: 1 })] }, /sum of expired/],
  ])('%s', (_what, evidence, fault) => expect(faultsOf(evidence).join('\n')).toMatch(fault));
});
