// All dashboards.
import type { Dashboard } from '../dashboard.ts';
import { access } from './access.ts';
import { controlPlane } from './control-plane.ts';
import { cost } from './cost.ts';
import { injector } from './injector.ts';
import { latency } from './latency.ts';
import { limits } from './limits.ts';
import { providers } from './providers.ts';
import { traffic } from './traffic.ts';

export const dashboards: readonly Dashboard[] = [
  traffic,
  cost,
  latency,
  limits,
  access,
  providers,
  controlPlane,
  injector,
];
