// A batch: the requests of one shard that are sent to Redis together, those that have ended and those that begin.
import { nameInShard } from '../redis/shards.ts';
import { counted, type RateDecision, type RateKind, type RateLimit } from './rates.ts';

export interface RateBatch {
  readonly shard: number;
  /** They make room for those that begin. */
  readonly ended: readonly Ended[];
  /** In order of arrival. */
  readonly begun: readonly Begun[];
  /** Leases that end without requests that begin. */
  readonly back?: readonly LeaseOfLimit[];
}

/** What the proxy returns of a limit, and would lease of it. */
export interface LeaseOfLimit {
  readonly limit: RateLimit;
  /** Requests or tokens; 0: none. */
  readonly want: number;
  readonly back: EndedLease | undefined;
}

export interface EndedLease {
  /** Of Redis's clock, since 1970: the one in which it was counted. */
  readonly second: number;
  /** Requests or tokens. */
  readonly size: number;
  readonly unused: number;
}

/** Leases that Redis granted in one call. */
export interface LeaseGrants {
  /** In the order of the limits that the call wanted to lease. */
  readonly sizes: readonly number[];
  /** Milliseconds of Redis's clock since 1970: when they were counted. */
  readonly at: number;
}

export interface Begun {
  readonly request: CountedRequest;
  readonly resolve: (response: RateDecision) => void;
  readonly reject: (error: unknown) => void;
}

export interface Ended {
  readonly request: CountedRequest;
  /** Tokens that it used above its estimate; negative: below. */
  readonly correction: number;
  /** Monotonic; when the leases of its slots expire. Undefined if nothing has tried to free them yet. */
  readonly until?: number;
}

export interface CountedRequest {
  readonly shard: number;
  /** The name of its leases. Not the request's id, which its caller may choose, and use twice. */
  readonly name: string;
  readonly limits: readonly RateLimit[];
  readonly tokens: number;
}

export function takesSlots({ limits }: CountedRequest): boolean {
  return limits.some(({ kind }) => counted[kind] === 'slots');
}

/** Whether the end of a request changes a limit of this kind. */
export function isReleased(kind: RateKind, correction: number): boolean {
  return counted[kind] === 'slots' || (counted[kind] === 'tokens' && correction !== 0);
}

export function rateKey(shard: number, kind: RateKind, limitId: string): string {
  return nameInShard('rate:1', shard, `${kind}:${limitId}`);
}
