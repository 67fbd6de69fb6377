// How long sessions last: the platform's times, and those of an organization where they are shorter.
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';

export interface SessionTimes {
  /** A session that nobody uses for so long has ended. */
  readonly idleMs: number;
  /** A session has ended so long after the sign-in. */
  readonly maxMs: number;
}

/** @param personId whose organization may have shorter times */
export async function timesFor(db: Kysely<Schema>, personId: string, times: SessionTimes): Promise<SessionTimes> {
  const row = await db
    .selectFrom('people')
    .innerJoin('sign_in_settings', 'sign_in_settings.organization_id', 'people.organization_id')
    .select(['sign_in_settings.idle_ms', 'sign_in_settings.max_ms'])
    .where('people.id', '=', personId)
    .executeTakeFirst();
  return {
    idleMs: Math.min(times.idleMs, row?.idle_ms ?? times.idleMs),
    maxMs: Math.min(times.maxMs, row?.max_ms ?? times.maxMs),
  };
}

/** Open sessions of the organization's people end no later than new ones would. */
export async function shortenSessionsOf(
  { db }: { readonly db: Kysely<Schema> },
  organizationId: string,
): Promise<void> {
  const settings = await db
    .selectFrom('sign_in_settings')
    .select(['idle_ms', 'max_ms'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  const open = db
    .updateTable('console_sessions')
    .where('ended_at', 'is', null)
    .where('person_id', 'in', db.selectFrom('people').select('id').where('organization_id', '=', organizationId));
  if (settings?.max_ms) {
    const end = sql<number>`created_at + ${sql.lit(settings.max_ms)}`;
    await open.set({ ends_at: end }).where('ends_at', '>', end).execute();
  }
  if (settings?.idle_ms) {
    const end = sql<number>`seen_at + ${sql.lit(settings.idle_ms)}`;
    await open.set({ idle_ends_at: end }).where('idle_ends_at', '>', end).execute();
  }
}
