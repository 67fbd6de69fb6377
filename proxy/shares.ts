// What is scarce in a proxy and shared fairly, one row a resource: common/shares.ts says how. docs/metrics.md has
// gateway_share_used and gateway_share_refused_total of each.
import type { HeldOptions, HeldShare } from '../common/shares.ts';

export interface ShareRow extends HeldOptions {
  readonly unit: 'characters' | 'workers';
  /** What becomes of who gets none. */
  readonly refusal: string;
}

const mebi = 1024 * 1024;

/** alpha 1: one greedy organization has half of it, two a third each, and what they leave is the next one's. */
export const proxyShares = {
  guardrail_slices: {
    capacity: 64 * mebi,
    alpha: 1,
    unit: 'characters',
    refusal: '503 guardrail_unavailable',
  },
  guardrail_queue: {
    capacity: 64 * mebi,
    alpha: 1,
    unit: 'characters',
    refusal: '503 guardrail_unavailable',
  },
  guardrail_workers: { capacity: 2, alpha: 1, unit: 'workers', refusal: 'waits in guardrail_queue' },
} as const satisfies Record<string, ShareRow>;

export type ProxyShare = keyof typeof proxyShares;

export type ReadShare = Pick<HeldShare, 'used' | 'capacity' | 'refused'>;

export interface ShareMetrics {
  /** Says where it is read what is taken of a resource. */
  observe(resource: ProxyShare, share: ReadShare): void;
}
