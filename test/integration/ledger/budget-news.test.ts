// Alerts of a budget while callers spend it, through a whole gateway: its thresholds, refused requests, and all of them
// again after the budget was raised in the same window.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { createBudget, makeDear } from '../../support/spending.ts';

const refused = '402 budget_exceeded';

let gateway: TestGateway;
let acme: TestOrganization;

beforeAll(async () => {
  gateway = await startGateway();
  acme = gateway.organization;
  await makeDear(acme);
});
afterAll(() => gateway?.close());

it('a raised total budget sends its thresholds and its first refusal again', async () => {
  const { webhook } = (await acme.api.call('Webhooks/Create', {
    ...{ organizationId: acme.id, name: 'pager', url: 'https://pager.example.com/' },
  })) as { webhook: { id: string } };
  const { id: keyId, value } = await acme.createKey();
  const budget = { amountUsd: '0.04', period: 'TOTAL' };
  const limitId = await createBudget(acme, { kind: 'VIRTUAL_KEY', id: keyId }, budget);
  const question = chat(value, { max_tokens: 100 });
  const spendAll = () => until(async () => (await question(gateway.proxy)).outcome === refused, { timeoutMs: 15_000 });
  /** Types of the deliveries so far. */
  const sent = async () => {
    const { deliveries } = (await acme.api.call('Webhooks/ListDeliveries', { webhookId: webhook.id })) as {
      deliveries: { type: string }[];
    };
    return deliveries.map(({ type }) => type);
  };
  const count = async (type: string) => (await sent()).filter((each) => each === type).length;

  await spendAll();
  await until(async () => (await count('budget.exceeded')) === 1, { what: 'the refusal to be reported' });
  await until(async () => (await count('budget.threshold_reached')) >= 2);
  const before = await count('budget.threshold_reached');

  await acme.api.call('Limits/Update', { id: limitId, amountUsd: '0.08' });
  await until(async () => (await question(gateway.proxy)).outcome !== refused);
  await spendAll();
  await until(async () => (await count('budget.exceeded')) === 2, {
    what: 'the refusal to be reported again',
  });
  await until(async () => (await count('budget.threshold_reached')) >= before + 2, {
    what: 'the thresholds to be reported again',
  });
  const { events } = (await acme.api.call('Audit/List', {
    organizationId: acme.id,
    targetId: limitId,
  })) as { events: { action: string; after: string }[] };
  const reported = events.filter(({ action }) => action === 'Budgets.Exceed').map(({ after }) => JSON.parse(after));
  expect(reported.map(({ amountUsd }) => amountUsd)).toEqual(['0.08', '0.04']);
});
