// Sessions: one run of a proxy, as long as it sends messages. A closed session never opens again.
import type { Clock } from '../../common/clock.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { notFound } from '../rpc/errors.ts';
import { noteRestored } from '../store/epochs.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import type { SessionRow } from './locks.ts';

export interface KeptSession {
  readonly open: boolean;
  /** Sessions that sent a message within the last minute, including this one. */
  readonly sessions: number;
  /** Remaining nano-dollars of this session's open leases. */
  readonly leased: number;
}

/** Opens a session or keeps it open. @throws CallError not_found for the session of another proxy */
export async function keepSession(tx: LedgerTransaction, caller: ProxyCaller, id: string): Promise<KeptSession> {
  const open = await isKept(tx, caller, id);
  const { count: sessions } = await tx.db
    .selectFrom('ledger_sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('open', '=', 1)
    .where('expired_at', 'is', null)
    .where('seen_at', '>=', tx.now - silenceMaxMs)
    .executeTakeFirstOrThrow();
  const { leased } = await tx.db
    .selectFrom('leases')
    .select(({ fn }) => fn.sum<number | string | null>('remaining').as('leased'))
    .where('session_id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return { open, sessions: Number(sessions), leased: Number(leased ?? 0) };
}

async function isKept(tx: LedgerTransaction, caller: ProxyCaller, id: string): Promise<boolean> {
  const { db, now } = tx;
  if (await addSession(tx, caller, { id, open: true })) {
    // Records the restore first, so that no money is acquired in a history that the database does not remember.
    await noteRestored(tx);
    return true;
  }
  const kept = await db
    .updateTable('ledger_sessions')
    .set({ seen_at: now })
    .where('id', '=', id)
    .where('proxy', '=', caller.id)
    .where('open', '=', 1)
    .returning('id')
    .executeTakeFirst();
  if (kept !== undefined) return true;
  const session = await db.selectFrom('ledger_sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  requireOwn(session, caller);
  return false;
}

/** @returns false if the session exists already; it stays unchanged */
export async function addSession(
  { db, epoch, now }: LedgerTransaction,
  caller: ProxyCaller,
  { id, open }: { readonly id: string; readonly open: boolean },
): Promise<boolean> {
  const added = await db
    .insertInto('ledger_sessions')
    .values({
      id,
      proxy: caller.id,
      organization_id: caller.organizationId ?? null,
      open: open ? 1 : 0,
      seen_at: now,
      expired_at: open ? null : now,
      epoch,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** A session that is silent for longer, by the database's clock, is closed. */
export const silenceMaxMs = 60_000;

/** @throws CallError not_found: the response is the same for a session of another proxy and one that does not exist */
export function requireOwn(session: SessionRow, caller: ProxyCaller): void {
  if (session.proxy !== caller.id) throw notFound('session');
}

export interface SessionTouches {
  /** Records that the caller's sessions among these are alive, because any call of the ledger shows it. */
  touch(caller: ProxyCaller, ids: readonly string[]): Promise<void>;
}

const touchEveryMs = 5000;
const sessionsMax = 10_000;

/**
 * Writes only now and then, in a transaction of its own, so that it neither delays acquisitions nor waits for them. A
 * proxy that reports events of another, dead proxy does not keep that proxy's session open.
 */
export function createSessionTouches(store: Pick<Store, 'ledger'>, clock: Clock): SessionTouches {
  const touched = lruCache<number>(sessionsMax);
  return {
    async touch(caller, ids) {
      const at = clock.monotonic();
      const key = (id: string) => `${caller.id} ${id}`;
      const due = ids.filter((id) => at - (touched.get(key(id)) ?? Number.NEGATIVE_INFINITY) >= touchEveryMs);
      if (due.length === 0) return;
      for (const id of due) touched.set(key(id), at);
      await store.ledger(({ db, now }) =>
        db
          .updateTable('ledger_sessions')
          .set({ seen_at: now })
          .where('id', 'in', due)
          .where('proxy', '=', caller.id)
          .where('open', '=', 1)
          .execute(),
      );
    },
  };
}
