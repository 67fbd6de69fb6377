// Usage events for tests: one request each, alike but for what a test sets.
import { randomUUID } from 'node:crypto';
import { dayOf } from '../../common/budget-window.ts';
import type { UsageEventRow } from '../../control-plane/usage/record.ts';

export const organizationId = 'organization-1';

export function usageEvent(fields: Partial<UsageEventRow> = {}): UsageEventRow {
  const at = fields.at ?? Date.now();
  return {
    day: dayOf(at),
    id: randomUUID(),
    at,
    session_id: 'session-1',
    organization_id: organizationId,
    key_id: 'key-1',
    ai_system_id: null,
    person_id: null,
    project_key_id: null,
    project_ai_system_id: null,
    project_person_id: null,
    request_id: 'request-1',
    provider: 'gpt-provider',
    model_asked: 'gpt-provider/gpt-4o',
    model_answered: 'gpt-4o-2026-05-01',
    prompt_tokens: 100,
    completion_tokens: 20,
    cache_read_tokens: 10,
    cache_write_tokens: 5,
    cache_write1h_tokens: 1,
    reasoning_tokens: 7,
    cost: 1_500_000,
    unpriced: 0,
    status: 200,
    error_source: '',
    error_code: '',
    latency_ms: 250,
    first_token_ms: null,
    streamed: 0,
    direct_key: 0,
    attempts: 1,
    estimated: 0,
    ...fields,
  };
}

/** A number from 0 below `end`, the same for the same seed: mulberry32. */
export function seededRandom(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
}
