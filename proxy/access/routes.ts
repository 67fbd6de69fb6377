// Routes in the proxy's own types: names that callers use as models, and the targets that serve them.
import type { GroupChoice, RouteRecovery, ScopeKind } from '../../proto/words/access.ts';
import type { Effort } from '../conversation/options.ts';

/**
 * The active routes of an organization. An organization may have thousands, so each is decoded when it is first called.
 */
export interface Routes {
  readonly size: number;
  /** Oldest first. */
  names(): Iterable<string>;
  /**
   * @param name without a slash, or the canonical name of a model that the route replaces
   * @throws Error if the record lacks what the contract promises
   */
  get(name: string): Route | undefined;
}

export const noRoutes: Routes = { size: 0, names: () => [], get: () => undefined };

export interface Route {
  readonly id: string;
  readonly name: string;
  /**
   * In the order in which they are tried. Empty if this version knows none of them: then nothing serves the route, and
   * a route of this name still exists.
   */
  readonly groups: readonly RouteGroup[];
  /** Whether a request whose context is too long for a target goes to the next one. */
  readonly onContext: boolean;
  /** Whether a request that a target's content filter refuses goes to the next one. */
  readonly onFilter: boolean;
  /** A request goes to the next target when a budget of the first one refuses it. */
  readonly onBudget: boolean;
  /** Reasoning that only one provider key can read is sent to that key alone. */
  readonly keepReasoning: boolean;
  /** What follows when a provider cuts a stream of which the caller has a part. */
  readonly recovery: RouteRecovery;
  /** Undefined: no response is stored. */
  readonly cache?: RouteCache | undefined;
  /** Undefined: no request is sent to two targets at a time. */
  readonly hedge?: RouteHedge | undefined;
  /** Undefined: no request is copied. */
  readonly shadow?: RouteShadow | undefined;
  readonly revision: number;
}

/** How responses are stored and returned to equal requests. */
export interface RouteCache {
  /** From 1 second to a day. */
  readonly ttlMs: number;
  /** Each AI system, and each person, has its own. Otherwise the organization shares them. */
  readonly perScope: boolean;
  /** The percentage of its price that a cached response costs, 0 to 100. */
  readonly pricePercent: number;
}

/**
 * When a second target gets a request of which the first one has sent nothing: after a time in milliseconds, or after
 * that in which so many percent of the first one's recent responses came.
 */
export type RouteHedge = { readonly afterMs: number } | { readonly percentile: number };

/** A model that gets copies of requests, whose responses nobody gets. */
export interface RouteShadow extends Pick<RouteTarget, 'model' | 'providerKeyId'> {
  /** The part of the requests that is copied: above 0, to 100. */
  readonly percent: number;
}

export interface RouteGroup {
  /** At least one. */
  readonly targets: readonly RouteTarget[];
  /** All that are given must hold. */
  readonly conditions: RouteConditions;
  /** Which target gets a request first. */
  readonly choice: GroupChoice;
  /** So many requests that a target has in flight make it full. Undefined: only what is measured does. */
  readonly inFlightMax?: number | undefined;
}

export interface RouteConditions {
  readonly streamed: boolean | undefined;
  readonly hasImages: boolean | undefined;
  readonly hasTools: boolean | undefined;
  /** The estimated tokens of the prompt are more than this. */
  readonly tokensAbove: number | undefined;
  /** The value of the header `x-svc-route-tag`. */
  readonly tag: string | undefined;
  /** The scope of the key. */
  readonly scope: { readonly kind: ScopeKind; readonly id: string } | undefined;
}

export interface RouteTarget {
  /** `<provider>/<model>` with the canonical name of the provider, and the model's name as the provider is sent it. */
  readonly model: string;
  /**
   * The only provider key that may be used; if the record does not have it, the target is left out. Undefined: any of
   * the provider.
   */
  readonly providerKeyId: string | undefined;
  /** From 1: the share of the group's requests. */
  readonly weight: number;
  /** The most tokens that a response may have. */
  readonly maxOutputTokens: number | undefined;
  /** Replaces the effort of the request. */
  readonly reasoningEffort: Effort | undefined;
  /** Milliseconds, from 1. They can only shorten the limits of the proxy's settings. */
  readonly firstTokenMs: number | undefined;
  readonly betweenTokensMs: number | undefined;
  readonly wholeMs: number | undefined;
  readonly connectMs: number | undefined;
  /** Percent of the group's requests that it gets first, from 0 to 100; undefined: it is no canary. */
  readonly canary: number | undefined;
}
