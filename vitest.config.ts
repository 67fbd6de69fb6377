// How the tests run. Many wait for servers more than they compute, so three files run at once on two cores; nothing is retried.
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 3,
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    teardownTimeout: 15_000,
    allowOnly: false,
  },
});
