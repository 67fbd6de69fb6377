// Anchors of the audit log in a folder outside the database, one file each, never changed. The folder may be the mount
// of an object store that never loses a file. Once a day the anchors are compared with the log.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditAnchor, type ChainPoint, readAnchorLine } from '../../common/audit-anchor.ts';
import { type ChainFlaw, storedPoints } from '../store/audit-chain.ts';
import type { Store } from '../store/store.ts';

const filePattern = /^anchor-\d{16}-[0-9a-f]{16}\.json$/;

/** Writes nothing if the head already has a file. @throws Error of the file system */
export async function writeAnchor(folder: string, anchor: AuditAnchor): Promise<void> {
  const revision = String(anchor.revision).padStart(16, '0');
  const file = join(folder, `anchor-${revision}-${anchor.hash.slice(0, 16)}.json`);
  try {
    await writeFile(file, `${JSON.stringify(anchor)}\n`, { flag: 'wx', mode: 0o444 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    // A half-written file would prevent the next try.
    await rm(file, { force: true }).catch(() => {});
    throw error;
  }
}

/** @returns the newest anchors, by revision. @throws Error of the file system */
export async function readAnchors(folder: string, max: number): Promise<readonly AuditAnchor[]> {
  const files = (await readdir(folder)).filter((file) => filePattern.test(file)).sort();
  const anchors: AuditAnchor[] = [];
  for (const file of files.slice(-max)) {
    const anchor = readAnchorLine((await readFile(join(folder, file), 'utf8')).trim());
    if (anchor !== undefined) anchors.push(anchor);
  }
  return anchors;
}

const piece = 500;

/**
 * Compares anchors with the stored audit log. A log that was hashed again from some event on is consistent in itself,
 * but contradicts every later anchor.
 * @param points in any order
 * @returns the contradicted anchor with the lowest revision, or undefined if the log contains every anchored head
 */
export async function contradiction(
  store: Pick<Store, 'snapshot'>,
  points: readonly ChainPoint[],
): Promise<ChainFlaw | undefined> {
  const ordered = points.toSorted((a, b) => a.revision - b.revision);
  for (let from = 0; from < ordered.length; from += piece) {
    const part = ordered.slice(from, from + piece);
    const revisions = [...new Set(part.map(({ revision }) => revision))];
    const stored = await store.snapshot((db) => storedPoints(db, revisions));
    const byRevision = new Map(stored.map(({ revision, hash }) => [revision, hash]));
    const wrong = part.find(({ revision, hash }) => byRevision.get(revision) !== hash);
    if (wrong !== undefined) return flawOf(wrong, byRevision.get(wrong.revision));
  }
  return undefined;
}

function flawOf({ revision }: ChainPoint, stored: string | undefined): ChainFlaw {
  const reason =
    stored === undefined ? 'an event that was anchored is missing' : 'it is not the event that was anchored';
  return { revision, reason };
}
