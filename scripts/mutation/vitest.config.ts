// How Stryker runs the tests of one room: without servers, in one process.
import { defineConfig } from 'vitest/config';
import { isRoomName, rooms } from './rooms.ts';

/** The environment variable with the room's name. */
export const roomVariable = 'GATEWAY_MUTATION_ROOM';

const name = process.env[roomVariable] ?? '';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: isRoomName(name) ? [...rooms[name].tests] : [],
    isolate: false,
    fileParallelism: false,
    retry: 0,
    // Stryker itself ends a mutant that takes much longer than the tests of the unchanged code. These limits are for
    // that first run, which has the lowest priority on a machine that may be busy.
    testTimeout: 900_000,
    hookTimeout: 180_000,
  },
});
