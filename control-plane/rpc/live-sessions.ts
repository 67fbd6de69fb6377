// Which sessions of the console work, in one query for the API and for the console. Nothing is cached, so whatever ends
// a session works from the next call on, at every replica: its end, a revocation, the person, their operator token or
// their organization.
import type { Kysely } from 'kysely';
import { isSuspended } from '../store/organization-table.ts';
import type { Schema } from '../store/schema.ts';

/** Sessions that have not ended, of people who are active. The caller checks isSessionSuspended. */
export function liveSessions(db: Kysely<Schema>, now: number) {
  return unendedSessions(db, now).where('console_sessions.idle_ends_at', '>', now);
}

/** The same, also those that nobody has used for long. */
export function unendedSessions(db: Kysely<Schema>, now: number) {
  return db
    .selectFrom('console_sessions')
    .innerJoin('people', 'people.id', 'console_sessions.person_id')
    .leftJoin('organizations', 'organizations.id', 'people.organization_id')
    .leftJoin('operator_tokens', 'operator_tokens.id', 'console_sessions.token_id')
    .where('console_sessions.ended_at', 'is', null)
    .where('console_sessions.ends_at', '>', now)
    .where('operator_tokens.revoked_at', 'is', null)
    .where('people.active', '=', 1)
    .where('people.kind', '=', 'human')
    .select([
      'console_sessions.id',
      'console_sessions.person_id',
      'console_sessions.authenticated_at',
      'console_sessions.ends_at',
      'people.organization_id',
      'people.name',
      'people.role',
      'organizations.suspended',
      'organizations.suspended_ends_at',
    ]);
}

/** Whether the session's organization is suspended now. */
export function isSessionSuspended(
  { suspended, suspended_ends_at }: { readonly suspended: 0 | 1 | null; readonly suspended_ends_at: number | null },
  now: number,
): boolean {
  return suspended !== null && isSuspended({ suspended, suspended_ends_at }, now);
}
