// Debian's Chromium, or another one of this machine. Without one, vitest.config.ts leaves the console's tests out.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BrowserServer } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const ofMacOs = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** @returns the path of the program; undefined if there is none */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ofMacOs].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the browser of the run. Its sandbox needs rights that containers seldom give. */
export async function startBrowser(): Promise<BrowserServer> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium on this machine');
  const { chromium } = await import('playwright-core');
  return chromium.launchServer({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-extensions', '--renderer-process-limit=1'],
  });
}
