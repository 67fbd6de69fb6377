// The scripts that count in Redis, read when the program starts. Each begins with what it shares with others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RateScripts {
  readonly take: string;
  readonly settle: string;
  readonly renew: string;
}

export const rateScripts: RateScripts = {
  take: read('clock', 'bucket', 'take'),
  settle: read('clock', 'bucket', 'settle'),
  renew: read('clock', 'renew'),
};

function read(...names: readonly string[]): string {
  // A bundle finds them in the folder beside it: scripts/build.ts puts them there.
  return names
    .map((name) => readFileSync(join(import.meta.dirname, 'scripts', `${name}.lua`), 'utf8'))
    .join('\n');
}
