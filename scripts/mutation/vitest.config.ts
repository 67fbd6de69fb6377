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
    testTimeout: 60_000,
    hookTimeout: 20_000,
  },
});
