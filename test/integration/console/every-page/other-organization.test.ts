// What an owner gets by the ids of another organization in addresses: nothing of it. That the API refuses them in every
// call is in test/integration/control-plane/roles.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Filled, fillGateway } from '../../../support/console-content.ts';
import { openConsole } from '../../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../../support/gateway.ts';

let gateway: TestGateway;
let filled: Filled;

beforeAll(async () => {
  gateway = await startGateway();
  filled = await fillGateway(gateway, 'name-of-acme');
});
afterAll(() => gateway.close());

it('an owner of another organization gets nothing by its ids in addresses', async () => {
  const other = await gateway.createOrganization('other');
  const { page, faults, ...opened } = await openConsole(gateway, { token: other.ownerToken });
  for (const status of [400, 403, 404]) opened.expectStatus(status);
  const { id } = gateway.organization;
  const addresses = [
    `settings/access/${filled.keyId}`,
    `requests/${filled.requestId}`,
    `requests?key=${filled.keyId}`,
    `spend?key=${filled.keyId}`,
    `models?key=${filled.keyId}`,
    `settings/access?scope=organization%20${id}`,
    `settings/audit?target=${filled.keyId}`,
    `platform/organizations/${id}`,
  ];
  for (const path of addresses) {
    await opened.load(path);
    expect([path, await page.textContent('#main')]).toEqual([path, expect.not.stringContaining('name-of-acme')]);
  }
  expect(faults).toEqual([]);
  await opened.close();
});
