// Tasks of a page's main thread with their processor time, from the browser's trace.
import type { Browser, Page } from 'playwright-core';

export interface Task {
  /** Milliseconds since the page's last navigation began, or since some moment before if it began none. */
  readonly atMs: number;
  readonly processorMs: number;
}

export interface Trace {
  readonly tasks: readonly Task[];
  readonly longestMs: number;
}

/** Of Chromium's trace format; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly documentLoaderURL?: string } };
}

/** Traces what the page's main thread does meanwhile: the busiest main thread, because others only wait. */
export async function traced(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<Trace> {
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  await act();
  const parsed = JSON.parse(String(await browser.stopTracing())) as { readonly traceEvents: readonly TraceEvent[] };
  const tasks = parsed.traceEvents.filter(({ name, ph, tdur }) => ph === 'X' && name.endsWith('RunTask') && tdur);
  // Of a document with an address: others are empty ones that the browser makes beforehand.
  const navigation = parsed.traceEvents
    .filter(({ name, args }) => name === 'navigationStart' && args?.data?.documentLoaderURL)
    .at(-1);
  const threads = Map.groupBy(
    navigation === undefined ? tasks : tasks.filter(({ pid }) => pid === navigation.pid),
    ({ pid, tid }) => `${pid} ${tid}`,
  );
  const [main = []] = [...threads.values()].toSorted((a, b) => processorOf(b) - processorOf(a));
  const begun = navigation?.ts ?? 0;
  const own = main.filter(({ ts }) => ts >= begun);
  return {
    tasks: own.map(({ ts, tdur = 0 }) => ({ atMs: (ts - begun) / 1000, processorMs: tdur / 1000 })),
    longestMs: own.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0),
  };
}

function processorOf(tasks: readonly TraceEvent[]): number {
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0);
}
