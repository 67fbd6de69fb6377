// How transactions keep out of each other's way in PostgreSQL.
import { sql } from 'kysely';
import type { RowLocks } from './store.ts';

// The first of the two numbers that an advisory lock is named by: what the second one means.
const booksOfOrganizations = 1;
// A transaction that shares the turns of a thousand organizations must not fill the server's table of locks.
const turns = 64;

export const postgresLocks: RowLocks = {
  // The weakest that `update` excludes: a session is noted as seen while others draw in it.
  share: (query) => query.forKeyShare(),
  update: (query) => query.forUpdate(),
  organizations: async (db, ids, turn) => {
    if (ids.length === 0) return;
    const lock = turn === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
    await sql`
      select ${lock}(${sql.lit(booksOfOrganizations)}, turn) from (
        select distinct abs(hashtext(id) % ${sql.lit(turns)}) as turn from unnest(${ids}::text[]) as id order by turn
      ) as wanted`.execute(db);
  },
};
