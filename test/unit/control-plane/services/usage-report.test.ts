// Validation of usage reports, field by field.
import { describe, expect, it } from 'vitest';
import type { Violation } from '../../../../control-plane/rpc/errors.ts';
import { chargesMax, readReport, textLengthMax } from '../../../../control-plane/services/usage-report.ts';
import type { EstimateReason__Output } from '../../../../proto/generated/gateway/v1/EstimateReason.ts';
import type { UsageEvent__Output } from '../../../../proto/generated/gateway/v1/UsageEvent.ts';
import type { UsageSource__Output } from '../../../../proto/generated/gateway/v1/UsageSource.ts';
import type { UsageSpecial__Output } from '../../../../proto/generated/gateway/v1/UsageSpecial.ts';

const uuid = '019a9d5e-0000-7000-8000-000000000001';
const other = '019a9d5e-0000-7000-8000-000000000002';
const source: UsageSource__Output = {
  ...{ session: uuid, organizationId: uuid, keyId: uuid, aiSystemId: uuid, provider: 'gpt-provider' },
  ...{ modelAsked: 'gpt-provider/gpt-4o', modelAnswered: '', directKey: true, providerKeyId: other },
  shadow: false,
};
const event: UsageEvent__Output = {
  ...{ id: uuid, at: '2026-11-20T23:59:59.999Z', source: 0, requestId: 'request-1' },
  ...{ promptTokens: 1, completionTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
  ...{ cacheWrite1hTokens: 5, reasoningTokens: 6, costNanoUsd: '9007199254740991' },
  ...{ unpriced: true, status: 599, errorSource: 'provider', errorCode: 'x', latencyMs: 7, firstTokenMs: 8 },
  ...{ streamed: true, attempts: 2, estimated: true, charges: [{ slice: 1, escrowNanoUsd: '5' }] },
  ...{ estimateReason: 'ESTIMATE_REASON_TIMED_OUT', reportedCostNanoUsd: '3', tags: {} },
};
const slices = [
  { budgetId: uuid, window: '2026-11-20' },
  { budgetId: uuid, window: 'total' },
];

function read(report: Partial<Parameters<typeof readReport>[0]>) {
  const violations: Violation[] = [];
  const read = readReport({ events: [event], sources: [source], slices, ...report }, violations);
  return { read, fields: violations.map(({ field }) => field) };
}
const eventWith = (fields: Partial<UsageEvent__Output>) => ({ events: [event, { ...event, ...fields }] });
const sourceWith = (fields: Partial<UsageSource__Output>) => ({
  sources: [source, { ...source, ...fields }],
});

describe('a usage report', () => {
  it('becomes rows of the ledger and their charges', () => {
    const { read: events, fields } = read({});
    expect(fields).toEqual([]);
    const row = {
      ...{ day: '2026-11-20', id: uuid, at: Date.parse('2026-11-20T23:59:59.999Z'), session_id: uuid },
      ...{ organization_id: uuid, key_id: uuid, ai_system_id: uuid, person_id: null },
      ...{ project_key_id: null, project_ai_system_id: null, project_person_id: null },
      ...{ request_id: 'request-1', provider: 'gpt-provider', model_asked: 'gpt-provider/gpt-4o' },
      ...{ model_answered: '', prompt_tokens: 1, completion_tokens: 2, cache_read_tokens: 3 },
      ...{ cache_write_tokens: 4, cache_write1h_tokens: 5, reasoning_tokens: 6, cost: 9007199254740991 },
      ...{ unpriced: 1, status: 599, error_source: 'provider', error_code: 'x', latency_ms: 7 },
      ...{ first_token_ms: 8, streamed: 1, direct_key: 1, attempts: 2, estimated: 1 },
      ...{ estimate_reason: 'timed_out', reported_cost: 3, special: null, provider_key_id: other },
      guardrail_id: null,
      shadow: 0,
    };
    expect(events).toEqual([{ row, charges: [{ budgetId: uuid, window: 'total', escrow: 5 }] }]);
  });

  it('contains the tags of its request, without what no tag can be', () => {
    const sent = {
      ...{ feature: ' search ', user: 'a'.repeat(200), Feature: 'x', 'no name': 'x', empty: ' ', hidden: 'a\u0000b' },
      ...JSON.parse('{"__proto__": "x"}'),
    };
    const { read: events, fields } = read({ events: [{ ...event, tags: sent }] });
    expect(fields).toEqual([]);
    expect(events[0]?.row.tags).toEqual({ feature: 'search', user: 'a'.repeat(128) });
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`tag-${nth}`, 'x']));
    const [bounded] = read({ events: [{ ...event, tags: many }] }).read;
    expect(Object.keys(bounded?.row.tags ?? {})).toHaveLength(8);
    expect(read({}).read[0]?.row).not.toHaveProperty('tags');
  });

  it('gives each event the fields of its source, and its own time', () => {
    const second = { ...event, source: 1, at: '2026-11-21T00:00:00.000Z', charges: [] };
    const { read: events } = read({
      ...sourceWith({ keyId: other, session: '' }),
      events: [event, second, event],
    });
    expect(events.map(({ row: { day, key_id, session_id } }) => [day, key_id, session_id])).toEqual([
      ['2026-11-20', uuid, uuid],
      ['2026-11-21', other, ''],
      ['2026-11-20', uuid, uuid],
    ]);
    expect(events.map(({ charges }) => charges.length)).toEqual([1, 0, 1]);
  });

  it('stores amounts with special prices when they are not zero, and drops unknown words', () => {
    const special: UsageSpecial__Output = {
      ...{ serviceTier: 'priority', region: '', searches: 3, images: 0, cacheWrite12hTokens: 0 },
      ...{
        audioPromptTokens: 0,
        audioCacheReadTokens: 0,
        audioCompletionTokens: 5,
        imageCompletionTokens: 0,
      },
    };
    const odd = {
      ...special,
      serviceTier: '=cmd|x',
      region: 'U\u0000S',
      searches: 0,
      audioCompletionTokens: 0,
    };
    const none = { ...odd, serviceTier: '', region: '' };
    const { read: events, fields } = read({
      events: [special, odd, none, null].map((one) => ({ ...event, special: one })),
    });
    expect(fields).toEqual([]);
    expect(events.map(({ row }) => row.special)).toEqual([
      '{"serviceTier":"priority","searches":3,"audioCompletionTokens":5}',
      '{"serviceTier":"unknown","region":"unknown"}',
      ...[null, null],
    ]);
  });

  it('stores no estimate reason when its proxy sent none or an unknown one', () => {
    const { estimateReason: _, reportedCostNanoUsd: __, ...silent } = event;
    const newer = { ...event, estimateReason: 99 as unknown as EstimateReason__Output };
    const { read: events, fields } = read({ events: [silent, newer] });
    expect(fields).toEqual([]);
    expect(events.map(({ row }) => [row.estimated, row.estimate_reason, row.reported_cost])).toEqual([
      [1, null, null],
      [1, null, 3],
    ]);
  });

  it('accepts texts of the greatest length and the greatest number of tokens', () => {
    const longest = { errorCode: 'é'.repeat(textLengthMax), promptTokens: 2 ** 32 - 1 };
    expect(read(eventWith(longest)).fields).toEqual([]);
  });

  it.each<[string, Partial<UsageSource__Output>]>([
    ['session', { session: 'x' }],
    ['organization_id', { organizationId: '' }],
    ['key_id', { keyId: '' }],
    ['ai_system_id', { aiSystemId: '' }],
    ['person_id', { personId: 'x' }],
    ['project_key_id', { projectKeyId: 'x' }],
    ['project_ai_system_id', { projectAiSystemId: 'x' }],
    ['project_person_id', { projectPersonId: 'x' }],
    ['provider', { provider: 'a\0b' }],
    ['model_asked', { modelAsked: '\ud800' }],
    ['model_answered', { modelAnswered: 'x'.repeat(textLengthMax + 1) }],
  ])('is refused for the %s of a source', (field, wrong) => {
    expect(read(sourceWith(wrong)).fields).toEqual([`sources[1].${field}`]);
  });

  it.each([
    ['budget_id', { budgetId: 'x' }],
    ['window', { window: '2026-02-30' }],
    ['window', { window: '' }],
  ])('is refused for the %s of a lease', (field, wrong) => {
    const changed = [...slices, { budgetId: uuid, window: 'total', ...wrong }];
    expect(read({ slices: changed }).fields).toEqual([`slices[2].${field}`]);
  });

  const charge = { slice: 0, escrowNanoUsd: '0' };
  it.each<[string, Partial<UsageEvent__Output>]>([
    ['id', { id: uuid.toUpperCase() }],
    ['at', { at: 'yesterday' }],
    ['source', { source: 1 }],
    ['request_id', { requestId: 'x'.repeat(textLengthMax + 1) }],
    ['error_code', { errorCode: 'x'.repeat(textLengthMax + 1) }],
    ['error_source', { errorSource: 'caller' }],
    ['status', { status: 600 }],
    ['cost_nano_usd', { costNanoUsd: '9007199254740992' }],
    ['cost_nano_usd', { costNanoUsd: '' }],
    ['cost_nano_usd', { costNanoUsd: '1e3' }],
    ['reported_cost_nano_usd', { reportedCostNanoUsd: '' }],
    ['charges', { charges: Array.from({ length: chargesMax + 1 }, () => charge) }],
    ['charges[0].slice', { charges: [{ ...charge, slice: 2 }] }],
    ['charges[1].escrow_nano_usd', { charges: [charge, { ...charge, escrowNanoUsd: '-1' }] }],
  ])('is refused for the %s of an event', (field, wrong) => {
    expect(read(eventWith(wrong)).fields).toEqual([`events[1].${field}`]);
  });
});
