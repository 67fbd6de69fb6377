// After a restore or a promotion the ledger may lack its last commits until proxies report them again, so money that
// looks free may be spent. Nothing is granted for a short time, unless every session that the ledger knows has been
// closed.
import { noteRestored, restoredAt } from '../store/epochs.ts';
import type { LedgerTransaction } from '../store/store.ts';

/** By the database's clock, from the first transaction that found itself in another history. */
export const healingMs = 5_000;

const refreshMs = 1_000;

export class Healing {
  #epoch = '';
  #until = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  async isHealing(tx: LedgerTransaction): Promise<boolean> {
    const isFresh = tx.epoch === this.#epoch && Math.abs(tx.now - this.#readAt) < refreshMs;
    if (!isFresh) await this.#read(tx);
    return tx.now < this.#until && (await hasEarlierSession(tx));
  }

  async #read(tx: LedgerTransaction): Promise<void> {
    if (tx.epoch !== this.#epoch) await noteRestored(tx);
    const at = await restoredAt(tx.db);
    this.#until = at === undefined ? Number.NEGATIVE_INFINITY : at + healingMs;
    this.#readAt = tx.now;
    this.#epoch = tx.epoch;
  }
}

async function hasEarlierSession({ db, epoch }: LedgerTransaction): Promise<boolean> {
  const earlier = await db
    .selectFrom('ledger_sessions')
    .select('id')
    .where('open', '=', 1)
    .where('expired_at', 'is', null)
    .where((where) => where.or([where('epoch', 'is', null), where('epoch', '<>', epoch)]))
    .limit(1)
    .executeTakeFirst();
  return earlier !== undefined;
}
