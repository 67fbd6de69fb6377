// How the tests run. Many wait for servers more than they compute, so three files run at once on two cores; nothing is retried. Files
// share the processes that run them, and so the modules that they load: a test leaves nothing behind in its process.
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/support/sequencer.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    teardownTimeout: 15_000,
    allowOnly: false,
  },
});
