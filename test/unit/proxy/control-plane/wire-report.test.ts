// A usage report is encoded with the contract's messages: nothing is lost, and shared fields are sent once.
import { describe, expect, it } from 'vitest';
import { services } from '../../../../proto/load.ts';
import { decodeReport, encodeReport } from '../../../../proxy/control-plane/wire-report.ts';
import { nothingSpecial } from '../../../../proxy/conversation/usage.ts';
import { usageOf } from '../../../support/usage-queue.ts';

const { ReportUsage } = services.Ledger;
const now = '2026-11-20T10:00:00.123Z';
const at = Date.parse(now);
const largest = 9_000_000_000_000_000;

function sent(...events: readonly Parameters<typeof usageOf>[0][]) {
  return ReportUsage.requestDeserialize(
    ReportUsage.requestSerialize(encodeReport(events.map((fields) => usageOf(fields)))),
  );
}

it('a response to a usage report contains the database’s time and epoch', () => {
  const response = ReportUsage.responseDeserialize(ReportUsage.responseSerialize({ recorded: 3, now, epoch: 'e' }));
  expect(decodeReport(response)).toEqual({ recorded: 3, now: at, epoch: 'e' });
  expect(() => decodeReport({ recorded: 3, now: '', epoch: '' })).toThrow();
});

describe('a usage event in a report', () => {
  it('arrives with the tags of its request', () => {
    const [search, chat] = [{ feature: 'search', user: 'é漢' }, { feature: 'chat' }];
    const arrived = sent({ tags: search }, { tags: chat }, {}, { tags: { ...search } });
    expect(arrived.events.map(({ tags }) => tags)).toEqual([search, chat, {}, search]);
    expect(arrived.sources).toHaveLength(1);
  });

  it('arrives with all its fields', () => {
    const source = {
      ...{ session: 's', organizationId: 'o', keyId: 'k', aiSystemId: 'a', personId: 'p' },
      ...{ projectKeyId: 'pk', projectAiSystemId: 'pa', projectPersonId: 'pp', directKey: true },
      ...{ provider: 'gpt-provider', modelAsked: 'requested', modelAnswered: 'served', providerKeyId: 'v' },
    };
    const same = {
      ...{ id: 'id', requestId: 'r', unpriced: true, status: 499, errorSource: 'gateway', errorCode: 'code' },
      ...{ streamed: true, attempts: 3, estimated: true, promptTokens: 1, completionTokens: 2 },
      ...{ cacheReadTokens: 3, cacheWriteTokens: 4, cacheWrite1hTokens: 5, reasoningTokens: 6 },
    };
    const charges = [{ budgetId: 'b', window: 'total', escrow: largest }];
    const estimate = { estimateReason: 'timed_out', reportedCost: 5, ordinal: 7 } as const;
    const special = {
      ...nothingSpecial,
      serviceTier: 'priority',
      region: 'us',
      searches: 2,
      images: 2 ** 40,
    } as const;
    const others = { special, cost: largest, at, latencyMs: 12.6, firstTokenMs: 3.4, charges };
    const arrived = sent({ ...source, ...same, ...others, ...estimate });
    expect(arrived.events).toMatchObject([
      {
        ...same,
        ...{ estimateReason: 'ESTIMATE_REASON_TIMED_OUT', reportedCostNanoUsd: '5', ordinal: '7' },
        special: {
          ...{ serviceTier: 'priority', region: 'us', searches: 2, images: 2 ** 32 - 1 },
          audioPromptTokens: 0,
        },
        ...{ at: now, source: 0, latencyMs: 13, firstTokenMs: 3, costNanoUsd: '9000000000000000' },
        charges: [{ slice: 0, escrowNanoUsd: '9000000000000000' }],
      },
    ]);
    expect(arrived.sources).toMatchObject([source]);
    expect(arrived.slices).toEqual([{ budgetId: 'b', window: 'total' }]);
  });

  it('omits fields without a value', () => {
    const { events, sources, slices: leases } = sent({ charges: [] });
    for (const absent of ['aiSystemId', 'personId', 'projectKeyId', 'projectPersonId', 'providerKeyId'])
      expect(sources[0]).not.toHaveProperty(absent);
    for (const absent of ['firstTokenMs', 'estimateReason', 'reportedCostNanoUsd', 'ordinal', 'special'])
      expect(events[0]).not.toHaveProperty(absent);
    expect(events[0]).toMatchObject({ charges: [], errorSource: '', unpriced: false });
    expect(leases).toEqual([]);
  });

  it('arrives with the largest token count of the message when its provider reported more', () => {
    expect(sent({ promptTokens: 2 ** 40 }).events).toMatchObject([{ promptTokens: 2 ** 32 - 1 }]);
  });
});

describe('fields that usage events share', () => {
  const common = {
    ...{ session: 's', organizationId: 'o', keyId: 'k', aiSystemId: 'a', personId: 'p' },
    ...{ projectKeyId: 'pk', projectAiSystemId: 'pa', projectPersonId: 'pp', directKey: false },
    ...{ provider: 'gpt-provider', modelAsked: 'requested', modelAnswered: 'served', providerKeyId: 'v' },
  };

  it('are sent once', () => {
    const { events, sources, slices: leases } = sent(common, { ...common, at: 5, cost: 1 }, common);
    expect(events.map(({ source }) => source)).toEqual([0, 0, 0]);
    expect(sources).toHaveLength(1);
    expect(leases).toHaveLength(1);
  });

  it.each(Object.entries(common))('are sent separately for events with another %s', (field, value) => {
    const changed = { ...common, [field]: value === false ? true : 'another' };
    const { events, sources } = sent(common, changed, common, changed);
    expect(events.map(({ source }) => source)).toEqual([0, 1, 0, 1]);
    expect(sources[0]).toMatchObject(common);
    expect(sources[1]).toMatchObject(changed);
  });

  it('leases are sent separately for each window of a budget and each budget of a window', () => {
    const of = (budgetId: string, window: string) => ({ budgetId, window, escrow: 1 });
    const first = { charges: [of('a', 'total'), of('b', 'total'), of('a', '2026-11-20')] };
    const second = { charges: [of('a', '2026-11-20'), of('a', 'total')] };
    const { events, slices: leases } = sent(first, second);
    expect(events.map(({ charges }) => charges.map(({ slice: lease }) => lease))).toEqual([
      [0, 1, 2],
      [2, 0],
    ]);
    expect(leases.map(({ budgetId, window }) => `${budgetId} ${window}`)).toEqual([
      'a total',
      'b total',
      'a 2026-11-20',
    ]);
  });
});
