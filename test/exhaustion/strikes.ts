// Programs whose clock and randomness a test can break: see test/support/struck.preload.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Strikes } from '../support/struck.preload.ts';
import type { Plane, Program } from './world.ts';

export interface Striking {
  /** Settings for startProgram. */
  readonly plane: Required<Plane>;
  strike(program: Program, strikes: Strikes): Promise<void>;
  remove(): void;
}

const preload = new URL('../support/struck.preload.ts', import.meta.url).href;

export function openStriking(): Striking {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-strikes-'));
  const file = join(folder, 'strikes.json');
  return {
    plane: { env: { STRIKES: file }, options: { nodeArgs: ['--import', preload] } },
    strike: async ({ adminUrl, child }, strikes) => {
      writeFileSync(file, JSON.stringify(strikes));
      child.signal('SIGUSR2');
      // Two responses show that a tick of its event loop has passed.
      for (let turn = 0; turn < 2; turn++) await (await fetch(`${adminUrl}/livez`)).text();
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
