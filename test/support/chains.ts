// Chains without further attempts, for tests of other things.
import { systemClock } from '../../common/clock.ts';
import { systemTimers } from '../../common/timers.ts';
import { Chains } from '../../proxy/routing/chain.ts';
import { Health } from '../../proxy/routing/health.ts';

export function firstTargetOnly(): Chains {
  return new Chains({
    health: new Health({ clock: systemClock }),
    clock: systemClock,
    retryBudget: { request: () => undefined, mayRetry: () => false },
    metrics: { attemptFailed: () => undefined },
    timers: systemTimers,
    random: Math.random,
  });
}
