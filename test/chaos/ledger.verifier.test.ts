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
  ...{ budget: 'budget', window: 'total', amount: 1_000_000, spent: cost, leased: 0, unconfirmed: 0 },
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
    ['a response that is recorded once with the reported usage', {}],
    ['a response of a killed proxy that is recorded', { calls: [call('a', unreported)] }],
    [
      'a response that a killed proxy did not report, whose cost is in an open lease',
      { calls: [call('a', unreported)], recorded: [], reserved: [lease] },
    ],
    [
      'a response that a killed proxy did not report, whose cost is in an expired lease',
      { calls: [call('a', unreported)], recorded: [], reserved: [{ ...lease, open: 0, expired: cost }] },
    ],
    [
      'a response without a budget that a proxy did not report, killed just afterwards',
      { calls: [call('a', { ...unreported, payer: free })], recorded: [] },
    ],
    [
      'a response without a budget that a proxy did not report, killed long afterwards, without a database until then',
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
      'a refusal that is not recorded',
      { calls: [call('a', { outcome: '402 budget_exceeded' })], recorded: [], witnessed: new Map() },
    ],
    [
      'an estimate of usage that the vendor did not report',
      { calls: [call('a', { reported: null })], recorded: [row('a', { estimated: true })] },
    ],
  ])('%s', (_what, evidence) => expect(faultsOf(evidence)).toEqual([]));
});

describe('the check of a chaos run reports', () => {
  it.each<[string, Partial<Evidence>, RegExp]>([
    ['a response of a living proxy that is not recorded', { recorded: [] }, /not in the ledger/],
    [
      'a request of a living proxy whose caller left and that is not recorded',
      { calls: [call('a', { outcome: 'broken' })], recorded: [] },
      /not in the ledger/,
    ],
    ['a request that is recorded twice', { recorded: [row('a'), row('a')] }, /recorded 2 times/],
    ['usage that is recorded without a request', { recorded: [row('a'), row('b')] }, /no caller requested/],
    [
      'recorded tokens that differ from the reported ones',
      { recorded: [row('a', { completionTokens: 6 })] },
      /otherwise than reported/,
    ],
    [
      'a recorded cost that differs from the reported one',
      { recorded: [row('a', { costUsd: '0.0003' })] },
      /otherwise than reported/,
    ],
    [
      'a recorded estimate although the vendor reported usage',
      { recorded: [row('a', { estimated: true })] },
      /otherwise than reported/,
    ],
    [
      'a request that was sent to the vendor twice',
      { witnessed: new Map([['a', request('finished', 2)]]) },
      /more than once/,
    ],
    ['a response to a request that was not sent to the vendor', { witnessed: new Map() }, /without the vendor/],
    [
      'a whole response although the gateway left the vendor early',
      { witnessed: new Map([['a', request('client_left')]]) },
      /without the vendor/,
    ],
    ['a refusal that is recorded', { calls: [call('a', { outcome: '429 budget_busy' })] }, /was refused/],
    ['an internal error', { calls: [call('a', { outcome: '500 internal_error' })] }, /met a defect/],
    [
      'cost that is neither recorded nor in a lease',
      { calls: [call('a', unreported)], recorded: [] },
      /leases contain 0/,
    ],
    [
      'cost that is not recorded and only in part in a lease',
      { calls: [call('a', unreported)], recorded: [], reserved: [{ ...lease, open: cost - 1 }] },
      /leases contain 309999/,
    ],
    [
      'cost that is not recorded and in the lease of another proxy',
      { calls: [call('a', unreported)], recorded: [], reserved: [{ ...lease, tokenId: 'alive' }] },
      /leases contain 0/,
    ],
    [
      'a response without a budget that a killed proxy did not report though it had time',
      { calls: [call('a', { payer: free, run: killed })], recorded: [] },
      /not reported in time/,
    ],
    [
      'a response that a killed proxy did not report though it had time, whose cost is in a lease',
      { calls: [call('a', { run: killed })], recorded: [], reserved: [lease] },
      /not reported in time/,
    ],
    [
      'a window with more money spent and leased than its amount',
      { windows: [ledger({ amount: cost - 1 })] },
      /more than the amount/,
    ],
    [
      'spent money that is not the sum of recorded usage',
      { windows: [ledger({ recorded: cost + 1 })] },
      /sum of recorded usage/,
    ],
    ['leased money that is not the sum of open leases', { windows: [ledger({ open: 1 })] }, /sum of open leases/],
    [
      'unconfirmed money that is not the sum of expired leases',
      { windows: [ledger({ unconfirmed: 1 })] },
      /sum of expired/,
    ],
  ])('%s', (_what, evidence, fault) => expect(faultsOf(evidence).join('\n')).toMatch(fault));
});
