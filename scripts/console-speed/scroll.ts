// How smooth a long list is: tasks of the page's main thread while all of its rows pass by. Their processor time is
// what counts, because other programs of a busy machine make a task long, but not expensive.
import type { Page } from 'playwright-core';
import { until } from '../../test/support/process.ts';
import { newPage, settled } from './page.ts';
import type { PaintScene } from './paint.ts';
import { traced } from './trace.ts';

/** Milliseconds of processor time of the longest task. */
export interface Scroll {
  /** Rows of the table. */
  readonly found: number;
  readonly scrolling: number;
  /** While further rows were added. */
  readonly adding: number;
  readonly empty: number;
}

/** @param path of a page with a table @param rows with which the table is long enough */
export async function measureScroll(
  { browser, content: { base, emptyUrl }, state }: PaintScene,
  path: string,
  rows: number,
): Promise<Scroll> {
  const { page, close } = await newPage(browser, state);
  await page.goto(base + path);
  await settled(page);
  const adding = await traced(browser, page, () => addRows(page, rows));
  const scrolling = await traced(browser, page, () => scrollThrough(page));
  const found = (await rowsOf(page)) - 1;
  await page.goto(emptyUrl);
  const empty = await traced(browser, page, () => page.waitForTimeout(2000));
  await close();
  return { found, scrolling: scrolling.longestMs, adding: adding.longestMs, empty: empty.longestMs };
}

/** With the header's. */
async function rowsOf(page: Page): Promise<number> {
  return Number(await page.getByRole('grid').getAttribute('aria-rowcount'));
}

async function addRows(page: Page, rows: number): Promise<void> {
  const more = page.getByRole('button', { name: 'Show more' });
  for (;;) {
    const count = await rowsOf(page);
    if (count > rows || (await more.count()) === 0) return;
    await more.click();
    await until(async () => (await rowsOf(page)) > count, { what: 'further rows', timeoutMs: 60_000 });
  }
}

/** With the wheel, as a hand does; then in leaps, as the scroll bar does. */
async function scrollThrough(page: Page): Promise<void> {
  const box = await page.getByRole('grid').boundingBox();
  if (box === null) throw new Error('the page has no table');
  await page.mouse.move(box.x + 200, box.y + 200);
  for (let turn = 0; turn < 60; turn++) {
    await page.mouse.wheel(0, turn < 40 ? 300 : 15_000);
    await page.waitForTimeout(30);
  }
  await page.waitForTimeout(300);
}
