// Usage events for tests: one request each, equal except for the fields that a test sets.
import { randomUUID } from 'node:crypto';
import { dayOf } from '../../common/budget-window.ts';
import { systemClock } from '../../common/clock.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { createUsageDays } from '../../control-plane/usage/partitions.ts';
import { recordUsage } from '../../control-plane/usage/record.ts';
import type { TaggedEventRow } from '../../control-plane/usage/tagged-event.ts';

export const organizationId = 'organization-1';

export function usageEvent(fields: Partial<TaggedEventRow> = {}): TaggedEventRow {
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
    estimate_reason: null,
    reported_cost: null,
    provider_key_id: null,
    special: null,
    guardrail_id: null,
    shadow: 0,
    ...fields,
  };
}

/** Records events in the ledger, of any organization. */
export async function recordEvents(store: Store, events: readonly TaggedEventRow[]): Promise<void> {
  await createUsageDays({ store, clock: systemClock }).ensureDays(events.map(({ day }) => day));
  for (let from = 0; from < events.length; from += 1000) {
    await store.ledger((tx) => recordUsage(tx, events.slice(from, from + 1000)));
  }
}
