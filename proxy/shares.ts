// What is scarce in a proxy and shared by those who use it (common/shares.ts): a row for each resource. Docs, metrics and whoever refuses
// take name, bounds and code from here.
import type { HeldOptions, QueueOptions, RateOptions } from '../common/shares.ts';
import type { ErrorCode } from './errors.ts';

export interface ShareRow {
  /** How much there is of it, in all or for each owner. */
  readonly bounds: HeldOptions | QueueOptions | RateOptions;
  /** What is counted, and by whom it is shared. */
  readonly unit: string;
  /** What a refusal answers. */
  readonly refusal: ErrorCode;
}

// One row a line, or as few as fit: rows are added by those who add resources.
export const shares = {
  unknown_credentials: {
    bounds: { perMinute: 20, burst: 20, ownersMax: 10_000 },
    unit: 'look-ups at the control plane of keys that neither this proxy nor Redis has ever held and that turn out not to exist, by address of the caller (IPv6: by /64)',
    refusal: 'rate_limit_exceeded',
  },
} as const satisfies Record<string, ShareRow>;

export type ShareName = keyof typeof shares;
