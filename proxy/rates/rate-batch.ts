// What goes to Redis together: requests of one shard, those that have ended and those that begin.
import { nameInShard } from '../redis/shards.ts';
import { counted, type RateDecision, type RateKind, type RateLimit } from './rates.ts';

export interface Turn {
  readonly shard: number;
  /** They make room for what begins. */
  readonly ended: readonly Ended[];
  /** In the order in which they came. */
  readonly begun: readonly Begun[];
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
  /** Monotonic: then its places are free by themselves. Undefined where nobody has tried to free them yet. */
  readonly until?: number;
}

export interface CountedRequest {
  readonly shard: number;
  /** Of its leases. Not the request's id, which its caller may choose, and use twice. */
  readonly name: string;
  readonly limits: readonly RateLimit[];
  readonly tokens: number;
}

export function holdsPlaces({ limits }: CountedRequest): boolean {
  return limits.some(({ kind }) => counted[kind] === 'slots');
}

/** Whether the end of a request changes anything of such a limit. */
export function isGivenBack(kind: RateKind, correction: number): boolean {
  return counted[kind] === 'slots' || (counted[kind] === 'tokens' && correction !== 0);
}

export function rateKey(shard: number, kind: RateKind, limitId: string): string {
  return nameInShard('rate:1', shard, `${kind}:${limitId}`);
}
