// How much of what is scarce is used, by the rows of proxy/shares.ts, and how often some was refused.
import type { ShareUse } from '../../common/share-gauges.ts';
import type { HeldShare } from '../../common/shares.ts';
import type { ShareName } from '../shares.ts';

export interface ShareUses {
  /** Whoever makes one says so here. */
  watch(resource: ShareName, read: () => ShareUse): void;
  read(): readonly (readonly [ShareName, ShareUse])[];
}

export function createShareUses(): ShareUses {
  const rows = new Map<ShareName, () => ShareUse>();
  return {
    watch: (resource, read) => void rows.set(resource, read),
    read: () => [...rows].map(([resource, read]) => [resource, read()] as const),
  };
}

/** Of what is held, or waits. */
export type ReadShare = Pick<HeldShare, 'used' | 'capacity' | 'refused'>;

export function useOf({ used, capacity, refused }: ReadShare): ShareUse {
  return { used: used / capacity, refused };
}
