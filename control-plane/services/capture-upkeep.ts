// Deletes captured content at its expiry, every minute and a bounded piece at a time, and forgets settings that ended long
// ago. Every hour it replaces key pairs that are a month old, and deletes those to which nothing is sealed any more. Two
// replicas do nothing twice, because each change reads again what it is about to do.
import { type Kysely, sql } from 'kysely';
import { hourMs, minuteMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import type { SealKeys } from '../../common/seal.ts';
import { systemTimers } from '../../common/timers.ts';
import { captureKeyMs, lateCapturesMs } from '../domain/capture-key.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, Store, Unchanged } from '../store/store.ts';
import { captureKeysOf, dropCaptureKeys, ensureCaptureKey, replaceCaptureKey } from './capture-keys.ts';
import { endedCapturesMs } from './captures.ts';
import { organizationChanged } from './organizations.ts';

export interface CaptureUpkeepDeps {
  readonly store: Pick<Store, 'change' | 'snapshot' | 'ledger'>;
  readonly masterKeys: SealKeys;
  readonly log: Logger;
}

/** Both tasks run at once too. */
export function startCaptureUpkeep(deps: CaptureUpkeepDeps): Pick<PeriodicTask, 'close'> {
  const { log } = deps;
  const options = { log, timers: systemTimers };
  const piece = async () => {
    if (await expireCaptures(deps)) expiry.wake();
  };
  const expiry = startPeriodicTask(piece, { ...options, what: 'expiry of captures', everyMs: minuteMs });
  const keys = startPeriodicTask(() => keepCaptureKeys(deps), {
    ...options,
    what: 'upkeep of keys of captures',
    everyMs: hourMs,
  });
  return {
    close: async () => {
      await Promise.all([expiry.close(), keys.close()]);
    },
  };
}

const batchRows = 500;

/** Does one piece. @returns whether there is more to delete. @throws StoreUnavailableError */
export async function expireCaptures({ store }: Pick<CaptureUpkeepDeps, 'store'>): Promise<boolean> {
  return await store.ledger(async ({ db, now }) => {
    await db
      .deleteFrom('capture_settings')
      .where('ends_at', '<', now - endedCapturesMs)
      .execute();
    const { numAffectedRows } = await sql`
      delete from captures where (organization_id, id, side) in (
        select organization_id, id, side from captures where expires_at <= ${now} order by expires_at
        limit ${sql.lit(batchRows)}
      )`.execute(db);
    return numAffectedRows === BigInt(batchRows);
  });
}

/** @throws StoreUnavailableError */
export async function keepCaptureKeys({ store, masterKeys }: Omit<CaptureUpkeepDeps, 'log'>): Promise<void> {
  const now = await store.ledger(async (tx) => tx.now);
  const due = await store.snapshot((db) => readDue(db, now));
  for (const organizationId of due)
    await store.change(
      contextOf('Captures.KeepKeys'),
      async (tx): Promise<Change<undefined> | Unchanged<undefined>> => {
        const of = { organizationId, now: tx.now };
        const isOn = await isCapturing(tx.db, of);
        const isReplaced = isOn ? await ensureCaptureKey(tx.db, masterKeys, of) : await replaceOld(tx.db, of);
        const isDropped = await dropCaptureKeys(tx.db, of);
        if (!isReplaced && !isDropped) return { unchanged: undefined };
        return {
          result: undefined,
          organizationId,
          target: { kind: 'capture_key', id: organizationId },
          after: { captureKeys: await captureKeysOf(tx.db, organizationId) },
          invalidations: isReplaced ? [organizationChanged(organizationId)] : [],
        };
      },
    );
}

function contextOf(action: string) {
  return { actor: { kind: 'system', id: 'captures' }, from: '', action } as const;
}

interface Of {
  readonly organizationId: string;
  readonly now: number;
}

async function isCapturing(db: Kysely<Schema>, { organizationId, now }: Of): Promise<boolean> {
  const row = await db
    .selectFrom('capture_settings')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('ends_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** An organization that captures nothing needs no present key; it gets one with its next setting. */
async function replaceOld(db: Kysely<Schema>, of: Of): Promise<boolean> {
  const old = await db
    .selectFrom('capture_keys')
    .select('generation')
    .where('organization_id', '=', of.organizationId)
    .where('replaced_at', 'is', null)
    .where('created_at', '<=', of.now - captureKeyMs)
    .executeTakeFirst();
  return old !== undefined && (await replaceCaptureKey(db, of));
}

/** Organizations with a key that may have to be replaced or deleted. */
async function readDue(db: Kysely<Schema>, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('capture_keys')
    .select('organization_id as id')
    .distinct()
    .where((where) =>
      where.or([
        where.and([where('replaced_at', 'is', null), where('created_at', '<=', now - captureKeyMs)]),
        where('replaced_at', '<=', now - lateCapturesMs),
      ]),
    )
    .orderBy('organization_id')
    .execute();
  return rows.map(({ id }) => id);
}
