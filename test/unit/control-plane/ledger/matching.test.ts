// Which budgets an event counts towards.
import { expect, it } from 'vitest';
import { type Budget, createMatching } from '../../../../control-plane/ledger/matching.ts';
import type { UsageEventRow } from '../../../../control-plane/store/schema.ts';
import { usageEvent } from '../../../support/usage-events.ts';

const whole: Budget = {
  ...{ id: 'budget', organizationId: 'organization-1', subjectId: 'organization-1', period: 'total' },
  ...{ amount: 1, model: null, createdAt: 1000, deleted: false },
};
const event = usageEvent({
  ...{ at: 1000, key_id: 'key', ai_system_id: 'system', person_id: 'person' },
  ...{ project_key_id: 'project-key', project_ai_system_id: 'project-system' },
  project_person_id: 'project-person',
});

function counts(budget: Partial<Budget>, fields: Partial<UsageEventRow> = {}): number {
  return createMatching([{ ...whole, ...budget }])({ ...event, ...fields }).length;
}

it.each(['organization-1', 'key', 'system', 'person', 'project-key', 'project-system', 'project-person'])(
  'counts towards a budget of %s',
  (subjectId) => expect(counts({ subjectId })).toBe(1),
);

it.each<[string, Partial<Budget>, Partial<UsageEventRow>]>([
  ['of another key', { subjectId: 'other' }, {}],
  ['of another organization', { organizationId: 'organization-2' }, {}],
  ['of another organization with the same key', { organizationId: 'organization-2', subjectId: 'key' }, {}],
  ['for other models', { model: 'search-provider/*' }, {}],
  ['for the model that answered', { model: 'gpt-4o-2026-05-01' }, {}],
  ['without windows that was made later', {}, { at: 999 }],
])('does not count towards a budget %s', (_what, budget, fields) => {
  expect(counts(budget, fields)).toBe(0);
});

it.each<[string, Partial<Budget>, Partial<UsageEventRow>]>([
  ['that was deleted', { deleted: true }, {}],
  ['for models by glob', { model: 'gpt-provider/*' }, {}],
  ['of a month, though it was made later in it', { period: 'month' }, { at: 0 }],
  ['once, though its person stands in it twice', { subjectId: 'person' }, { project_person_id: 'person' }],
])('counts towards a budget %s', (_what, budget, fields) => {
  expect(counts(budget, fields)).toBe(1);
});

it('counts towards a budget without windows that was charged, though its proxy was behind the clock', () => {
  expect(createMatching([whole])({ ...event, at: 999 }, ['budget'])).toHaveLength(1);
  expect(createMatching([whole])({ ...event, at: 999 }, ['other'])).toHaveLength(0);
});
