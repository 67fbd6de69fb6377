// Decodes routes of the contract into the proxy's own types. A target or group with a value that this version does not
// know is left out: the rest of the route still serves. The route itself always stays, because its name must not become
// that of another model.
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
import type { RouteBody__Output } from '../../proto/generated/gateway/v1/RouteBody.ts';
import type { RouteCacheSettings__Output } from '../../proto/generated/gateway/v1/RouteCacheSettings.ts';
import type { RouteConditions__Output } from '../../proto/generated/gateway/v1/RouteConditions.ts';
import type { RouteGroup__Output } from '../../proto/generated/gateway/v1/RouteGroup.ts';
import type { RouteHedge__Output } from '../../proto/generated/gateway/v1/RouteHedge.ts';
import type { RouteRecord__Output } from '../../proto/generated/gateway/v1/RouteRecord.ts';
import type { RouteShadow__Output } from '../../proto/generated/gateway/v1/RouteShadow.ts';
import type { RouteTarget__Output } from '../../proto/generated/gateway/v1/RouteTarget.ts';
import { routeBodyType } from '../../proto/load.ts';
import { groupChoices, reasoningEfforts, routeRecoveries, scopeKinds } from '../../proto/words/access.ts';
import {
  noRoutes,
  type Route,
  type RouteConditions,
  type RouteGroup,
  type RouteHedge,
  type Routes,
  type RouteTarget,
} from '../access/routes.ts';
import { whole } from './wire-values.ts';

/** @throws Error if a record lacks what the contract promises */
export function decodeRoutes(records: readonly RouteRecord__Output[]): Routes {
  return records.length === 0 ? noRoutes : new EncodedRoutes(records);
}

class EncodedRoutes implements Routes {
  /** Encoded until it is first called. Of two names that mean the same model by now, the older route counts. */
  readonly #routes = new Map<string, Buffer | Route>();

  constructor(records: readonly RouteRecord__Output[]) {
    for (const record of records) {
      if (record.name === '') throw new Error('the record contains a route without a name');
      const name = record.name.includes('/') ? canonicalSelector(record.name) : record.name;
      if (!this.#routes.has(name)) this.#routes.set(name, record.body);
    }
  }

  get size(): number {
    return this.#routes.size;
  }

  names(): Iterable<string> {
    return this.#routes.keys();
  }

  get(name: string): Route | undefined {
    const found = this.#routes.get(name);
    if (!Buffer.isBuffer(found)) return found;
    const route = decodeRoute(name, routeBodyType.deserialize(found));
    this.#routes.set(name, route);
    return route;
  }
}

function decodeRoute(name: string, body: RouteBody__Output): Route {
  if (body.id === '') throw new Error('the record contains half a route');
  return {
    id: body.id,
    name,
    groups: body.groups.flatMap(decodeGroup),
    onContext: body.settings?.onContext ?? false,
    onFilter: body.settings?.onFilter ?? false,
    onBudget: body.settings?.onBudget ?? false,
    keepReasoning: body.settings?.keepReasoning ?? false,
    recovery: routeRecoveries.wordOf(body.settings?.recovery) ?? 'off',
    ...cacheOf(body.settings?.cache),
    ...hedgeOf(body.settings?.hedge),
    ...shadowOf(body.settings?.shadow),
    revision: whole(body.revision),
  };
}

/** A day. No control plane of this version writes a longer one. */
const ttlSecondsMax = 86_400;

function cacheOf(cache: RouteCacheSettings__Output | null | undefined): Pick<Route, 'cache'> {
  const { ttlSeconds = 0, perScope = false, pricePercent = 0 } = cache ?? {};
  if (ttlSeconds === 0) return {};
  const ttlMs = Math.min(ttlSeconds, ttlSecondsMax) * 1000;
  return { cache: { ttlMs, perScope, pricePercent: Math.min(pricePercent, 100) } };
}

function hedgeOf(hedge: RouteHedge__Output | null | undefined): { readonly hedge?: RouteHedge } {
  const { afterMs = 0, percentile = 0 } = hedge ?? {};
  if (afterMs > 0) return { hedge: { afterMs } };
  return percentile > 0 ? { hedge: { percentile: Math.min(percentile, 99) } } : {};
}

function shadowOf(shadow: RouteShadow__Output | null | undefined): Pick<Route, 'shadow'> {
  if (!shadow || shadow.model === '') return {};
  const { model, providerKeyId, percent } = shadow;
  return { shadow: { model: storedSelector(model), providerKeyId: providerKeyId || undefined, percent } };
}

function decodeGroup(group: RouteGroup__Output): RouteGroup[] {
  const { targets, conditions, choice: name, inFlightMax = 0 } = group;
  const known = targets.flatMap(decodeTarget);
  const decoded = conditions === null ? always : decodeConditions(conditions);
  const choice = groupChoices.wordOf(name) ?? 'weighted';
  if (known.length === 0 || decoded === undefined) return [];
  return [{ targets: known, conditions: decoded, choice, ...(inFlightMax > 0 && { inFlightMax }) }];
}

/** Shared, because most groups have no conditions. */
const always: RouteConditions = {
  streamed: undefined,
  hasImages: undefined,
  hasTools: undefined,
  tokensAbove: undefined,
  tag: undefined,
  scope: undefined,
};

/** Undefined if a condition cannot hold, because no key of this version has such a scope. */
function decodeConditions(conditions: RouteConditions__Output): RouteConditions | undefined {
  const { streamed, hasImages, hasTools, tokensAbove, tag, scope } = conditions;
  const kind = scope === null ? undefined : scopeKinds.wordOf(scope.kind);
  if (scope !== null && kind === undefined) return undefined;
  return {
    streamed,
    hasImages,
    hasTools,
    tokensAbove,
    tag: tag === '' ? undefined : tag,
    scope: scope === null || kind === undefined ? undefined : { kind, id: scope.id },
  };
}

function decodeTarget(target: RouteTarget__Output): RouteTarget[] {
  const { model, providerKeyId, maxOutputTokens } = target;
  if (model === '') throw new Error('the record contains a target without a model');
  const effort = target.reasoningEffort;
  const isUnset = effort === undefined || effort === 'REASONING_EFFORT_UNSPECIFIED';
  const reasoningEffort = isUnset ? undefined : reasoningEfforts.wordOf(effort);
  if (!isUnset && reasoningEffort === undefined) return [];
  return [
    {
      model: storedSelector(model),
      providerKeyId: providerKeyId || undefined,
      weight: target.weight || 1,
      maxOutputTokens: maxOutputTokens || undefined,
      reasoningEffort,
      firstTokenMs: target.firstTokenMs || undefined,
      betweenTokensMs: target.betweenTokensMs || undefined,
      wholeMs: target.wholeMs || undefined,
      connectMs: target.connectMs || undefined,
      canary: target.canary,
    },
  ];
}
