// `npm run screenshots`: makes the pictures of docs/console.md from a gateway with some content, in Chromium. Each is
// at most 100 KiB.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../test/support/chromium.ts';
import { chat, fillGateway } from '../test/support/console-content.ts';
import type { TestGateway } from '../test/support/gateway.ts';
import { startPlaygroundGateway } from '../test/support/playground-gateway.ts';

const folder = join(import.meta.dirname, '../docs/images/console');
const bytesMax = 100 * 1024;
const models = ['gpt-provider/gpt-4o-mini', 'gpt-provider/gpt-4.1-mini', 'gpt-provider/gpt-4o'];

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly isDark?: boolean;
  /** What is done on the page first. */
  readonly before?: (page: Page) => Promise<void>;
}

const pictures: readonly Picture[] = [
  { name: 'home', path: '' },
  { name: 'access', path: 'settings/access' },
  { name: 'create-key', path: 'settings/access', before: createKey },
  { name: 'spend', path: 'spend?period=24h' },
  { name: 'models', path: 'models?q=mini' },
  { name: 'requests', path: 'requests?result=refused', isDark: true },
  { name: 'playground', path: 'playground', before: sendRequest },
  { name: 'guardrails', path: 'guardrails?tab=test', before: testText },
];

async function createKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('search-production');
}

async function sendRequest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a key for an hour' }).click();
  await page.getByText('The page has a key of yours').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Cost', { exact: true }).waitFor();
}

async function testText(page: Page): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill('Write to ann@example.com that her order has arrived.');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.locator('mark').waitFor();
}

/** Keys with a usage, so that tables and charts are not empty. */
async function addUsage(gateway: TestGateway, key: string): Promise<void> {
  for (const name of ['search-staging', 'billing-nightly', 'support-assistant']) {
    const { value } = await gateway.organization.createKey({ name });
    for (const model of models) await chat(gateway.proxy.url, value, model);
  }
  for (const model of [...models, ...models]) await chat(gateway.proxy.url, key, model);
}

async function takePictures(gateway: TestGateway): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install chromium');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({
      viewport: { width: 1360, height: 820 },
      deviceScaleFactor: 0.75,
      locale: 'en-US',
    });
    const base = `http://127.0.0.1:${gateway.controlPlane.httpPort}/console/`;
    await page.goto(base);
    await page.getByLabel('Operator token').fill(gateway.organization.ownerToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#main h1').waitFor();
    for (const { name, path, isDark = false, before } of pictures) {
      await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
      await page.goto(base + path);
      await page.waitForLoadState('networkidle');
      await before?.(page);
      const file = join(folder, `${name}.png`);
      await page.screenshot({ path: file });
      const { size } = statSync(file);
      if (size > bytesMax) throw new Error(`${file} has ${size} bytes; at most ${bytesMax} are allowed`);
      console.log(`docs/images/console/${name}.png: ${Math.ceil(size / 1024)} KiB`);
    }
  } finally {
    await browser.close();
  }
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  const gateway = await startPlaygroundGateway();
  try {
    const { keyValue } = await fillGateway(gateway);
    await addUsage(gateway, keyValue);
    await takePictures(gateway);
  } finally {
    await gateway.close();
  }
}
