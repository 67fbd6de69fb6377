// Messages are serialized as on the wire, so that the test sees the control plane's view of a request and the client's
// view of a response.
import { describe, expect, it } from 'vitest';
import { services } from '../../../../proto/load.ts';
import {
  decodeAcquire,
  decodeEnd,
  decodeReturn,
  decodeSession,
  encodeAcquire,
  encodeEnd,
  encodeReturn,
} from '../../../../proxy/control-plane/wire-ledger.ts';

const { Ledger } = services;
const operation = { session: 's', budgetId: 'b', window: '2026-11-20', seq: 7 };
const now = '2026-11-20T10:00:00.123Z';
const at = Date.parse(now);
const largest = 9_000_000_000_000_000;

describe('an operation at the ledger', () => {
  it('carries money to the nano-dollar', () => {
    const acquire = encodeAcquire({ ...operation, shut: largest, need: 1, want: largest });
    expect(Ledger.Draw.requestDeserialize(Ledger.Draw.requestSerialize(acquire))).toEqual({
      ...operation,
      seq: '7',
      needNanoUsd: '1',
      wantNanoUsd: '9000000000000000',
      shutNanoUsd: '9000000000000000',
      _shutNanoUsd: 'shutNanoUsd',
    });
    const release = encodeReturn({ ...operation, shut: 3, amount: largest });
    expect(Ledger.Return.requestDeserialize(Ledger.Return.requestSerialize(release))).toEqual({
      ...operation,
      seq: '7',
      amountNanoUsd: '9000000000000000',
      shutNanoUsd: '3',
      _shutNanoUsd: 'shutNanoUsd',
    });
  });

  it.each([
    ['GRANTED', 'granted'],
    ['EXCEEDED', 'exceeded'],
    ['BUSY', 'busy'],
    ['GONE', 'gone'],
    ['WINDOW', 'window'],
    ['DELETED', 'deleted'],
    ['LOST', 'lost'],
    ['IGNORED', 'ignored'],
  ] as const)('gets the outcome %s', (wire, outcome) => {
    const response = { outcome: `DRAW_OUTCOME_${wire}`, grantedNanoUsd: String(largest), now } as const;
    expect(decodeAcquire(Ledger.Draw.responseDeserialize(Ledger.Draw.responseSerialize(response)))).toEqual({
      outcome,
      granted: largest,
      now: at,
      epoch: '',
      attainable: undefined,
    });
  });

  it.each([
    ['an outcome that is unknown', { grantedNanoUsd: '1', now }],
    ['half a nano-dollar', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '0.5', now }],
    ['a negative amount', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '-1', now }],
    ['an amount above the safe integers', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '9007199254740993', now }],
    ['no time', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '1' }],
    ['an invalid time', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '1', now: 'noon' }],
  ] as const)('counts as unacknowledged when its response has %s', (_, response) => {
    expect(() => decodeAcquire(Ledger.Draw.responseDeserialize(Ledger.Draw.responseSerialize(response)))).toThrow();
  });
});

describe('responses of the ledger', () => {
  const session = (fields: object) =>
    Ledger.KeepSession.responseDeserialize(Ledger.KeepSession.responseSerialize({ open: true, now, ...fields }));

  it('contain the time and the epoch of the database', () => {
    const parsed = { sessions: 3, epoch: 'e', leasedNanoUsd: '9000000000000000' };
    expect(decodeSession(session(parsed))).toEqual({
      ...{ open: true, now: at, epoch: 'e', sessions: 3, leased: largest },
    });
    const response = { returnedNanoUsd: '5', now, epoch: 'e' };
    const returned = Ledger.Return.responseDeserialize(Ledger.Return.responseSerialize(response));
    expect(decodeReturn(returned)).toEqual({ returned: 5, now: at, epoch: 'e' });
  });

  it('of an older control plane lack some fields', () => {
    expect(decodeSession(session({}))).toEqual({
      ...{ open: true, now: at, epoch: '', sessions: 0, leased: undefined },
    });
  });

  it('to a busy acquire operation contain the attainable amount', () => {
    const outcome = 'DRAW_OUTCOME_BUSY';
    const response = { outcome, grantedNanoUsd: '0', now, attainableNanoUsd: '7' } as const;
    const busy = decodeAcquire(Ledger.Draw.responseDeserialize(Ledger.Draw.responseSerialize(response)));
    expect(busy).toMatchObject({ outcome: 'busy', attainable: 7 });
  });
});

it('the end of a session reports the outstanding money', () => {
  const end = {
    session: 's',
    outstanding: [{ budgetId: 'b', window: 'total', amount: largest }],
    andOthers: true,
  };
  expect(Ledger.CloseSession.requestDeserialize(Ledger.CloseSession.requestSerialize(encodeEnd(end)))).toEqual({
    ...{ session: 's', andOthers: true },
    outstanding: [{ budgetId: 'b', window: 'total', outstandingNanoUsd: '9000000000000000' }],
  });
  const response = Ledger.CloseSession.responseSerialize({ freedNanoUsd: '4', now, epoch: 'e' });
  expect(decodeEnd(Ledger.CloseSession.responseDeserialize(response))).toEqual({
    freed: 4,
    now: at,
    epoch: 'e',
  });
});
