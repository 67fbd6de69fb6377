// Over the wire and back, so that the test sees what the control plane sees, and what the client sees of its answers.
import { describe, expect, it } from 'vitest';
import { services } from '../../../../proto/load.ts';
import {
  decodeDraw,
  decodeReturn,
  decodeSession,
  encodeDraw,
  encodeReturn,
} from '../../../../proxy/access/wire-ledger.ts';

const { Draw, KeepSession, Return } = services.Ledger;
const operation = { session: 's', budgetId: 'b', window: '2026-11-20', seq: 7 };
const now = '2026-11-20T10:00:00.123Z';
const at = Date.parse(now);
const largest = 9_000_000_000_000_000;

describe('an operation', () => {
  it('carries money to the nano-dollar', () => {
    const draw = encodeDraw({ ...operation, need: 1, want: largest });
    expect(Draw.requestDeserialize(Draw.requestSerialize(draw))).toEqual({
      ...operation,
      seq: '7',
      needNanoUsd: '1',
      wantNanoUsd: '9000000000000000',
    });
    const giveBack = encodeReturn({ ...operation, amount: largest });
    expect(Return.requestDeserialize(Return.requestSerialize(giveBack))).toEqual({
      ...operation,
      seq: '7',
      amountNanoUsd: '9000000000000000',
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
  ] as const)('is answered %s', (wire, outcome) => {
    const answer = { outcome: `DRAW_OUTCOME_${wire}`, grantedNanoUsd: String(largest), now } as const;
    expect(decodeDraw(Draw.responseDeserialize(Draw.responseSerialize(answer)))).toEqual({
      outcome,
      granted: largest,
      now: at,
    });
  });

  it.each([
    ['an outcome that is unknown', { grantedNanoUsd: '1', now }],
    ['half a nano-dollar', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '0.5', now }],
    ['less than nothing', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '-1', now }],
    ['more than numbers hold', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '9007199254740993', now }],
    ['no time', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '1' }],
    ['a time that is none', { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '1', now: 'noon' }],
  ] as const)('answered with %s is not answered', (_, answer) => {
    expect(() => decodeDraw(Draw.responseDeserialize(Draw.responseSerialize(answer)))).toThrow();
  });
});

it('answers tell the clock of the database', () => {
  const session = KeepSession.responseDeserialize(KeepSession.responseSerialize({ open: true, now }));
  expect(decodeSession(session)).toEqual({ open: true, now: at });
  const returned = Return.responseDeserialize(Return.responseSerialize({ returnedNanoUsd: '5', now }));
  expect(decodeReturn(returned)).toEqual({ returned: 5, now: at });
});
