// When a token of SCIM was last used, to the minute, for owners who want to know which one can go.
import { minuteMs } from '../../common/durations.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';

export interface UsedToken {
  readonly id: string;
  readonly usedAt: number | null;
}

/**
 * Writes at most once a minute for each token, without an audit event. A database that cannot be written refuses no
 * request that only reads.
 * @param now milliseconds since 1970
 */
export async function noteUse(store: Pick<Store, 'ledger'>, { id, usedAt }: UsedToken, now: number): Promise<void> {
  const before = now - minuteMs;
  if (usedAt !== null && usedAt > before) return;
  try {
    await store.ledger(({ db }) =>
      db
        .updateTable('scim_tokens')
        .set({ used_at: now })
        .where('id', '=', id)
        .where((where) => where.or([where('used_at', 'is', null), where('used_at', '<=', before)]))
        .execute(),
    );
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}
