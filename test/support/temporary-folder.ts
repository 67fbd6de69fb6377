// Where tests keep their files and databases.
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memoryFolder = '/dev/shm';
const memoryFreeMin = 4 * 1024 ** 3;

/**
 * In memory if there is enough of it, where creating a database takes a tenth of the time and no commit waits for a
 * disk.
 */
export function temporaryFolder(): string {
  if (!existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize >= memoryFreeMin ? memoryFolder : tmpdir();
}
