// The test projects. `unit` tests compute and start no server; `cost` tests measure processor time; `timing` tests
// measure time, so they run last and alone, one at a time; `integration` has all others. Many integration tests wait
// more than they compute, so four files run at once on two cores. No test is retried. Files share the processes that
// run them, with their loaded modules, so a test must leave no state in its process.
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';
import { LongFilesFirst } from './test/support/sequencer.ts';
import { temporaryFolder } from './test/support/temporary-folder.ts';

const unitFiles = ['test/unit/**/*.test.ts', 'test/golden/**/*.test.ts', 'test/*.test.ts'];
const timingFiles = ['test/**/*.timing.test.ts'];
/** They need a browser; scripts/setup.mjs installs one where it can, and otherwise says that they are left out. */
const browserFiles = findChromium() === undefined ? ['test/integration/console/**'] : [];
/** Every page in every form, and hostile text in every field: `npm run console-check`. */
const longBrowserFiles = process.env.GATEWAY_CONSOLE_CHECK === 'all' ? [] : ['test/integration/console/every-page/**'];
/** They measure processor time, so they may run beside others; they are too long for the inner loop. */
const costFiles = ['test/**/*.cost.test.ts'];

function project(
  name: string,
  files: Pick<NonNullable<TestProjectInlineConfiguration['test']>, 'include' | 'exclude'>,
  { groupOrder, maxWorkers }: { readonly groupOrder: number; readonly maxWorkers: number },
): TestProjectInlineConfiguration {
  return {
    // Not inherited from the root: the root's global set-up runs once for all projects, and would otherwise run again
    // in each.
    extends: false,
    test: {
      name,
      ...files,
      pool: 'forks',
      isolate: false,
      // Node loads the sources itself, as it does in production: without Vite's wrapper they run 4 to 7 % faster.
      experimental: { viteModuleRunner: false },
      maxWorkers,
      sequence: { groupOrder },
      // Workers of tests load the sources again each time; this caches them compiled and without types.
      env: {
        NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile'),
        TMPDIR: temporaryFolder(),
      },
      retry: 0,
      // They end what hangs and say nothing of speed: a busy machine is slow.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 60_000 } },
      allowOnly: false,
    },
  };
}

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: LongFilesFirst },
    teardownTimeout: 15_000,
    allowOnly: false,
    projects: [
      project(
        'unit',
        { include: unitFiles, exclude: [...timingFiles, ...costFiles] },
        { groupOrder: 0, maxWorkers: 4 },
      ),
      project(
        'integration',
        {
          include: ['test/**/*.test.ts'],
          exclude: [
            ...[...unitFiles, ...timingFiles, ...costFiles, ...browserFiles, ...longBrowserFiles],
            ...['test/bench/**', 'test/agents/**'],
          ],
        },
        { groupOrder: 0, maxWorkers: 4 },
      ),
      project('cost', { include: costFiles }, { groupOrder: 0, maxWorkers: 4 }),
      project('timing', { include: timingFiles }, { groupOrder: 1, maxWorkers: 1 }),
    ],
  },
});
