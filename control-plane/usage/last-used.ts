// When a key was last used, by which request at which proxy, for operators. It is exact to a minute, so that a busy key's row is not written with every
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
  const rows = sql.join(
    uses.map(({ id, at, request, model, session }) => sql`(${id}, ${sql.lit(at)}, ${request}, ${model}, ${session})`),
  );
  await sql`
    with used (id, at, request, model, session) as (values ${rows})
    update virtual_keys set last_used_at = used.at, last_used_request = used.request, last_used_model = used.model,
      last_used_proxy = (select proxy from ledger_sessions where ledger_sessions.id = used.session) from used
    where virtual_keys.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(db);
}

interface Use {
  readonly id: string;
  readonly organizationId: string;
  readonly at: number;
  readonly request: string;
  readonly model: string;
  readonly session: string;
}

function lastUses(events: readonly UsageEventRow[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const event of events) {
    const { at, organization_id: organizationId } = event;
    const from = { request: event.request_id, model: event.model_asked, session: event.session_id };
    for (const id of [event.key_id, event.project_key_id]) {
      if (id !== null && at > (uses.get(id)?.at ?? -1)) uses.set(id, { id, organizationId, at, ...from });
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
