// The largest paint of a page on a slowed processor, with an empty cache, beside an empty page of the same run.
import type { Browser, Page } from 'playwright-core';
import { spread } from '../../test/bench/stats.ts';
import type { Content } from './content.ts';
import { measuredOn, newPage, type State, settled } from './page.ts';
import { traced } from './trace.ts';

export const slowdown = 4;
const loads = 9;
const tracedLoads = 3;

export interface PaintScene {
  readonly browser: Browser;
  readonly content: Content;
  readonly state: State;
}

/** Milliseconds. */
export interface Paint {
  /** The median and the least. */
  readonly largest: number;
  readonly least: number;
  /** The median of the empty page. */
  readonly empty: number;
  /** Processor time of the page's main thread until the largest paint, not slowed. */
  readonly processor: number;
  /** The same of the empty page. Its paint takes longer than that by what the machine does besides. */
  readonly emptyProcessor: number;
}

export async function measurePaint({ browser, content, state }: PaintScene, path: string): Promise<Paint> {
  const { base, emptyUrl } = content;
  const [full, empty]: [number[], number[]] = [[], []];
  for (let load = 0; load < loads; load++) {
    full.push(await paintedSlowly(browser, state, base + path));
    empty.push(await paintedSlowly(browser, state, emptyUrl));
  }
  const [processor, emptyProcessor]: [number[], number[]] = [[], []];
  for (let load = 0; load < tracedLoads; load++) {
    processor.push(await processorTime(browser, state, base + path));
    emptyProcessor.push(await processorTime(browser, state, emptyUrl));
  }
  const { median, min } = spread(full);
  return {
    ...{ largest: median, least: min, empty: spread(empty).median },
    ...{ processor: spread(processor).median, emptyProcessor: spread(emptyProcessor).median },
  };
}

async function paintedSlowly(browser: Browser, state: State, url: string): Promise<number> {
  const { page, debugger: session, close } = await newPage(browser, state);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await open(page, url);
  const { paintMs } = await measuredOn(page);
  await close();
  return paintMs;
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  if (url.includes('/console/')) await settled(page);
  else await page.waitForFunction('measured.paintMs > 0');
}

async function processorTime(browser: Browser, state: State, url: string): Promise<number> {
  const { page, close } = await newPage(browser, state);
  const trace = await traced(browser, page, () => open(page, url));
  const { paintMs } = await measuredOn(page);
  await close();
  return trace.tasks.filter(({ atMs }) => atMs < paintMs).reduce((sum, { processorMs }) => sum + processorMs, 0);
}

/** What a browser with an empty cache gets before Home is there: bytes on the wire, and their encodings. */
export async function measureFirstLoad(
  browser: Browser,
  base: string,
  state: State,
): Promise<{ readonly bytes: number; readonly encodings: readonly string[] }> {
  const { page, close } = await newPage(browser, state);
  const encodings = new Set<string>();
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/assets/')) return;
    encodings.add(response.headers()['content-encoding'] ?? 'none');
    sizes.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => responseBodySize),
    );
  });
  await page.goto(base);
  await settled(page);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await close();
  return { bytes, encodings: [...encodings] };
}
