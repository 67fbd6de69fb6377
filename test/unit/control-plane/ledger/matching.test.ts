// Decides which budgets a usage event counts towards.
import { expect, it } from 'vitest';
import type { Budget } from '../../../../control-plane/ledger/budget.ts';
import { createMatching } from '../../../../control-plane/ledger/matching.ts';
import type { UsageEventRow } from '../../../../control-plane/store/schema.ts';
import { usageEvent } from '../../../support/usage-events.ts';

const whole: Budget = {
  ...{ id: 'budget', organizationId: 'organization-1', subjectKind: 'organization', subjectId: 'organization-1' },
  period: 'total',
  ...{ amount: 1, raises: [], soft: false, thresholds: undefined, model: null, createdAt: 1000, deleted: false },
};
const event = usageEvent({
  ...{ at: 1000, key_id: 'key', ai_system_id: 'system', person_id: 'person' },
  ...{ project_key_id: 'project-key', project_ai_system_id: 'project-system' },
  project_person_id: 'project-person',
});

function windows(budgets: readonly Budget[], row: UsageEventRow, ...chargedIds: readonly string[]) {
  const charges = chargedIds.map((budgetId) => ({ budgetId }));
  return createMatching(budgets)(row)({ row, charges }).map(({ window }) => window);
}

function counts(budget: Partial<Budget>, fields: Partial<UsageEventRow> = {}): number {
  return windows([{ ...whole, ...budget }], { ...event, ...fields }).length;
}

it.each(['organization-1', 'key', 'system', 'person', 'project-key', 'project-system', 'project-person'])(
  'a usage event counts towards a budget of %s',
  (subjectId) => expect(counts({ subjectId })).toBe(1),
);

it.each<[string, Partial<Budget>, Partial<UsageEventRow>]>([
  ['of another key', { subjectId: 'other' }, {}],
  ['of another organization', { organizationId: 'organization-2' }, {}],
  ['of another organization with the same key', { organizationId: 'organization-2', subjectId: 'key' }, {}],
  ['for other models', { model: 'search-provider/*' }, {}],
  ['for the served model', { model: 'gpt-4o-2026-05-01' }, {}],
  ['without windows that was created later', {}, { at: 999 }],
])('a usage event does not count towards a budget %s', (_what, budget, fields) => {
  expect(counts(budget, fields)).toBe(0);
});

it.each<[string, Partial<Budget>, Partial<UsageEventRow>]>([
  ['that was deleted', { deleted: true }, {}],
  ['for models by glob', { model: 'gpt-provider/*' }, {}],
  ['for the model by another of its names', { model: 'gpt-provider/gpt-4o-2024-08-06' }, {}],
  ['for the model', { model: 'gpt-provider/gpt-4o' }, { model_asked: 'gpt-provider/gpt-4o-2024-08-06' }],
  ['for the undated name', { model: 'gpt-provider/gpt-4o' }, { model_asked: 'gpt-provider/gpt-4o-2027-01-01' }],
  ['of a month, although it was created later in that month', { period: 'month' }, { at: 0 }],
  ['once, although the event contains its person twice', { subjectId: 'person' }, { project_person_id: 'person' }],
])('a usage event counts towards a budget %s', (_what, budget, fields) => {
  expect(counts(budget, fields)).toBe(1);
});

it('a usage event counts towards a total budget that it charged, even if the clock of its proxy was behind', () => {
  expect(windows([whole], { ...event, at: 999 }, 'budget')).toEqual(['total']);
  expect(windows([whole], { ...event, at: 999 }, 'other')).toEqual([]);
});

it('a usage event counts towards a budget that its proxy charged, by any name of the model', () => {
  const newer: Budget = { ...whole, period: 'day', model: 'gpt-provider/name-to-come' };
  expect(windows([newer], event)).toEqual([]);
  expect(windows([newer], event, 'budget')).toEqual(['1970-01-01']);
  expect(windows([{ ...newer, organizationId: 'organization-2' }], event, 'budget')).toEqual([]);
  expect(windows([{ ...newer, subjectId: 'person-2' }], event, 'budget')).toEqual([]);
});

it('a usage event counts in the window of its time, and all events of a window share one object', () => {
  const midnight = Date.parse('2026-12-01T00:00:00Z');
  const counting = createMatching([
    { ...whole, id: 'day', period: 'day' },
    { ...whole, id: 'month', period: 'month' },
    { ...whole, id: 'total', createdAt: midnight },
  ])(event);
  const at = (time: number) => counting({ row: { at: time }, charges: [] });
  const names = (time: number) => at(time).map(({ budget, window }) => `${budget.id} ${window}`);
  expect(names(midnight - 1)).toEqual(['day 2026-11-30', 'month 2026-11-01']);
  expect(names(midnight)).toEqual(['day 2026-12-01', 'month 2026-12-01', 'total total']);
  expect(names(midnight + 86_399_999)).toEqual(['day 2026-12-01', 'month 2026-12-01', 'total total']);
  expect(at(midnight + 86_400_000)[1]).toBe(at(midnight)[1]);
});

it('all events of a budget without windows share one window', () => {
  const matching = createMatching([whole]);
  const of = (row: UsageEventRow) => matching(row)({ row, charges: [] })[0];
  expect(of({ ...event, key_id: 'another' })).toBe(of(event));
});

it('a copy of a request counts only towards budgets that it was charged to', () => {
  const copy = { ...event, shadow: 1 as const };
  const ofCopies: Budget = { ...whole, id: 'copies', model: 'shadow/fast' };
  expect(windows([whole, ofCopies], copy)).toEqual([]);
  expect(windows([whole, ofCopies], copy, 'copies')).toEqual(['total']);
  expect(windows([ofCopies], event)).toEqual([]);
});
