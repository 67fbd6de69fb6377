// Checks the stored selectors of models when the control plane starts, and every hour: a limit whose selector matches
// nothing limits nobody and shows no sign of it. The log contains ids only, because its readers need not know the text
// of an organization's selectors.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers } from '../../common/timers.ts';
import type { StoredProblem } from '../../proto/words/access.ts';
import type { Store } from '../store/store.ts';
import { checkSelectors, type SelectorFindings } from './stored-selectors.ts';

export interface SelectorMetrics {
  selectorsFound(counts: Readonly<Record<StoredProblem, number>>): void;
}

export interface SelectorWatch {
  /** The result of the last check; undefined before the first. */
  last(): LookedAt | undefined;
  close(): Promise<void>;
}

export interface LookedAt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly findings: SelectorFindings;
}

export interface SelectorWatchDeps {
  readonly store: Pick<Store, 'snapshot'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: SelectorMetrics;
}

const everyMs = 3_600_000;
/** How many selectors a log line lists. */
const namedMax = 20;

export function startSelectorWatch({ store, clock, log, metrics }: SelectorWatchDeps): SelectorWatch {
  let last: LookedAt | undefined;
  let reported = '';
  const look = async () => {
    const findings = await checkSelectors({
      read: (work) => store.snapshot((db) => work(db)),
      organizationId: undefined,
    });
    last = { at: clock.now(), findings };
    metrics.selectorsFound(findings.counts);
    const named = findings.found.slice(0, namedMax).map(({ holder, id, organizationId, problem }) => ({
      holder,
      id,
      problem,
      ...(organizationId !== null && { organization_id: organizationId }),
    }));
    const line = JSON.stringify([findings.counts, named]);
    if (line === reported) return;
    reported = line;
    if (named.length > 0) log.warn({ counts: findings.counts, selectors: named }, warning);
  };
  const task = startPeriodicTask(look, {
    what: 'the check of stored selectors',
    everyMs,
    log,
    timers: systemTimers,
  });
  return { last: () => last, close: () => task.close() };
}

const warning =
  'stored selectors of models match no known model, or were written with an alias and apply from now on; their owners see more with gatewayctl doctor';
