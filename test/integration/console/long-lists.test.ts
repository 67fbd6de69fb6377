// A list that is longer than the view: only rows that are seen are in the document, and the keyboard reaches all.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

const keys = 130;
/** Rows of a list's first response. */
const pageSize = 100;
let gateway: TestGateway;
let console: ConsolePage;
let page: Page;

beforeAll(async () => {
  gateway = await startGateway();
  for (let n = 1; n <= keys; n++) await gateway.organization.createKey({ name: `long-${n}` });
  console = await openConsole(gateway, {
    token: gateway.organization.ownerToken,
    viewport: { width: 1360, height: 900 },
  });
  page = console.page;
  await console.open('settings/access');
});
afterAll(async () => {
  await console.close();
  await gateway.close();
});

const grid = () => page.getByRole('grid', { name: 'Virtual keys' });
const focusedRow = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-rowindex')`);

it('says how many rows there are, has the seen ones, and is accessible', async () => {
  expect(await grid().getAttribute('aria-rowcount')).toBe(String(pageSize + 1));
  expect(await grid().getByRole('row').count()).toBeLessThan(40);
  expect(await grid().getByRole('rowheader').first().textContent()).toMatch(/^long-/);
  expect(await console.accessibility()).toEqual([]);
});

it('is walked through with the keyboard, and stays where it is when more rows are added', async () => {
  await grid().getByRole('row').nth(1).focus();
  await page.keyboard.press('ArrowDown');
  expect(await focusedRow()).toBe('3');
  await page.keyboard.press('End');
  await expect.poll(focusedRow).toBe(String(pageSize + 1));
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => grid().getAttribute('aria-rowcount')).toBe(String(keys + 1));
  const last = grid()
    .getByRole('row')
    .and(page.locator(`[aria-rowindex="${pageSize + 1}"]`));
  expect(await last.isVisible()).toBe(true);
  await last.focus();
  await page.keyboard.press('Home');
  await expect.poll(focusedRow).toBe('2');
  await page.keyboard.press('End');
  await expect.poll(focusedRow).toBe(String(keys + 1));
  const name = await page.evaluate<string>(`document.activeElement.querySelector('[role=rowheader]').textContent`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
});

it('is scrolled and opened with the pointer', async () => {
  await console.open('settings/access');
  await grid().hover();
  await page.mouse.wheel(0, 1500);
  const row = grid().getByRole('row').and(page.locator('[aria-rowindex="50"]'));
  await row.waitFor();
  const name = (await row.getByRole('rowheader').textContent()) ?? '';
  await row.click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  expect(console.faults).toEqual([]);
});
