// How a route serves its requests, besides the choice of targets.
import type { RouteSettings, RouteSettings__Output } from '../../proto/generated/gateway/v1/RouteSettings.ts';

/** A value for each setting. */
export type WrittenSettings = Required<Omit<RouteSettings, `_${string}`>>;

export const usualRouteSettings: WrittenSettings = { onContext: false, onFilter: false };

/** @param changes absent ones stay as they are */
export function changedRouteSettings(before: WrittenSettings, changes: RouteSettings__Output | null): WrittenSettings {
  return {
    onContext: changes?.onContext ?? before.onContext,
    onFilter: changes?.onFilter ?? before.onFilter,
  };
}
