// Over the wire and back, so that the test sees what the control plane sees, and what the client sees of its answers.
import { describe, expect, it } from 'vitest';
import { services } from '../../../../proto/load.ts';
import {
  decodeDraw,
  decodeReport,
  decodeReturn,
  decodeSession,
  encodeDraw,
  encodeEvent,
  encodeReturn,
} from '../../../../proxy/access/wire-ledger.ts';
import { usageOf } from '../../../support/usage-queue.ts';

const { Draw, KeepSession, ReportUsage, Return } = services.Ledger;
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
  const report = ReportUsage.responseDeserialize(ReportUsage.responseSerialize({ recorded: 3, now }));
  expect(decodeReport(report)).toEqual({ recorded: 3, now: at });
});

describe('a usage event', () => {
  const sent = (fields: Parameters<typeof usageOf>[0]) => {
    const events = [encodeEvent(usageOf(fields))];
    const { events: arrived } = ReportUsage.requestDeserialize(ReportUsage.requestSerialize({ events }));
    return arrived[0];
  };

  it('arrives with everything that it says', () => {
    const event = {
      ...{ id: 'id', day: '2026-11-20', session: 's', organizationId: 'o', keyId: 'k', aiSystemId: 'a' },
      ...{ personId: 'p', projectKeyId: 'pk', projectAiSystemId: 'pa', projectPersonId: 'pp' },
      ...{ requestId: 'r', provider: 'gpt-provider', modelAsked: 'asked', modelAnswered: 'answered' },
      ...{ unpriced: true, status: 499, errorSource: 'gateway', errorCode: 'code', streamed: true },
      ...{ directKey: true, attempts: 3, estimated: true },
    };
    const tokens = { promptTokens: 1, completionTokens: 2, cacheReadTokens: 3 };
    const charges = [{ budgetId: 'b', window: 'total', escrow: largest }];
    const further = { cacheWriteTokens: 4, cacheWrite1hTokens: 5, reasoningTokens: 6, cost: largest };
    expect(
      sent({ ...event, ...tokens, ...further, at, latencyMs: 12.6, firstTokenMs: 3.4, charges }),
    ).toMatchObject({
      ...event,
      at: now,
      latencyMs: 13,
      firstTokenMs: 3,
      tokens: {
        ...{ prompt: '1', completion: '2', cacheRead: '3', cacheWrite: '4', cacheWrite1h: '5' },
        reasoning: '6',
      },
      costNanoUsd: '9000000000000000',
      charges: [{ budgetId: 'b', window: 'total', escrowNanoUsd: '9000000000000000' }],
    });
  });

  it('leaves out what there is none of', () => {
    const arrived = sent({ charges: [] });
    for (const absent of ['aiSystemId', 'personId', 'projectKeyId', 'firstTokenMs'])
      expect(arrived).not.toHaveProperty(absent);
    expect(arrived?.charges).toEqual([]);
  });
});
