// All alerts, and the series recorded for them.
import type { AlertGroup, Recorded } from './alert.ts';
import { controlPlaneAlerts } from './control-plane.ts';
import { injectorAlerts } from './injector.ts';
import { moneyAlerts } from './money.ts';
import { proxyAlerts } from './proxy.ts';

export const alertGroups: readonly AlertGroup[] = [
  ...proxyAlerts,
  ...moneyAlerts,
  ...controlPlaneAlerts,
  ...injectorAlerts,
];

export const recorded: readonly Recorded[] = alertGroups.flatMap((group) => group.recorded ?? []);
