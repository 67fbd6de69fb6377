// What a program's memory contains after its garbage is collected: a leak grows there, whatever the heap's own size does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment, PlaneOptions } from './gateway.ts';
import { type Child, until } from './process.ts';
import type { Memory } from './retained.preload.ts';

export interface Retained {
  /** With these the program is started. */
  readonly environment: Environment;
  readonly options: PlaneOptions;
  /** MiB of its heap and of the memory that its heap refers to, after a collection. */
  measure(child: Child): Promise<number>;
  remove(): void;
}

const preload = new URL('./retained.preload.ts', import.meta.url).href;

export function createRetained(): Retained {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-retained-'));
  const file = join(directory, 'memory.json');
  return {
    environment: { RETAINED_FILE: file },
    options: { nodeArgs: ['--import', preload] },
    measure: async (child) => {
      rmSync(file, { force: true });
      child.signal('SIGUSR2');
      const text = await until(() => readIfThere(file), { what: 'a program to collect its garbage' });
      const { heapUsed, external } = JSON.parse(text) as Memory;
      return (heapUsed + external) / 2 ** 20;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
