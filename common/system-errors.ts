// Errors of the operating system, as programs decide on them and log them. Those of file systems that are nobody's mistake in a setting
// may pass later.
import { mkdirSync } from 'node:fs';

const troubles: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Whether the disk is full, read-only or broken, or there was no descriptor for the file. */
export function isDiskTrouble(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && troubles.has(error.code);
}

/** With those above it. @throws Error that the file system gives */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    // What Node says where the file system is read-only as well; one alone is told why.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') mkdirSync(path, { mode });
    else throw error;
  }
}

/** One word that may be logged anywhere: messages of connection errors name the host, and some say more. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.name;
}
