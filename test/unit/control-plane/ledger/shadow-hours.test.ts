// Copies of requests in the sums by hour.
import { expect, it } from 'vitest';
import { sumByHour, sumByHourAndSet } from '../../../../control-plane/usage/hours.ts';
import { usageEvent } from '../../../support/usage-events.ts';

const at = 3_600_000;
const model_asked = 'assistant-provider/claude-haiku-4-5';

it('copies of requests of several keys are one row, of the organization alone, apart from requests to the model', () => {
  const copies = [
    usageEvent({ at, model_asked, shadow: 1, key_id: 'one', cost: 3 }),
    usageEvent({ at, model_asked, shadow: 1, key_id: 'two', ai_system_id: 'system', cost: 4 }),
    usageEvent({ at, model_asked, shadow: 1, key_id: 'two', project_key_id: 'project', person_id: 'person', cost: 5 }),
  ];
  const rows = sumByHour([...copies, usageEvent({ at, model_asked, key_id: 'one', cost: 100 })]);
  const nobody = { key_id: '', ai_system_id: '', person_id: '', project_key_id: '' };
  expect(rows).toMatchObject([
    { ...nobody, model_asked: `shadow/${model_asked}`, requests: 3, cost: 12, organization_id: 'organization-1' },
    { key_id: 'one', model_asked, requests: 1, cost: 100 },
  ]);
});

it('copies of requests without a set of metadata are in no sum by set', () => {
  expect(sumByHourAndSet([usageEvent({ at, shadow: 1 })], () => '')).toEqual([]);
});
