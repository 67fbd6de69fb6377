// Deletes invalidations that are older than any proxy may be, a bounded batch at a time, so that a change never waits
// long.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../common/logger.ts';
import type { Backend } from './kysely-store.ts';

export interface PruneOptions {
  readonly backend: Pick<Backend, 'changes' | 'now'>;
  readonly keptMs: number;
  readonly log: Logger;
}

const everyMs = 600_000;
const batchRows = 5000;
// Between batches, changes can lock the feed's row.
const pauseMs = 100;

/** Prunes at once and every ten minutes. */
export function startPruning(options: PruneOptions): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const running = pruneForever(options, stopped.signal);
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}

async function pruneForever(options: PruneOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let more = false;
    try {
      more = await pruneBatch(options);
    } catch (err) {
      options.log.warn({ err }, 'old changes could not be pruned; trying again later');
    }
    await sleep(more ? pauseMs : everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** @returns whether there is more to prune */
export function pruneBatch({ backend, keptMs }: Omit<PruneOptions, 'log'>): Promise<boolean> {
  return backend.changes.transaction().execute(async (tx) => {
    const old = await tx
      .selectFrom('changes')
      .select('revision')
      .where('at', '<', (time) => time(backend.now(), '-', keptMs))
      .orderBy('revision')
      .limit(batchRows)
      .execute();
    const last = old.at(-1)?.revision;
    if (last === undefined) return false;
    // Updated before the rows are deleted, in the same transaction: a reader sees both or neither.
    await tx.updateTable('feed').set({ pruned_revision: last }).where('pruned_revision', '<', last).execute();
    await tx.deleteFrom('changes').where('revision', '<=', last).execute();
    return old.length === batchRows;
  });
}
