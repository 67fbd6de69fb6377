// How much of what is scarce is used, by the rows of proxy/shares.ts, and how often some was refused.
import type { HeldShare } from '../../common/shares.ts';
import type { ShareName } from '../shares.ts';

export interface ShareUse {
  /** Of what one owner may have, or all together: 0 to 1. */
  readonly used: number;
  /** Since the start. */
  readonly refused: number;
}

export interface ShareUses {
  /** Whoever makes one says so here. */
  watch(resource: ShareName, read: () => ShareUse): void;
  read(): readonly (ShareUse & { readonly resource: string })[];
}

export function createShareUses(): ShareUses {
  const rows = new Map<ShareName, () => ShareUse>();
  return {
    watch: (resource, read) => void rows.set(resource, read),
    read: () => [...rows].map(([resource, read]) => ({ resource, ...read() })),
  };
}

/** Of what is held, or waits. */
export type ReadShare = Pick<HeldShare, 'used' | 'capacity' | 'refused'>;

export function useOf({ used, capacity, refused }: ReadShare): ShareUse {
  return { used: used / capacity, refused };
}

/** What prom-client takes for the gauge of it. */
export function shareUsedGauge<Registry>(read: ShareUses['read'], registers: Registry[]) {
  return {
    name: 'gateway_share_used',
    help: 'How much of what is scarce is used, 0 to 1, by resource; where each owner has its own, of the one that has used most',
    labelNames: ['resource'],
    registers,
    collect(this: { reset(): void; set(labels: { readonly resource: string }, value: number): void }) {
      this.reset();
      for (const { resource, used } of read()) this.set({ resource }, Math.min(1, Math.max(0, used)));
    },
  };
}

/** The same for the counter. */
export function shareRefusedCounter<Registry>(read: ShareUses['read'], registers: Registry[]) {
  return {
    name: 'gateway_share_refused_total',
    help: 'Requests that were refused because their owner had its share of what is scarce, by resource',
    labelNames: ['resource'],
    registers,
    collect(this: { reset(): void; inc(labels: { readonly resource: string }, count: number): void }) {
      this.reset();
      for (const { resource, refused } of read()) this.inc({ resource }, refused);
    },
  };
}
