// The scripts that count in Redis, read when the program starts. Both begin with the same text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RateScripts {
  readonly turn: string;
  readonly renew: string;
}

export const rateScripts: RateScripts = {
  turn: read('clock', 'turn'),
  renew: read('clock', 'renew'),
};

function read(...names: readonly string[]): string {
  // A bundle finds the files in the folder beside it: scripts/build.ts puts them there.
  return names.map((name) => readFileSync(join(import.meta.dirname, 'scripts', `${name}.lua`), 'utf8')).join('\n');
}
