// The programs as they are shipped, in a folder of their own: they start several times faster than their sources.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms } from '../../scripts/build.ts';
import { startFrom } from './gateway.ts';

/** @returns the folder, which the caller removes */
export async function buildBundles(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-programs-'));
  await buildPrograms(folder);
  return folder;
}

/** For commands outside a test run: programs start from bundles, which are removed when this process ends. */
export async function startFromBundles(): Promise<void> {
  const folder = await buildBundles();
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  startFrom(folder);
}
