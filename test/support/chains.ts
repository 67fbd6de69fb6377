// Chains of attempts without health and without further attempts, for tests of other things.
import { systemTimers } from '../../common/timers.ts';
import { Chains } from '../../proxy/routing/chain.ts';

export function firstTargetOnly(): Chains {
  return new Chains({
    health: { isQuiet: true, usable: (targets) => targets, failed: () => undefined, succeeded: () => undefined },
    retryBudget: { request: () => undefined, mayRetry: () => false },
    timers: systemTimers,
    random: Math.random,
  });
}
