// Writes files for the injector in the same pod. Each file is replaced atomically, so that the injector never reads
// half of one.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { handOverFiles } from '../common/hand-over.ts';

export interface Hand {
  /** Writes only if the text has changed. @throws Error */
  over(file: keyof typeof handOverFiles, text: string): Promise<void>;
}

export function createHand(folder: string): Hand {
  const written = new Map<string, string>();
  return {
    over: async (file, text) => {
      if (written.get(file) === text) return;
      const name = handOverFiles[file];
      const fresh = join(folder, `.${name}.new`);
      await writeFile(fresh, text, { mode: 0o644 });
      await rename(fresh, join(folder, name));
      written.set(file, text);
    },
  };
}
