// How the tests run. Many wait for servers more than they compute, so three files run at once on two cores; nothing is retried. Files of
// test/unit share their processes, and so the modules that they load: they start no servers and leave nothing behind.
import { defineConfig } from 'vitest/config';

const unit = 'test/unit/**/*.test.ts';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 3,
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    teardownTimeout: 15_000,
    allowOnly: false,
    projects: [
      { extends: true, test: { name: 'unit', include: [unit], isolate: false } },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: [unit, 'test/bench/**'] },
      },
    ],
  },
});
