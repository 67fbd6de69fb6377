// The main jobs of a platform operator and of an admin in a browser, and what somebody without a sign-in gets.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat, type Filled, fillGateway } from '../../support/console-content.ts';
import { openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let filled: Filled;

beforeAll(async () => {
  gateway = await startGateway();
  filled = await fillGateway(gateway, 'name-of-acme');
});
afterAll(() => gateway.close());

const model = 'gpt-provider/gpt-4o-mini';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function untilStatus(key: string, status: number): Promise<void> {
  const isSo = async () => (await chat(gateway.proxy.url, key, model)).status === status;
  await until(isSo, { what: `status ${status}` });
}

/** The value that a dialog shows once. */
async function shownValue(page: Page, name: string): Promise<string> {
  const text = await page.getByRole('region', { name, exact: true }).textContent();
  await button(page, 'I have copied it').click();
  return text ?? '';
}

it('a platform operator creates and suspends an organization, and makes a token for proxies', async () => {
  const { page, faults, ...opened } = await openConsole(gateway, { token: gateway.secrets.platformToken });
  const dialog = page.getByRole('dialog');
  await opened.open('platform/organizations');
  await button(page, 'Create organization').click();
  await dialog.getByLabel('Name', { exact: true }).fill('umbrella');
  await dialog.getByLabel('Name of its first owner').fill('Uma');
  await dialog.getByRole('button', { name: 'Create organization' }).click();
  const token = await shownValue(page, 'owner’s operator token');
  const owner = await openConsole(gateway, { token });
  await owner.page.getByText('Uma · owner').waitFor();
  await page.getByRole('row', { name: /umbrella/ }).click();
  await button(page, 'Suspend').click();
  await dialog.getByLabel('Reason').fill('a test');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await button(page, 'Resume').waitFor();
  owner.expectStatus(401);
  owner.expectStatus(403);
  await owner.page.reload();
  await owner.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await owner.close();

  await opened.open('platform/proxies?tab=tokens');
  await button(page, 'Make proxy token').click();
  await dialog.getByLabel('Name', { exact: true }).fill('edge');
  await dialog.getByRole('button', { name: 'Make token' }).click();
  expect(await shownValue(page, 'proxy token')).toMatch(/^gw-/);
  const edge = page.getByRole('row', { name: /edge/ });
  await edge.getByRole('button', { name: 'Revoke' }).click();
  await button(page, 'Revoke token').click();
  await edge.getByText('revoked').waitFor();
  expect(faults).toEqual([]);
  await opened.close();
});

it('a platform operator stops a provider for everybody, which no owner lifts', async () => {
  const { page, faults, ...opened } = await openConsole(gateway, { token: gateway.secrets.platformToken });
  await opened.open('platform/stops');
  await button(page, 'Stop something').click();
  await page.getByLabel('Provider', { exact: true }).fill('gpt-provider');
  await page.getByLabel('Reason').fill('an incident at the vendor');
  await button(page, 'Stop it now').click();
  const row = page.getByRole('row', { name: /an incident at the vendor/ });
  await row.waitFor();
  await untilStatus(filled.keyValue, 403);
  const owner = await openConsole(gateway, { token: gateway.organization.ownerToken });
  await owner.open('settings/stops');
  const seen = owner.page.getByRole('row', { name: /an incident at the vendor/ });
  await seen.waitFor();
  expect(await seen.getByRole('button', { name: 'Lift' }).count()).toBe(0);
  await owner.close();
  await row.getByRole('button', { name: 'Lift' }).click();
  await button(page, 'Lift the stop').click();
  await untilStatus(filled.keyValue, 200);
  expect(faults).toEqual([]);
  await opened.close();
});

it('an admin creates a key for an AI system, which is used and switched off', async () => {
  const { api, id: organizationId } = gateway.organization;
  const { id: personId } = await api.call('People/Create', { organizationId, name: 'Adele', role: 'admin' });
  const made = await api.call('OperatorTokens/Create', { personId, name: 'test' });
  const { page, faults, ...opened } = await openConsole(gateway, { token: String(made.value) });
  const dialog = page.getByRole('dialog');
  await opened.open('settings/access');
  await button(page, 'Create key').click();
  await dialog.getByLabel('Name', { exact: true }).fill('of-admin');
  await dialog.getByRole('button', { name: /Belongs to/ }).click();
  await page.getByRole('option', { name: 'AI system: name-of-acme' }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const value = await shownValue(page, 'virtual key');
  await untilStatus(value, 200);
  await page.getByRole('row', { name: /of-admin/ }).click();
  await button(page, 'Switch off').click();
  await dialog.getByRole('button', { name: 'Switch off' }).click();
  await untilStatus(value, 403);
  expect(faults).toEqual([]);
  await opened.close();
});

it('somebody without a sign-in gets the sign-in form at every address, and nothing of the API', async () => {
  const { page, faults, ...opened } = await openConsole(gateway, { token: undefined });
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/gateway.v1.')) calls.push(request.url());
  });
  for (const path of [
    '',
    'spend',
    `settings/access/${filled.keyId}`,
    `requests/${filled.requestId}`,
    'platform/stops',
  ]) {
    await page.goto(`http://127.0.0.1:${gateway.controlPlane.httpPort}/console/${path}`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.textContent('body')).not.toContain('name-of-acme');
  }
  expect(calls).toEqual([]);
  expect(faults).toEqual([]);
  await opened.close();
});
