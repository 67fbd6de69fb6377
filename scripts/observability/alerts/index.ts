// All alerts, and what is recorded for them.
import type { AlertGroup } from './alert.ts';
import { controlPlaneAlerts } from './control-plane.ts';
import { injectorAlerts } from './injector.ts';
import { moneyAlerts } from './money.ts';
import { proxyAlerts } from './proxy.ts';

export { recorded } from './recorded.ts';

export const alertGroups: readonly AlertGroup[] = [
  ...proxyAlerts,
  ...moneyAlerts,
  ...controlPlaneAlerts,
  ...injectorAlerts,
];
