// Folds finished hours, each minute. Between two pieces it waits as long as a piece took, so that the ledger never waits for
// more than one of them: a database of an older version may have millions of rows to fold.
import { setTimeout as sleep } from 'node:timers/promises';
import { minuteMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';
import { foldPiece, whatToFold } from './fold.ts';

export interface FoldTaskDeps {
  readonly store: Pick<Store, 'ledger'>;
  readonly log: Logger;
}

/** Runs at once and every minute. Every replica may run it. */
export function startFoldTask({ store, log }: FoldTaskDeps): PeriodicTask {
  const stopped = new AbortController();
  const { signal } = stopped;
  const work = async () => {
    for (const next of await whatToFold(store)) {
      let more = true;
      while (more && !signal.aborted) {
        const startedAt = performance.now();
        more = await foldPiece(store, next);
        await sleep(performance.now() - startedAt, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  };
  const task = startPeriodicTask(work, { what: 'sums of usage', everyMs: minuteMs, log, timers: systemTimers });
  return {
    wake: task.wake,
    close: () => {
      stopped.abort();
      return task.close();
    },
  };
}
