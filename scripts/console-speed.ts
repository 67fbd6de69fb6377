// `npm run console-speed`: how fast and how still the console is, in Chromium, at a really started control plane with
// 10,000 keys and 10,000 requests in an organization. Not part of npm test: it takes some ten minutes. A busy machine makes
// times longer, so each is beside the same of an empty page, and what is compared with a bound is processor time.
//   --only <parts>  of paint, load, scroll, shifts, memory; commas between them
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { type Content, rows, startContent } from './console-speed/content.ts';
import { measureMemory } from './console-speed/memory.ts';
import { type State, signIn, startChromium } from './console-speed/page.ts';
import { measureFirstLoad, measurePaint, slowdown } from './console-speed/paint.ts';
import { measureScroll } from './console-speed/scroll.ts';
import { measureShifts, widths } from './console-speed/shifts.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: 'load,paint,scroll,shifts,memory' } } });
const bounds = { paintMs: 1000, firstLoadKiB: 220, taskMs: 50, memoryMiB: 10 } as const;
let failures = 0;

interface Scene {
  readonly browser: Browser;
  readonly content: Content;
  /** Cookies of the owner. */
  readonly state: State;
}

const parts: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  load: async ({ browser, content, state }) => {
    const { bytes, encodings } = await measureFirstLoad(browser, content.base, state);
    const kib = bytes / 1024;
    report(
      kib <= bounds.firstLoadKiB,
      `first load: ${kib.toFixed(1)} KiB (${encodings.join(', ')}), of ${bounds.firstLoadKiB}`,
    );
  },
  paint: async (scene) => {
    for (const [page, path] of [
      ['Home', ''],
      ['Access', 'settings/access'],
      ['Spend', 'spend'],
    ] as const) {
      const { largest, least, empty, processor, emptyProcessor } = await measurePaint(scene, path);
      report(
        processor * slowdown <= bounds.paintMs,
        `largest paint of ${page}, processor slowed ${slowdown}×: median ${ms(largest)}, least ${ms(least)}, ` +
          `${(largest / empty).toFixed(1)} times an empty page (${ms(empty)}); ` +
          `processor time until then ${ms(processor * slowdown)} (empty page: ${ms(emptyProcessor * slowdown)}), of ${bounds.paintMs}`,
      );
    }
  },
  scroll: async (scene) => {
    for (const [page, path, count] of [
      ['Access', 'settings/access', rows.keys],
      ['Requests', 'requests', rows.requests],
    ] as const) {
      const { found, scrolling, adding, empty } = await measureScroll(scene, path, count);
      report(
        scrolling <= bounds.taskMs && found >= count,
        `scrolling ${found} rows of ${page}: the longest task has ${ms(scrolling)} of processor time, of ${bounds.taskMs} ` +
          `(an empty page: ${ms(empty)}); adding 100 rows: ${ms(adding)}`,
      );
    }
  },
  shifts: async ({ browser, content, state }) => {
    const ofPlatform = await signIn(browser, content.base, content.platformToken);
    for (const [who, cookies] of [
      ['an owner', state],
      ['a platform operator', ofPlatform],
    ] as const) {
      const { pages, shifts } = await measureShifts(browser, content.base, cookies);
      for (const { path, width, moved } of shifts) console.log(`  ${path} at ${width}: ${moved.join(' | ')}`);
      report(
        shifts.length === 0,
        `moves of layout on ${pages} pages of ${who} at ${widths.join(' and ')}: ${shifts.length}`,
      );
    }
  },
  memory: async () => {
    const { on, off, cost } = await measureMemory();
    report(
      cost <= bounds.memoryMiB,
      `memory of a control plane: ${on.toFixed(1)} MiB with the console, ${off.toFixed(1)} without, ` +
        `${cost.toFixed(1)} more by pairs, of ${bounds.memoryMiB}`,
    );
  },
};

const content = await startContent();
const browser = await startChromium();
try {
  const state = await signIn(browser, content.base, content.ownerToken);
  for (const name of values.only.split(',')) {
    const part = parts[name];
    if (part === undefined) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(', ')}`);
    await part({ browser, content, state });
  }
} finally {
  await browser.close();
  await content.close();
}
process.exitCode = failures === 0 ? 0 : 1;

function report(isWithin: boolean, text: string): void {
  if (!isWithin) failures++;
  console.log(`${isWithin ? 'within' : 'ABOVE '} ${text}`);
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
