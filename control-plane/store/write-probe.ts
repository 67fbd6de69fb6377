// Whether there is room beside a database file: a small file is written there and removed. It is no part of the database, so that no
// change waits for it, and its bytes never come to lie in a log that the database has room for already.
import { rm, writeFile } from 'node:fs/promises';

/** About what a large change and its log take. */
const probeBytes = 256 * 1024;

/** @param path of the database's file. @returns why nothing can be written, in a few words; undefined: it can. Never rejects */
export async function whyNotWritable(path: string): Promise<string | undefined> {
  if (path === ':memory:') return undefined;
  const probe = `${path}.probe`;
  try {
    await writeFile(probe, Buffer.alloc(probeBytes), { mode: 0o600 });
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return reasons.get(code) ?? `the database cannot be written (${code})`;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk of the database is full'],
  ['EDQUOT', 'the quota of the disk of the database is used up'],
  ['EROFS', 'the disk of the database is read-only'],
]);
