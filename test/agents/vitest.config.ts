// The configuration of `npm run agents`.
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    include: ['test/agents/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 180_000,
  },
});
