// When a key was last used, for operators. It is exact to a minute, so that a busy key's row is not written with every
// report. It is no change of the store: it takes no revision, and proxies are not notified.
import { type Kysely, sql } from 'kysely';
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';

const stepMs = 60_000;

/** Records the use of each event's key and project key, if they belong to the event's organization. */
export async function noteLastUse({ db, locks }: LedgerTransaction, events: readonly UsageEventRow[]): Promise<void> {
  const uses = await usesToNote(db, lastUses(events));
  if (uses.length === 0) return;
  const ids = uses.map(({ id }) => id);
  await locks.update(db.selectFrom('virtual_keys').select('id').where('id', 'in', ids).orderBy('id')).execute();
  const rows = sql.join(uses.map(({ id, at }) => sql`(${id}, ${sql.lit(at)})`));
  await sql`
    with used (id, at) as (values ${rows})
    update virtual_keys set last_used_at = used.at from used
    where virtual_keys.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(db);
}

interface Use {
  readonly id: string;
  readonly organizationId: string;
  readonly at: number;
}

function lastUses(events: readonly UsageEventRow[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const { at, organization_id: organizationId, key_id, project_key_id } of events) {
    for (const id of [key_id, project_key_id]) {
      if (id !== null && at > (uses.get(id)?.at ?? -1)) uses.set(id, { id, organizationId, at });
    }
  }
  return uses;
}

async function usesToNote(db: Kysely<Schema>, uses: ReadonlyMap<string, Use>): Promise<readonly Use[]> {
  if (uses.size === 0) return [];
  const keys = await db
    .selectFrom('virtual_keys')
    .select(['id', 'organization_id', 'last_used_at'])
    .where('id', 'in', [...uses.keys()])
    .execute();
  return keys.flatMap(({ id, organization_id, last_used_at }) => {
    const use = uses.get(id);
    if (use === undefined || use.organizationId !== organization_id) return [];
    return last_used_at === null || last_used_at + stepMs <= use.at ? [use] : [];
  });
}
