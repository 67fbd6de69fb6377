// A folder outside the database that anchors of the audit log are written to, one file each, never changed: such as the mount of an
// object store that keeps what was written. What stands in it is held against the log once a day.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditAnchor, readAnchorLine } from '../../common/audit-anchor.ts';

const filePattern = /^anchor-\d{16}-[0-9a-f]{16}\.json$/;

/** Of a head that is there already nothing is written. @throws Error of the file system */
export async function writeAnchor(folder: string, anchor: AuditAnchor): Promise<void> {
  const revision = String(anchor.revision).padStart(16, '0');
  const file = join(folder, `anchor-${revision}-${anchor.hash.slice(0, 16)}.json`);
  try {
    await writeFile(file, `${JSON.stringify(anchor)}\n`, { flag: 'wx', mode: 0o444 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    // Half of a file would stand in the way of the next try.
    await rm(file, { force: true }).catch(() => {});
    throw error;
  }
}

/** The newest of them, by revision. @throws Error of the file system */
export async function readAnchors(folder: string, max: number): Promise<readonly AuditAnchor[]> {
  const files = (await readdir(folder)).filter((file) => filePattern.test(file)).sort();
  const anchors: AuditAnchor[] = [];
  for (const file of files.slice(-max)) {
    const anchor = readAnchorLine((await readFile(join(folder, file), 'utf8')).trim());
    if (anchor !== undefined) anchors.push(anchor);
  }
  return anchors;
}
