// An admin is offered all but what is an owner's, and is refused that by the API as well.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillGateway } from '../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
let console: ConsolePage;

beforeAll(async () => {
  gateway = await startGateway();
  await fillGateway(gateway);
  const { api, id: organizationId } = gateway.organization;
  const person = { organizationId, name: 'Adele', role: 'admin' };
  const { id: personId } = await api.call('People/Create', person);
  const { value } = await api.call('OperatorTokens/Create', { personId, name: 'test' });
  console = await openConsole(gateway, { token: String(value) });
});
afterAll(async () => {
  await console.close();
  await gateway.close();
});

it('has every page of the organization, and none of the platform', async () => {
  const { page } = console;
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
  expect(links).toEqual(
    expect.arrayContaining(['Home', 'Spend', 'Requests', 'Guardrails', 'Models and providers', 'Access', 'People']),
  );
  expect(links).toEqual(expect.arrayContaining(['AI systems', 'Limits', 'Webhooks', 'Stops', 'Audit', 'My tokens']));
  expect(links).not.toContain('Organizations');
  expect(console.faults).toEqual([]);
});

it('adds members and admins, and makes nobody an owner', async () => {
  const { page } = console;
  await console.open('settings/people');
  await page.getByRole('button', { name: 'Add person' }).click();
  await page.getByRole('button', { name: 'Role' }).click();
  expect(await page.getByRole('option').allTextContents()).not.toContain('Owner');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Cancel' }).click();
  const calling = page.waitForRequest((request) => request.url().includes('/gateway.v1.'));
  await console.load('settings/people');
  const authorization = (await calling).headers().authorization ?? '';
  const { id: organizationId, ownerId } = gateway.organization;
  const refused = [
    ['People/Create', { organizationId, name: 'Olga', role: 'owner' }],
    ['People/Update', { id: ownerId, role: 'member' }],
    ['People/Delete', { id: ownerId }],
    ['OperatorTokens/Create', { personId: ownerId, name: 'stolen' }],
    ['SignIn/CreateIssuer', { organizationId, name: 'other', url: 'https://issuer.example.com', clientId: 'x' }],
  ] as const;
  for (const [method, request] of refused) {
    const response = await fetch(`http://127.0.0.1:${gateway.controlPlane.httpPort}/gateway.v1.${method}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect([method, response.status]).toEqual([method, 403]);
  }
});
