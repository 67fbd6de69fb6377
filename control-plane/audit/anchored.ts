// Holds anchors against the audit log that is stored. A log that was hashed anew from some point on fits itself, and contradicts every
// anchor from there on.
import type { ChainPoint } from '../../common/audit-anchor.ts';
import { type ChainFlaw, storedPoints } from '../store/audit-chain.ts';
import type { Store } from '../store/store.ts';

const piece = 500;

/**
 * @param points in any order
 * @returns the contradicted one with the lowest revision; undefined: the log holds what all of them say
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
