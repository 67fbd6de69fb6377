// How a route serves its requests, besides the choice of targets.
import type { RouteSettings, RouteSettings__Output } from '../../proto/generated/gateway/v1/RouteSettings.ts';
import { routeRecoveries } from '../../proto/words/access.ts';
import { wordOf } from './enum-names.ts';
import { type Field, optional, valid } from './field.ts';

/** A value for each setting. */
export type WrittenSettings = Required<Omit<RouteSettings, `_${string}`>>;

export const usualRouteSettings: WrittenSettings = {
  onContext: false,
  onFilter: false,
  recovery: 'ROUTE_RECOVERY_OFF',
};

/**
 * A route that was written by an earlier version lacks later settings.
 * @param changes absent ones stay as they are
 */
export function changedRouteSettings(
  before: Partial<WrittenSettings>,
  changes: RouteSettings__Output | null,
): WrittenSettings {
  const recovery = routeRecoveries.wordOf(changes?.recovery);
  return {
    onContext: changes?.onContext ?? before.onContext ?? usualRouteSettings.onContext,
    onFilter: changes?.onFilter ?? before.onFilter ?? usualRouteSettings.onFilter,
    recovery: recovery ? routeRecoveries.names[recovery] : (before.recovery ?? usualRouteSettings.recovery),
  };
}

/** Of a change; a value that this version does not know is refused. */
export function routeRecovery(changes: RouteSettings__Output | null): Field<unknown> {
  const name = changes?.recovery;
  return name === 'ROUTE_RECOVERY_UNSPECIFIED' ? valid(undefined) : optional(wordOf(routeRecoveries), name);
}
