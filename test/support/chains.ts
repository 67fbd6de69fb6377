// Chains for tests of other things.
import { systemClock } from '../../common/clock.ts';
import { systemTimers } from '../../common/timers.ts';
import { Chains } from '../../proxy/routing/chain.ts';
import { Health } from '../../proxy/routing/health.ts';
import { HedgeShare } from '../../proxy/routing/hedge-share.ts';
import { TargetLoads } from '../../proxy/routing/target-loads.ts';

/** Without further attempts. */
export function firstTargetOnly(): Chains {
  return chains(false);
}

/** With as many further attempts as a request may have. */
export function freely(): Chains {
  return chains(true);
}

function chains(mayRetry: boolean): Chains {
  return new Chains({
    health: new Health({ clock: systemClock }),
    loads: new TargetLoads({ clock: systemClock }),
    clock: systemClock,
    retryBudget: { request: () => undefined, mayRetry: () => mayRetry },
    hedgeShare: new HedgeShare(),
    metrics: { attemptFailed: () => undefined, streamBroke: () => undefined, hedged: () => undefined },
    timers: systemTimers,
    random: Math.random,
  });
}
