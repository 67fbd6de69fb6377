// What an event of a report must be, field by field.
import { describe, expect, it } from 'vitest';
import type { Violation } from '../../../../control-plane/services/errors.ts';
import { chargesMax, readUsageEvent, textLengthMax } from '../../../../control-plane/services/usage-event.ts';
import type { UsageEvent__Output } from '../../../../proto/generated/gateway/v1/UsageEvent.ts';

const uuid = '019a9d5e-0000-7000-8000-000000000001';
const whole: UsageEvent__Output = {
  ...{ id: uuid, day: '2026-11-20', at: '2026-11-20T23:59:59.999Z', session: uuid },
  ...{
    organizationId: uuid,
    keyId: uuid,
    aiSystemId: uuid,
    requestId: 'request-1',
    provider: 'gpt-provider',
  },
  ...{ modelAsked: 'gpt-provider/gpt-4o', modelAnswered: '', costNanoUsd: '9007199254740991' },
  tokens: {
    prompt: '1',
    completion: '2',
    cacheRead: '3',
    cacheWrite: '4',
    cacheWrite1h: '5',
    reasoning: '6',
  },
  ...{ unpriced: true, status: 599, errorSource: 'provider', errorCode: 'x', latencyMs: 7, firstTokenMs: 8 },
  ...{ streamed: true, directKey: true, attempts: 2, estimated: true },
  charges: [{ budgetId: uuid, window: 'total', escrowNanoUsd: '5' }],
};

function read(fields: Partial<UsageEvent__Output>) {
  const violations: Violation[] = [];
  const event = readUsageEvent({ ...whole, ...fields }, 'events[3]', violations);
  return { event, fields: violations.map(({ field }) => field) };
}

describe('an event', () => {
  it('becomes a row of the books and its charges', () => {
    const { event, fields } = read({});
    expect(fields).toEqual([]);
    expect(event.row).toEqual({
      ...{ day: '2026-11-20', id: uuid, at: Date.parse('2026-11-20T23:59:59.999Z'), session_id: uuid },
      ...{ organization_id: uuid, key_id: uuid, ai_system_id: uuid, person_id: null },
      ...{ project_key_id: null, project_ai_system_id: null, project_person_id: null },
      ...{ request_id: 'request-1', provider: 'gpt-provider', model_asked: 'gpt-provider/gpt-4o' },
      ...{ model_answered: '', prompt_tokens: 1, completion_tokens: 2, cache_read_tokens: 3 },
      ...{ cache_write_tokens: 4, cache_write1h_tokens: 5, reasoning_tokens: 6, cost: 9007199254740991 },
      ...{ unpriced: 1, status: 599, error_source: 'provider', error_code: 'x', latency_ms: 7 },
      ...{ first_token_ms: 8, streamed: 1, direct_key: 1, attempts: 2, estimated: 1 },
    });
    expect(event.charges).toEqual([{ budgetId: uuid, window: 'total', escrow: 5 }]);
  });

  it('may have no session, no tokens and no charges', () => {
    const { event, fields } = read({ session: '', tokens: null, charges: [] });
    expect(fields).toEqual([]);
    expect(event.row).toMatchObject({ session_id: '', prompt_tokens: 0, reasoning_tokens: 0 });
  });

  it('may have texts of the greatest length', () => {
    expect(read({ errorCode: 'é'.repeat(textLengthMax) }).fields).toEqual([]);
  });

  const charge = { budgetId: uuid, window: '2026-11-20', escrowNanoUsd: '0' };
  it.each<[string, Partial<UsageEvent__Output>]>([
    ['id', { id: uuid.toUpperCase() }],
    ['session', { session: 'x' }],
    ['organization_id', { organizationId: '' }],
    ['key_id', { keyId: '' }],
    ['ai_system_id', { aiSystemId: '' }],
    ['person_id', { personId: 'x' }],
    ['project_key_id', { projectKeyId: 'x' }],
    ['project_ai_system_id', { projectAiSystemId: 'x' }],
    ['project_person_id', { projectPersonId: 'x' }],
    ['day', { day: '2026-11-21' }],
    ['request_id', { requestId: 'x'.repeat(textLengthMax + 1) }],
    ['provider', { provider: 'a\0b' }],
    ['model_asked', { modelAsked: '\ud800' }],
    ['model_answered', { modelAnswered: 'x'.repeat(textLengthMax + 1) }],
    ['error_code', { errorCode: 'x'.repeat(textLengthMax + 1) }],
    ['error_source', { errorSource: 'caller' }],
    ['status', { status: 600 }],
    ['cost_nano_usd', { costNanoUsd: '9007199254740992' }],
    ['cost_nano_usd', { costNanoUsd: '' }],
    ['cost_nano_usd', { costNanoUsd: '1e3' }],
    ['tokens.prompt', { tokens: { ...whole.tokens, prompt: '18446744073709551615' } as never }],
    ['charges', { charges: Array.from({ length: chargesMax + 1 }, () => charge) }],
    ['charges[0].budget_id', { charges: [{ ...charge, budgetId: 'x' }] }],
    ['charges[0].window', { charges: [{ ...charge, window: '2026-02-30' }] }],
    ['charges[1].escrow_nano_usd', { charges: [charge, { ...charge, escrowNanoUsd: '-1' }] }],
  ])('is refused by its %s', (field, wrong) => {
    expect(read(wrong).fields).toEqual([`events[3].${field}`]);
  });

  it('is refused by its time, with which its day cannot be', () => {
    expect(read({ at: 'yesterday' }).fields).toEqual(['events[3].at', 'events[3].day']);
  });
});
