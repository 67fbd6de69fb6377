// The main job of each page, as an operator does it in a browser, against both planes: what is clicked there is what
// callers notice at the proxy.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat, type Filled, fillGateway } from '../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';

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

async function statusOf(key: string, requested = model): Promise<number> {
  return (await chat(gateway.proxy.url, key, requested)).status;
}

async function untilStatus(key: string, status: number, requested = model): Promise<void> {
  await until(async () => (await statusOf(key, requested)) === status, { what: `status ${status}` });
}

/** Opens a field with a list and chooses. */
async function choose(label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
}

/** The value that a dialog shows once. */
async function shownValue(name: string): Promise<string> {
  const text = await page.getByRole('region', { name, exact: true }).textContent();
  await button('I have copied it').click();
  return text ?? '';
}

async function createKey(name: string): Promise<string> {
  await console.open('settings/access');
  await button('Create key').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await dialog().getByRole('button', { name: 'Create key' }).click();
  return shownValue('virtual key');
}

it('Access: a key is created with its value and snippets, switched, rotated and revoked', async () => {
  await console.open('settings/access');
  await button('Create key').click();
  await page.getByLabel('Name', { exact: true }).fill('billing');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await choose('Program', 'OpenAI SDK, Python');
  const value = (await page.getByRole('region', { name: 'virtual key', exact: true }).textContent()) ?? '';
  const snippet = await page.getByRole('region', { name: 'snippet' }).textContent();
  expect(snippet).toContain(`api_key="${value}"`);
  await button('I have copied it').click();
  expect(await statusOf(value)).toBe(200);
  expect(await page.content()).not.toContain(value);

  await page.getByRole('row', { name: /billing/ }).click();
  await page.getByRole('heading', { level: 1, name: 'billing' }).waitFor();
  await button('Switch off').click();
  await dialog().getByText('request').first().waitFor();
  await dialog().getByRole('button', { name: 'Switch off' }).click();
  await untilStatus(value, 403);
  await button('Switch on').click();
  await untilStatus(value, 200);

  await button('Rotate').click();
  await choose('The present value', 'Stops at once');
  await button('Make a new value').click();
  const rotated = await shownValue('virtual key');
  await untilStatus(value, 401);
  expect(await statusOf(rotated)).toBe(200);

  await button('Revoke').click();
  await dialog()
    .getByText(/requests? used it in the last 24 hours/)
    .waitFor();
  await button('Revoke key').click();
  await untilStatus(rotated, 401);
  await page.getByText('It was revoked. This is final').waitFor();
  expect(console.faults).toEqual([]);
});

it('Access: a key is created and revoked with the keyboard alone', async () => {
  await console.open('settings/access');
  await button('Create key').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('typed-key');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your virtual key' }).waitFor();
  await button('I have copied it').focus();
  await page.keyboard.press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await page
    .getByRole('grid', { name: 'Virtual keys' })
    .getByRole('row', { name: /typed-key/ })
    .waitFor();
  // From the last field of the filters into the table, and down to the row.
  await page.getByRole('button', { name: /Of the playground/ }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'typed-key' }).waitFor();
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>('document.activeElement.textContent')) === 'Revoke') break;
  }
  await page.keyboard.press('Enter');
  await dialog()
    .getByText(/last 24 hours/)
    .waitFor();
  await button('Revoke key').focus();
  await page.keyboard.press('Enter');
  await page.getByText('It was revoked. This is final').waitFor();
  expect(console.faults).toEqual([]);
});

it('Access: keys are found by text and status', async () => {
  await console.open('settings/access?q=check');
  await page.getByRole('row', { name: /checkout/ }).waitFor();
  expect(await page.getByRole('row', { name: /own key of a member/ }).count()).toBe(0);
  await choose('Status', /revoked \(/);
  await page.getByText('No key fits').waitFor();
  expect(page.url()).toContain('status=revoked');
});

it('Settings, then Access: callers may send their own provider key once an owner turns it on', async () => {
  const { api, id } = gateway.organization;
  const isOn = async () =>
    JSON.stringify(await api.call('Organizations/Get', { id })).includes('"callerProviderKeys":true');
  expect(await isOn()).toBe(false);
  await console.open('settings/access');
  const toggle = page.getByRole('switch', { name: 'Callers may send their own provider key' });
  expect(await toggle.isChecked()).toBe(false);
  await page.getByText('Callers may send their own provider key').click();
  await until(isOn, { what: 'the setting' });
  await page.getByText('Callers may send their own provider key').click();
  await until(async () => !(await isOn()), { what: 'the setting to be off' });
});

it('Home and Spend: what was used is there, against its budget', async () => {
  await console.open('');
  await page.getByText('Requests today').waitFor();
  await page
    .getByRole('grid', { name: 'Budgets' })
    .getByRole('row', { name: /budget of \$0.001 a month/ })
    .waitFor();
  await page
    .getByRole('grid', { name: 'Models this month' })
    .getByRole('row', { name: /gpt-4o-mini/ })
    .waitFor();
  await console.open('spend?by=key');
  const row = page.getByRole('grid', { name: 'Usage by key' }).getByRole('row', { name: /checkout/ });
  await row.waitFor();
  const saving = page.waitForEvent('download');
  await button('Save as CSV').click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe('usage-by-key.csv');
  await console.open('spend?tab=budgets');
  await page.getByRole('row', { name: /budget of \$0.001 a month/ }).waitFor();
  expect(console.faults).toEqual([]);
});

it('Requests: a refused request says what happened and who can change it', async () => {
  await console.open('requests?result=refused');
  await page
    .getByRole('row', { name: /no-such\/model/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor();
  await page.getByText('The program that sends the request can change it.').waitFor();
  await page.getByRole('link', { name: 'All requests' }).click();
  await page.getByPlaceholder('Request id').fill(filled.requestId);
  await button('Open').click();
  await page.getByText(filled.requestId).waitFor();
  expect(console.faults).toEqual([]);
});

it('Guardrails: one is created, tested with its matches marked, and blocks', async () => {
  const value = await createKey('guarded');
  await console.open('guardrails');
  await button('Create guardrail').click();
  await page.getByLabel('Name', { exact: true }).fill('no-plans');
  await choose('Kind', 'Phrases');
  await page.getByLabel('Phrases, one to a line').fill('merger plan');
  await choose('A match', /Block/);
  await dialog().getByRole('button', { name: 'Create guardrail' }).click();
  await page.getByRole('row', { name: /no-plans/ }).waitFor();
  await console.open('guardrails?tab=test');
  await page.getByLabel('Text', { exact: true }).fill('Is the merger plan known to ann@example.com?');
  await button('Test').click();
  await page.getByText('no-plans blocks it.').waitFor();
  expect(await page.locator('mark').allTextContents()).toEqual(['merger plan', 'ann@example.com']);
  await until(async () => (await chat(gateway.proxy.url, value, model, 'the merger plan')).status === 400, {
    what: 'the guardrail to block',
  });
  expect(console.faults).toEqual([]);
});

it('Guardrails: a webhook has its secret once, which is rotated; a service keeps its credential', async () => {
  await console.open('guardrails');
  await button('Create guardrail').click();
  await page.getByLabel('Name', { exact: true }).fill('own-checks');
  await choose('Kind', 'A service of your own');
  await page.getByLabel('URL', { exact: true }).fill('https://checks.example.com/inspect');
  await dialog().getByRole('button', { name: 'Create guardrail' }).click();
  const first = await shownValue('webhook secret');
  const row = page.getByRole('row', { name: /own-checks/ });
  await row.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
  await button('Rotate secret').click();
  expect(await shownValue('webhook secret')).not.toBe(first);
  await button('Create guardrail').click();
  await page.getByLabel('Name', { exact: true }).fill('lakera');
  await choose('Kind', "A vendor's service");
  await choose('Presidio Service', 'Lakera Guard');
  await page.getByLabel('Options, name=value, one to a line').fill('project=project-1');
  await page.getByLabel('API key', { exact: true }).fill('key-of-lakera-1234');
  await dialog().getByRole('button', { name: 'Create guardrail' }).click();
  await page.getByRole('row', { name: /lakera/ }).click();
  await dialog().getByText('One is stored; empty: it stays.').waitFor();
  expect(await page.getByLabel('Options, name=value, one to a line').inputValue()).toBe('project=project-1');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  for (const name of [/own-checks/, /lakera/]) {
    await page
      .getByRole('row', { name })
      .getByRole('button', { name: /Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await button('Delete guardrail').click();
    await page.getByRole('row', { name }).waitFor({ state: 'detached' });
  }
  expect(console.faults).toEqual([]);
});

it('Models and providers: a custom provider is added, and its URL is changed', async () => {
  await console.open('models?tab=providers');
  await button('Add custom provider').click();
  await page.getByLabel('Name', { exact: true }).fill('own-models');
  await page.getByLabel('Base URL').fill('https://models.example.com/v1');
  await page.getByLabel('Known models, one to a line').fill('small');
  await dialog().getByRole('button', { name: 'Add provider' }).click();
  const row = page.getByRole('row', { name: /own-models/ });
  await row.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await page.getByLabel('Base URL').fill('https://models.example.com/v2');
  await page.getByLabel('Known models, one to a line').fill('small\nlarge');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await row.getByText('https://models.example.com/v2').waitFor();
  await row.getByText('small, large').waitFor();
  expect(console.faults).toEqual([]);
});

it('Models and providers: a provider key is tested', async () => {
  await console.open('models?tab=keys');
  const row = page.getByRole('row', { name: /gpt-provider/ }).first();
  await row.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  await row.getByText('working').waitFor();
  await console.open('models?tab=routes');
  await button('Create route').click();
  await page.getByLabel('Name', { exact: true }).fill('cheap');
  await page.getByLabel('Targets').fill(`${model} 3\ngpt-provider/gpt-4o 1`);
  await dialog().getByRole('button', { name: 'Create route' }).click();
  await page.getByRole('row', { name: /cheap/ }).getByText(`${model} 3, gpt-provider/gpt-4o 1`).waitFor();
  await untilStatus(filled.keyValue, 200, 'cheap');
  expect(console.faults).toEqual([]);
});

it('Stops: a provider is stopped and served again', async () => {
  await console.open('settings/stops');
  await button('Stop something').click();
  await page.getByLabel('Provider', { exact: true }).fill('gpt-provider');
  await page.getByLabel('Reason').fill('an incident');
  await button('Stop it now').click();
  await page.getByRole('row', { name: /an incident/ }).waitFor();
  await untilStatus(filled.keyValue, 403);
  await page
    .getByRole('row', { name: /an incident/ })
    .getByRole('button', { name: 'Lift' })
    .click();
  await button('Lift the stop').click();
  await untilStatus(filled.keyValue, 200);
  expect(console.faults).toEqual([]);
});

it('Settings: people, limits and webhooks are made, and the audit log has them', async () => {
  await console.open('settings/people');
  await button('Add person').click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await dialog().getByRole('button', { name: 'Add person' }).click();
  await page.getByRole('row', { name: /Ada/ }).waitFor();
  await console.open('settings/limits');
  await button('Create limit').click();
  await choose('Kind', 'Requests a minute');
  await page.getByLabel('Number').fill('600');
  await dialog().getByRole('button', { name: 'Create limit' }).click();
  await page.getByRole('row', { name: /600 requests a minute/ }).waitFor();
  // The list has the limit before the dialog is gone.
  await dialog().waitFor({ state: 'detached' });
  const { api, id: organizationId } = gateway.organization;
  const settings = { tags: { names: { names: ['feature'] } } };
  await api.call('Organizations/UpdateSettings', { id: organizationId, settings });
  await button('Create limit').click();
  await page.getByLabel('Amount in USD').fill('500');
  await choose('Time zone of its windows', 'Europe/Berlin');
  await page.getByLabel('Begins on the day of the month').fill('15');
  await page.getByLabel('Notify at percents').fill('75, 90');
  await page.getByLabel('Only requests with the tag').fill('feature=search');
  await dialog().getByRole('button', { name: 'Create limit' }).click();
  await page.getByRole('row', { name: /\$500.00 a month, feature=search/ }).waitFor();
  const { limits } = await api.call('Limits/List', { organizationId });
  expect(limits).toContainEqual(
    expect.objectContaining({
      ...{
        timeZone: 'Europe/Berlin',
        startsOn: expect.objectContaining({ dayOfMonth: 15 }),
        thresholds: { percents: [75, 90] },
      },
      tag: { name: 'feature', value: 'search' },
    }),
  );
  await console.open('settings/webhooks');
  await button('Add webhook').click();
  await page.getByLabel('Name', { exact: true }).fill('pager');
  await page.getByLabel('URL').fill('https://hooks.example.com/pager');
  await dialog().getByRole('button', { name: 'Add webhook' }).click();
  expect(await shownValue('signing secret')).toMatch(/^whsec_/);
  await console.open('settings/audit?action=Webhooks');
  await page
    .getByRole('row', { name: /Webhooks.Create/ })
    .first()
    .click();
  await dialog().getByText('pager').first().waitFor();
  expect(console.faults).toEqual([]);
});

it('an invalid field is named, with what to do', async () => {
  console.expectStatus(400);
  await console.open('settings/limits');
  await button('Create limit').click();
  await page.getByLabel('Amount in USD').fill('much');
  await dialog().getByRole('button', { name: 'Create limit' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/amount_usd|amountUsd/);
  expect(await alert.textContent()).toContain('Correct the fields');
});

it('Requests: live rows appear as they end, with the filters, and stop while it is paused', async () => {
  await console.open('requests?result=ok');
  const toggle = page.getByText('Live: show requests as they end');
  await toggle.click();
  const status = page.getByText(/since it was turned on/);
  // Before its first response, the list does not know where it begins.
  await until(
    async () => {
      await chat(gateway.proxy.url, filled.keyValue, 'gpt-provider/gpt-4.1-mini');
      await chat(gateway.proxy.url, filled.keyValue, 'no-such/model');
      return (await status.count()) > 0;
    },
    { what: 'live rows' },
  );
  const rows = page.getByRole('grid', { name: 'Requests' });
  await rows.getByText('gpt-provider/gpt-4.1-mini').first().waitFor();
  expect(await rows.getByText('no-such/model').count()).toBe(0);
  await toggle.click();
  await page.getByText(/since it was turned on, paused/).waitFor();
});

it('signing out ends the session in the browser and at the API', async () => {
  await console.open('');
  const calling = page.waitForRequest((request) => request.url().includes('/gateway.v1.'));
  await page.reload();
  const authorization = (await calling).headers().authorization ?? '';
  expect(authorization).toMatch(/^Bearer gw-ses-/);
  await button('Sign out').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const url = `http://127.0.0.1:${gateway.controlPlane.httpPort}/gateway.v1.Status/Get`;
  const headers = { authorization, 'content-type': 'application/json' };
  expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
  console.expectStatus(401);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
