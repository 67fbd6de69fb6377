// Captures in a browser, against both planes: what an owner turns on there is kept by the proxy and opened there.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat, type Filled, fillGateway } from '../../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../../support/gateway.ts';
import { until } from '../../../support/process.ts';

let gateway: TestGateway;
let filled: Filled;
let console: ConsolePage;
let page: Page;

beforeAll(async () => {
  gateway = await startGateway();
  filled = await fillGateway(gateway);
  console = await openConsole(gateway, { token: gateway.organization.ownerToken });
  page = console.page;
});
afterAll(async () => {
  await console.close();
  await gateway.close();
});

const model = 'gpt-provider/gpt-4o-mini';
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');

/** Opens a field with a list and chooses. */
async function choose(label: RegExp, option: RegExp): Promise<void> {
  await dialog().getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
}

it('capture is turned on for a key, a request’s content is opened with a reason, a reader is named, and it is purged', async () => {
  await console.open('settings/capture');
  await button('Turn capture on').click();
  await choose(/ Key$/, new RegExp(filled.keyName));
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await dialog().getByLabel('Ends at').fill(tomorrow);
  await dialog().getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('row', { name: /key checkout/ }).waitFor();
  const captured = () => chat(gateway.proxy.url, filled.keyValue, model, 'Who was Ada?');
  await until(async () => (await captured()).headers.get('x-svc-captured') === 'true', {
    what: 'the proxy to capture',
  });
  const id = (await captured()).headers.get('x-request-id') ?? '';
  const { api, id: organizationId } = gateway.organization;
  const found = () => api.call('Requests/Get', { organizationId, id }).catch(() => ({ contentKept: false }));
  await until(async () => (await found()).contentKept, { what: 'the content to be kept' });

  await console.open(`requests/${id}`);
  expect(await button('Open the content').isDisabled()).toBe(true);
  await page.getByLabel('Reason').fill('ticket 4711: a wrong response');
  await button('Open the content').click();
  expect(await page.getByRole('region', { name: 'content of the request' }).textContent()).toContain('Who was Ada?');
  await page.getByRole('region', { name: 'content of the response' }).waitFor();
  const { events } = (await api.call('Audit/List', { organizationId, action: 'capture.opened' })) as {
    events: object[];
  };
  expect(events).toHaveLength(1);

  await console.open('settings/capture');
  await button('Name a reader').click();
  await choose(/ Person$/, /member/);
  await dialog().getByLabel('Ends at').fill(tomorrow);
  await dialog().getByRole('button', { name: 'Name', exact: true }).click();
  await page
    .getByRole('grid', { name: 'Readers' })
    .getByRole('row', { name: /member/ })
    .waitFor();
  await button('Turn off').click();
  await dialog().getByText('Delete at once what it has kept').click();
  await dialog().getByRole('button', { name: 'Turn off' }).click();
  await page.getByText('ended').waitFor();
  expect((await found()).contentKept).toBe(false);
});
