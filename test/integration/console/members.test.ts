// What a member may not do is neither offered by the page nor possible with its access token; a session that ends
// elsewhere ends here with the next call.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat, type Filled, fillGateway } from '../../support/console-content.ts';
import { openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

let gateway: TestGateway;
let filled: Filled;

beforeAll(async () => {
  gateway = await startGateway();
  filled = await fillGateway(gateway);
});
afterAll(() => gateway.close());

/** Calls the API as the page does. @returns the status */
async function statusOf(authorization: string, method: string, request: object): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${gateway.controlPlane.httpPort}/gateway.v1.${method}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  return response.status;
}

it('a member creates, rotates and revokes their own keys, and has no more than that', async () => {
  const console = await openConsole(gateway, { token: filled.memberToken });
  const { page } = console;
  const dialog = page.getByRole('dialog');
  await console.open('settings/access');
  await page.getByRole('button', { name: 'Create key', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('laptop');
  expect(await dialog.getByText('Belongs to').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const value = (await page.getByRole('region', { name: 'virtual key', exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect((await chat(gateway.proxy.url, value, 'gpt-provider/gpt-4o-mini')).status).toBe(200);

  const calling = page.waitForRequest((request) => request.url().endsWith('VirtualKeys/Explain'));
  await page.getByRole('row', { name: /laptop/ }).click();
  const authorization = (await calling).headers().authorization ?? '';
  await page.getByRole('heading', { level: 1, name: 'laptop' }).waitFor();
  const buttons = await page.locator('main').getByRole('button').allTextContents();
  expect(buttons).toEqual(['Rotate', 'Revoke']);
  const { keyId } = filled;
  const organizationId = gateway.organization.id;
  expect(await statusOf(authorization, 'VirtualKeys/Update', { id: keyId, active: false })).toBe(403);
  expect(await statusOf(authorization, 'VirtualKeys/Revoke', { id: keyId })).not.toBe(200);
  expect(await statusOf(authorization, 'People/List', { organizationId })).toBe(403);
  expect(console.faults).toEqual([]);
  await console.close();
});

it('a session that was ended elsewhere leads to the sign-in form', async () => {
  const console = await openConsole(gateway, { token: filled.memberToken });
  const other = await openConsole(gateway, { token: filled.memberToken });
  await other.open('settings/tokens');
  // The one of the test above as well.
  const ends = other.page.getByRole('button', { name: 'End', exact: true });
  await ends.first().waitFor();
  await expect
    .poll(async () => {
      if ((await ends.count()) > 0) await ends.first().click();
      return ends.count();
    })
    .toBe(0);
  console.expectStatus(401);
  await console.page.getByRole('link', { name: 'Spend' }).click();
  await console.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(console.faults).toEqual([]);
  await console.close();
  await other.close();
});
