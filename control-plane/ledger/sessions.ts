// Sessions: a proxy's run, as long as it is heard. One that was closed never opens again.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../common/clock.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { notFound } from '../rpc/errors.ts';
import { noteRestored } from '../store/epochs.ts';
import type { BooksTransaction, Store } from '../store/store.ts';
import type { SessionRow } from './locks.ts';

export interface KeptSession {
  readonly open: boolean;
  /** That were heard within a minute, this one too. */
  readonly sessions: number;
  /** Nano-dollars that open leases of this one have left. */
  readonly leased: number;
}

/** Opens a session, or keeps it open. @throws CallError not_found for another proxy's */
export async function keepSession(
  tx: BooksTransaction,
  caller: ProxyCaller,
  id: string,
): Promise<KeptSession> {
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

async function isKept(tx: BooksTransaction, caller: ProxyCaller, id: string): Promise<boolean> {
  const { db, now } = tx;
  if (await addSession(tx, caller, { id, open: true })) {
    // So that no money was ever drawn in a history that the database does not remember.
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
  const session = await db
    .selectFrom('ledger_sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  requireOwn(session, caller);
  return false;
}

/** @returns false where it is there already: it stays as it is */
export async function addSession(
  { db, epoch, now }: BooksTransaction,
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

/** A session that was silent for longer, by the database's clock, is closed. */
export const silenceMaxMs = 60_000;

/** @throws CallError not_found: what is another proxy's and what does not exist answer the same */
export function requireOwn(session: SessionRow, caller: ProxyCaller): void {
  if (session.proxy !== caller.id) throw notFound('session');
}

export interface SessionTouches {
  /** Notes that the caller's sessions among these are there: any call of the ledger shows it. */
  touch(caller: ProxyCaller, ids: readonly string[]): Promise<void>;
}

const touchEveryMs = 5000;
const sessionsMax = 10_000;

/**
 * Writes now and then only, and in a transaction of its own: it waits for nobody who draws, nor they for it. Whoever reports
 * the events of a proxy that is gone does not keep its session open.
 */
export function createSessionTouches(store: Pick<Store, 'books'>, clock: Clock): SessionTouches {
  const touched = new LRUCache<string, number>({ max: sessionsMax });
  return {
    async touch(caller, ids) {
      const at = clock.monotonic();
      const key = (id: string) => `${caller.id} ${id}`;
      const due = ids.filter((id) => at - (touched.get(key(id)) ?? Number.NEGATIVE_INFINITY) >= touchEveryMs);
      if (due.length === 0) return;
      for (const id of due) touched.set(key(id), at);
      await store.books(({ db, now }) =>
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
