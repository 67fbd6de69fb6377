// Classifies errors of the operating system for decisions and logs. Errors of a file system that no setting caused may
// pass later.
import { mkdirSync } from 'node:fs';

const troubles: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Whether the disk is full, read-only or broken, or there was no descriptor for the file. */
export function isDiskTrouble(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && troubles.has(error.code);
}

/** Creates the folder and its parents. @throws Error of the file system */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    // Node also reports ENOENT for a read-only file system; creating only the last folder gives the true reason.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') mkdirSync(path, { mode });
    else throw error;
  }
}

/** One word that is safe to log anywhere. Messages of connection errors name the host, and some contain more. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.name;
}
