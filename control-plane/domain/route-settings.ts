// How a route serves its requests, besides the choice of targets.
import type { RouteCacheSettings } from '../../proto/generated/gateway/v1/RouteCacheSettings.ts';
import type { RouteHedge } from '../../proto/generated/gateway/v1/RouteHedge.ts';
import type { RouteSettings, RouteSettings__Output } from '../../proto/generated/gateway/v1/RouteSettings.ts';
import { routeRecoveries } from '../../proto/words/access.ts';
import { wordOf } from './enum-names.ts';
import { all, type Field, invalid, optional, valid } from './field.ts';
import type { WrittenShadow } from './route.ts';
import { within } from './shared-fields.ts';

/** A value for each setting. */
export type WrittenSettings = Required<Omit<RouteSettings, `_${string}` | 'cache' | 'hedge' | 'shadow'>> & {
  /** Absent: off. */
  readonly cache?: WrittenCache;
  /** Absent: off. */
  readonly hedge?: WrittenHedge;
  /** Absent: none. */
  readonly shadow?: WrittenShadow;
};

export type WrittenCache = Required<Pick<RouteCacheSettings, 'ttlSeconds' | 'perScope' | 'pricePercent'>>;

export type WrittenHedge = Pick<RouteHedge, 'afterMs' | 'percentile'>;

export const usualRouteSettings: WrittenSettings = {
  onContext: false,
  onFilter: false,
  onBudget: false,
  keepReasoning: false,
  recovery: 'ROUTE_RECOVERY_OFF',
};

interface AbsentSettings {
  /** As `routeCache` returns it. */
  readonly cache: WrittenCache | undefined;
  /** As `routeHedge` returns it. */
  readonly hedge: WrittenHedge | undefined;
  readonly shadow: WrittenShadow | null | undefined;
}

/**
 * A route that was written by an earlier version lacks later settings.
 * @param changes absent ones stay as they are
 * @param after the settings that may be absent
 */
export function changedRouteSettings(
  before: Partial<WrittenSettings>,
  changes: RouteSettings__Output | null,
  { cache, hedge, shadow }: AbsentSettings,
): WrittenSettings {
  const recovery = routeRecoveries.wordOf(changes?.recovery);
  return {
    onContext: changes?.onContext ?? before.onContext ?? usualRouteSettings.onContext,
    onFilter: changes?.onFilter ?? before.onFilter ?? usualRouteSettings.onFilter,
    onBudget: changes?.onBudget ?? before.onBudget ?? usualRouteSettings.onBudget,
    keepReasoning: changes?.keepReasoning ?? before.keepReasoning ?? usualRouteSettings.keepReasoning,
    recovery: recovery ? routeRecoveries.names[recovery] : (before.recovery ?? usualRouteSettings.recovery),
    ...(cache !== undefined && { cache }),
    ...(hedge !== undefined && { hedge }),
    ...(shadow && { shadow }),
  };
}

/** Of a change; a value that this version does not know is refused. */
export function routeRecovery(changes: RouteSettings__Output | null): Field<unknown> {
  const name = changes?.recovery;
  return name === 'ROUTE_RECOVERY_UNSPECIFIED' ? valid(undefined) : optional(wordOf(routeRecoveries), name);
}

const daySeconds = 86_400;

/** The setting after a change. @param before undefined if it was off */
export function routeCache(
  before: WrittenCache | undefined,
  changes: RouteSettings__Output | null,
): Field<WrittenCache | undefined> {
  const cache = changes?.cache ?? undefined;
  if (cache === undefined) return valid(before);
  const fields = all({
    '.ttl_seconds': optional(within(0, daySeconds), cache.ttlSeconds),
    '.price_percent': optional(within(0, 100), cache.pricePercent),
  });
  if ('problems' in fields) return fields;
  const ttlSeconds = fields.value['.ttl_seconds'] ?? before?.ttlSeconds ?? 0;
  const pricePercent = fields.value['.price_percent'] ?? before?.pricePercent ?? 0;
  if (ttlSeconds > 0) return valid({ ttlSeconds, perScope: cache.perScope ?? before?.perScope ?? false, pricePercent });
  // The other two would be lost without a word.
  const isAlone = cache.ttlSeconds === undefined;
  return isAlone ? invalid('must be set, because no response is stored without it', '.ttl_seconds') : valid(undefined);
}

/** Later, nobody waits for the first one any more. */
const hedgeMsMax = 600_000;
/** Below the median most requests would be late; above 99, a proxy measures too few responses. */
const [percentileMin, percentileMax] = [50, 99];

/** The setting after a change. @param before undefined if it was off */
export function routeHedge(
  before: WrittenHedge | undefined,
  changes: RouteSettings__Output | null,
): Field<WrittenHedge | undefined> {
  const hedge = changes?.hedge ?? undefined;
  if (hedge === undefined) return valid(before);
  const { afterMs, percentile } = hedge;
  if (afterMs !== undefined && percentile !== undefined) return invalid('must have one of after_ms and percentile');
  if (afterMs === undefined && percentile === undefined) return invalid('must have after_ms or percentile');
  if (afterMs === 0 || percentile === 0) return valid(undefined);
  const fields = all({
    '.after_ms': optional(within(1, hedgeMsMax), afterMs),
    '.percentile': optional(within(percentileMin, percentileMax), percentile),
  });
  if ('problems' in fields) return fields;
  const { '.after_ms': after, '.percentile': part } = fields.value;
  if (after !== undefined) return valid({ afterMs: after });
  return valid(part === undefined ? undefined : { percentile: part });
}
