// Loaded before a program of the project (node --import): at SIGUSR2 it collects garbage and writes what is left to the
// file named in RETAINED_FILE. The program itself is unchanged.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export type Memory = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'external'>;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const { RETAINED_FILE: file = '' } = process.env;

process.on('SIGUSR2', () => {
  // The first collection runs finalizers whose objects only the second one frees.
  collect();
  setImmediate(() => {
    collect();
    const memory: Memory = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify(memory));
    renameSync(`${file}.new`, file);
  });
});
