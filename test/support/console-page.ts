// The console in a real browser: signs in, and notes everything that must not happen there: errors in the browser's
// console, violations of the content security policy, failed requests.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { TestGateway } from './gateway.ts';
import { askTestServers } from './test-servers.ts';

export interface ConsolePage {
  readonly page: Page;
  /** What went wrong so far, and is not expected. */
  readonly faults: readonly string[];
  /** Opens a path below the console's, as a link of the page does, and waits until it has its content. */
  open(path: string): Promise<void>;
  /** The same, as the address line of the browser does. */
  load(path: string): Promise<void>;
  /** Violations of accessibility, as "rule: selector". */
  accessibility(): Promise<readonly string[]>;
  /** Each call or page from now on may fail with this status. */
  expectStatus(status: number): void;
  close(): Promise<void>;
}

let connected: Promise<Browser> | undefined;

/** The browser that all files of the run share. */
async function browser(): Promise<Browser> {
  connected ??= askTestServers('browser').then((endpoint) => chromium.connect(endpoint));
  return connected;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface ConsoleOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'viewport'> {
  /** Signs in with it. Undefined: the form stays. */
  readonly token: string | undefined;
}

export async function openConsole(
  { controlPlane }: Pick<TestGateway, 'controlPlane'>,
  { token, ...options }: ConsoleOptions,
): Promise<ConsolePage> {
  const base = `http://127.0.0.1:${controlPlane.httpPort}/console/`;
  const context = await (await browser()).newContext({ locale: 'en-US', timezoneId: 'Europe/Berlin', ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  // Before the sign-in, the page finds out that nobody is signed in by a 401.
  const expected = new Set([401]);
  const faults = await noteFaults(page, expected);
  const opened: ConsolePage = {
    page,
    faults,
    open: async (path) => {
      await goTo(page, base + path);
    },
    load: async (path) => {
      await page.goto(base + path);
      await settled(page);
    },
    accessibility: () => violationsIn(page),
    expectStatus: (status) => void expected.add(status),
    close: () => context.close(),
  };
  await page.goto(base);
  if (token === undefined) return opened;
  await page.getByLabel('Operator token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await settled(page);
  expected.delete(401);
  return opened;
}

/** As a link of the page does, where the page or its tab changes; else the browser loads it again. */
async function goTo(page: Page, address: string): Promise<void> {
  const { pathname, searchParams } = new URL(address);
  const isOther = pathname !== new URL(page.url()).pathname;
  const tab = searchParams.get('tab');
  if (!isOther && tab === null) {
    await page.goto(address);
  } else {
    if (isOther) await page.locator('#main h1').evaluate((title) => title.setAttribute('data-before', ''));
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
    await page.locator('#main h1:not([data-before])').waitFor();
    if (tab !== null && /^\w+$/.test(tab)) await page.locator(`[data-key="${tab}"][aria-selected="true"]`).waitFor();
  }
  await settled(page);
}

/** Waits until the page has its title and nothing loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main h1').waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

async function noteFaults(page: Page, expected: ReadonlySet<number>): Promise<string[]> {
  const faults: string[] = [];
  await page.exposeFunction('noteViolation', (text: string) => void faults.push(`policy: ${text}`));
  // Code of the browser is text here, because the project's types are those of Node.
  await page.addInitScript({
    content: `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      noteViolation([violatedDirective, blockedURI, sample].join(' ')));`,
  });
  page.on('pageerror', (error) => void faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // The browser's own line of a failed request, which is noted with its status below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !expected.has(response.status())) {
      faults.push(`${response.status()}: ${response.url()}`);
    }
  });
  return faults;
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly target: unknown }[] }[];
}

async function violationsIn(page: Page): Promise<readonly string[]> {
  const isThere = await page.evaluate<boolean>(`'axe' in globalThis`);
  // By the debugger's protocol, because the page's policy rightly refuses a script from elsewhere.
  if (!isThere) await page.evaluate(axe);
  // The library's announcements to screen readers are there for some seconds, and name what may be gone by then.
  const context = `{ exclude: [['[data-live-announcer]']] }`;
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${context}, { resultTypes: ['violations'] })`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${String(target)}`));
}
