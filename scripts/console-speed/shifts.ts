// Whether anything moves while a page loads: every page that the navigation offers, each of its tabs, and what its first
// row opens, at the width of a phone and of a wide screen.
import type { Browser, Page } from 'playwright-core';
import { measuredOn, newPage, type State, settled } from './page.ts';

export const widths = [360, 1920] as const;

export interface Shift {
  readonly path: string;
  readonly width: number;
  readonly moved: readonly string[];
}

export interface Shifts {
  readonly pages: number;
  readonly shifts: readonly Shift[];
}

/** @param base the console's URL */
export async function measureShifts(browser: Browser, base: string, state: State): Promise<Shifts> {
  const paths = await pathsOf(browser, base, state);
  const shifts: Shift[] = [];
  for (const width of widths) {
    const { page, close } = await newPage(browser, state, width);
    for (const path of paths) {
      await page.goto(base + path);
      await settled(page);
      const { shifts: moved } = await measuredOn(page);
      if (moved.length > 0) shifts.push({ path, width, moved });
    }
    await close();
  }
  return { pages: paths.length, shifts };
}

/** Paths below the console's: pages, tabs, and the detail of a first row. */
async function pathsOf(browser: Browser, base: string, state: State): Promise<readonly string[]> {
  const { page, close } = await newPage(browser, state);
  await page.goto(base);
  await settled(page);
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
  const pages = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''));
  const paths: string[] = [];
  for (const path of pages.map((href) => new URL(href, base).href.slice(base.length))) {
    await page.goto(base + path);
    await settled(page);
    const tabs = await page.getByRole('tab').all();
    const keys = await Promise.all(tabs.map(async (tab) => (await tab.getAttribute('data-key')) ?? ''));
    paths.push(...(keys.length === 0 ? [path] : keys.map((key) => `${path}?tab=${key}`)));
    const detail = await detailOf(page, base);
    if (detail !== undefined) paths.push(detail);
  }
  await close();
  return paths;
}

/** Where the first row of the page's table leads, if it is a page of its own. */
async function detailOf(page: Page, base: string): Promise<string | undefined> {
  const before = page.url();
  const row = page.locator('#main [role=row][data-key], #main tbody tr').first();
  if ((await row.count()) === 0) return undefined;
  await row.click();
  await settled(page);
  const after = new URL(page.url());
  return after.pathname === new URL(before).pathname ? undefined : after.href.slice(base.length);
}
