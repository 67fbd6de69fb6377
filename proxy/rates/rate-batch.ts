// What goes to Redis together: requests of one shard, those that have ended and those that begin.
import { never } from '../../common/never.ts';
import { nameInShard } from '../redis/shards.ts';
import type { RateAnswer, RateKind, RateLimit } from './rates.ts';

export interface Turn {
  readonly shard: number;
  /** They make room for what begins. */
  readonly ended: readonly Ended[];
  /** In the order in which they came. */
  readonly begun: readonly Begun[];
}

export interface Begun {
  readonly request: CountedRequest;
  readonly resolve: (answer: RateAnswer) => void;
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
  return limits.some(({ kind }) => kind === 'concurrent_requests');
}

/** Whether the end of a request changes anything of such a limit. */
export function isGivenBack(kind: RateKind, correction: number): boolean {
  switch (kind) {
    case 'concurrent_requests':
      return true;
    case 'tokens_per_minute':
      return correction !== 0;
    case 'requests_per_minute':
      return false;
    default:
      return never(kind);
  }
}

export function rateKey(shard: number, kind: RateKind, limitId: string): string {
  return nameInShard('rate:1', shard, `${kind}:${limitId}`);
}
