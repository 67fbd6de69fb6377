// A page of a browser that notes what the browser itself measures: largest paint, moved layout, long tasks.
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../test/support/chromium.ts';

export interface Measured {
  /** Milliseconds from the beginning of the navigation to the largest paint so far. */
  readonly paintMs: number;
  /** Every move of something that was there, as "share of the view: what moved". */
  readonly shifts: readonly string[];
  /** Milliseconds of the tasks that took longer than 50. */
  readonly longTasks: readonly number[];
}

// Code of the browser is text, because the project's types are those of Node.
const observers = `
  const measured = (globalThis.measured = { paintMs: 0, shifts: [], longTasks: [] });
  const nameOf = ({ node }) => node instanceof Element ? node.tagName + '.' + node.className : String(node?.nodeName);
  const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => { measured.paintMs = startTime; });
  observe('longtask', ({ duration }) => { measured.longTasks.push(duration); });
  observe('layout-shift', ({ value, hadRecentInput, sources }) => {
    if (!hadRecentInput) measured.shifts.push(value.toFixed(4) + ': ' + sources.map(nameOf).join(', '));
  });`;

/** Its sandbox needs rights that containers seldom give. */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install chromium');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-extensions'] });
}

export type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signs in. @returns the cookies, with which a browser with an empty cache is signed in */
export async function signIn(browser: Browser, base: string, token: string): Promise<State> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(base);
  await page.getByLabel('Operator token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await settled(page);
  const state = await context.storageState();
  await context.close();
  return state;
}

export interface Opened {
  readonly page: Page;
  readonly debugger: CDPSession;
  close(): Promise<void>;
}

/** A page with an empty cache. */
export async function newPage(browser: Browser, state: State, width = 1360): Promise<Opened> {
  const viewport = { width, height: width < 700 ? 740 : 900 };
  const context = await browser.newContext({ storageState: state, viewport, locale: 'en-US' });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.addInitScript({ content: observers });
  return { page, debugger: await context.newCDPSession(page), close: () => context.close() };
}

/** Waits until the page has its title, and nothing loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main h1').waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  // The observers have what was painted by then.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))');
}

export function measuredOn(page: Page): Promise<Measured> {
  return page.evaluate<Measured>('measured');
}
