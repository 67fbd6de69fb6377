// Gives every organization a record key, and drops the generations that were replaced 90 days ago. Organizations that an
// older version created have none; it may run beside this one, so the task repeats. Each change is its own, with an
// audit event: two replicas do nothing twice, because each change reads again what it is about to do.
import type { Kysely } from 'kysely';
import type { Logger } from '../../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import type { SealKeys } from '../../common/seal.ts';
import { systemTimers } from '../../common/timers.ts';
import { replacedKeptMs } from '../domain/record-key.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, ChangeTransaction, Store, Unchanged } from '../store/store.ts';
import { dropOver, generationsOf, insertRecordKey, recordKeysChanged, viewOf } from './record-keys.ts';

export interface RecordKeyUpkeepDeps {
  readonly store: Pick<Store, 'change' | 'snapshot' | 'ledger'>;
  readonly masterKeys: SealKeys;
  readonly log: Logger;
}

const everyMs = 3_600_000;

/** Runs at once and every hour. */
export function startRecordKeyUpkeep(deps: RecordKeyUpkeepDeps): PeriodicTask {
  const { log } = deps;
  return startPeriodicTask(() => keepRecordKeys(deps), {
    what: 'upkeep of record keys',
    everyMs,
    log,
    timers: systemTimers,
  });
}

/** @throws StoreUnavailableError */
export async function keepRecordKeys({ store, masterKeys }: Omit<RecordKeyUpkeepDeps, 'log'>): Promise<void> {
  const now = await store.ledger(async (tx) => tx.now);
  const { lacking, over } = await store.snapshot((db) => readDue(db, now));
  for (const organizationId of lacking) {
    await store.change(contextOf('Organizations.CreateRecordKey'), async (tx) => {
      if ((await generationsOf(tx.db, organizationId)).length > 0) return { unchanged: undefined };
      await insertRecordKey(tx.db, masterKeys, { organizationId, generation: 1, now: tx.now });
      return await changed(tx, organizationId);
    });
  }
  for (const organizationId of over) {
    await store.change(contextOf('Organizations.DropRecordKey'), async (tx): Promise<Outcome> => {
      const wereAny = await dropOver(tx.db, organizationId, tx.now);
      return wereAny ? await changed(tx, organizationId) : { unchanged: undefined };
    });
  }
}

type Outcome = Change<undefined> | Unchanged<undefined>;

function contextOf(action: string) {
  return { actor: { kind: 'system', id: 'record-keys' }, from: '', action } as const;
}

async function changed({ db }: ChangeTransaction, organizationId: string): Promise<Outcome> {
  return {
    result: undefined,
    organizationId,
    target: { kind: 'record_key', id: organizationId },
    after: { recordKeys: (await generationsOf(db, organizationId)).map(viewOf) },
    invalidations: [recordKeysChanged(organizationId)],
  };
}

async function readDue(db: Kysely<Schema>, now: number) {
  const lacking = await db
    .selectFrom('organizations')
    .leftJoin('record_keys', 'record_keys.organization_id', 'organizations.id')
    .select('organizations.id')
    .where('record_keys.organization_id', 'is', null)
    .orderBy('organizations.id')
    .execute();
  const over = await db
    .selectFrom('record_keys')
    .select('organization_id as id')
    .distinct()
    .where('replaced_at', '<=', now - replacedKeptMs)
    .orderBy('organization_id')
    .execute();
  return { lacking: lacking.map(({ id }) => id), over: over.map(({ id }) => id) };
}
