// `npm run screenshots`: makes the pictures of docs/console.md from a gateway with some content, in Chromium. Each is
// at most 100 KiB.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
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
  { name: 'budgets', path: 'spend?tab=budgets' },
  { name: 'request', path: 'requests', before: openRequest },
  { name: 'provider-keys', path: 'models?tab=keys' },
  { name: 'key', path: 'settings/access', before: openKey },
  { name: 'audit', path: 'settings/audit?action=VirtualKeys' },
  ...[
    'organization',
    'people',
    'service-accounts',
    'capture',
    'ai-systems',
    'limits',
    'webhooks',
    'stops',
    'sign-in',
    'tokens',
  ].map((name) => ({
    name,
    path: `settings/${name}`,
  })),
];

const ofPlatform: readonly Picture[] = ['organizations', 'proxies', 'providers', 'stops', 'people', 'audit'].map(
  (name) => ({ name: `platform-${name}`, path: `platform/${name}` }),
);

async function openKey(page: Page): Promise<void> {
  await page.getByRole('row', { name: /checkout/ }).click();
  await page.getByRole('button', { name: 'Rotate' }).waitFor();
}

async function openRequest(page: Page): Promise<void> {
  await page.locator('#main tbody').getByRole('row').first().click();
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor();
}

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
  const base = `http://127.0.0.1:${gateway.controlPlane.httpPort}/console/`;
  try {
    const owner = await newPage(browser, base);
    await take(owner, base, [{ name: 'sign-in-page', path: '' }]);
    await signIn(owner, gateway.organization.ownerToken);
    await take(owner, base, pictures);
    const platform = await newPage(browser, base);
    await signIn(platform, gateway.secrets.platformToken);
    await take(platform, base, ofPlatform);
  } finally {
    await browser.close();
  }
}

async function newPage(browser: Browser, base: string): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1360, height: 820 },
    deviceScaleFactor: 0.75,
    locale: 'en-US',
  });
  await page.goto(base);
  return page;
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Operator token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main h1').waitFor();
}

async function take(page: Page, base: string, wanted: readonly Picture[]): Promise<void> {
  for (const { name, path, isDark = false, before } of wanted) {
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
