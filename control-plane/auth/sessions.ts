// Sessions of the console in the database: opening, renewing, ending. The row is the truth for every replica and tab. A
// session's cookie value changes every quarter of an hour; a request with a value that was replaced ends the session.
import type { Kysely } from 'kysely';
import { createCredential, hashCredential } from '../../common/credential.ts';
import { dayMs, hourMs, minuteMs } from '../../common/durations.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { Role } from '../../proto/words/access.ts';
import type { SignInMethod } from '../../proto/words/sessions.ts';
import { isSessionSuspended, liveSessions } from '../rpc/live-sessions.ts';
import type { Schema } from '../store/schema.ts';
import type { RowLocks } from '../store/store.ts';
import { createCookieValue } from './cookie.ts';
import { type SessionTimes, timesFor } from './session-times.ts';

/** How long an access token works. */
export const accessTokenMs = 5 * minuteMs;
const rotateAfterMs = 15 * minuteMs;
/** How long the former cookie value still works after the present one was sent. */
const formerMs = 30_000;
const seenEveryMs = minuteMs;
/** Each tab has a token of its own, and a reload leaves one behind. */
const tokensMax = 50;
/** How long ended sessions stay in lists. */
export const endedKeptMs = 7 * dayMs;

export interface SignIn {
  readonly personId: string;
  readonly method: SignInMethod;
  /** The operator token, with which the session ends. */
  readonly token?: { readonly id: string; readonly endsAt: number };
  /** The identity at an issuer. */
  readonly identity?: IssuedIdentity;
  /** Address of the browser. */
  readonly from: string;
  readonly userAgent: string;
}

export interface IssuedIdentity {
  readonly id: string;
  /** When the person last proved who they are there, in milliseconds since 1970. */
  readonly authenticatedAt: number;
  /** The issuer's id of its session. */
  readonly session: string | undefined;
}

interface Instant {
  readonly db: Kysely<Schema>;
  readonly now: number;
}

/** Always a new session, so that nobody signs in to one that another prepared. @returns the value of its cookie */
export async function openSession(
  { db, now }: Instant,
  { personId, method, token, identity, from, userAgent }: SignIn,
  times: SessionTimes,
): Promise<{ readonly id: string; readonly cookie: string }> {
  const id = uuidv7(now);
  const cookie = createCookieValue();
  const { idleMs, maxMs } = await timesFor(db, personId, times);
  const endsAt = Math.min(now + maxMs, token?.endsAt ?? Number.POSITIVE_INFINITY);
  await db
    .insertInto('console_sessions')
    .values({
      id,
      person_id: personId,
      method,
      token_id: token?.id ?? null,
      identity_id: identity?.id ?? null,
      hash: hashCredential(cookie),
      former_hash: null,
      former_ends_at: null,
      rotated_at: now,
      created_at: now,
      authenticated_at: identity?.authenticatedAt ?? now,
      seen_at: now,
      idle_ends_at: Math.min(now + idleMs, endsAt),
      ends_at: endsAt,
      ended_at: null,
      issuer_session: identity?.session ?? null,
      address: from,
      user_agent: userAgent.slice(0, userAgentMax),
    })
    .execute();
  return { id, cookie };
}

const userAgentMax = 200;

export type Renewal =
  | { readonly kind: 'none' }
  /** The value was replaced and its successor used: two parties have the cookie. */
  | { readonly kind: 'stolen'; readonly session: OpenSession }
  | Renewed;

export interface Renewed {
  readonly kind: 'renewed';
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly tokenEndsAt: number;
  /** The new value of the cookie; undefined: it stays. */
  readonly cookie: string | undefined;
  readonly session: OpenSession;
}

export interface OpenSession {
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  readonly role: Role;
  readonly organizationId: string | undefined;
}

/** Makes an access token of the session with this cookie, and replaces the cookie's value when it is old. */
export async function renewSession(
  tx: Instant & { readonly locks: RowLocks },
  cookie: string,
  times: SessionTimes,
): Promise<Renewal> {
  const { db, now } = tx;
  const shown = hashCredential(cookie);
  const row = await tx.locks
    .update(
      db
        .selectFrom('console_sessions')
        .selectAll()
        .where((or) => or.or([or('hash', '=', shown), or('former_hash', '=', shown)])),
    )
    .executeTakeFirst();
  if (row === undefined) return { kind: 'none' };
  const live = await liveSessions(db, now).where('console_sessions.id', '=', row.id).executeTakeFirst();
  if (live === undefined || isSessionSuspended(live, now)) return { kind: 'none' };
  const session: OpenSession = {
    id: row.id,
    personId: live.person_id,
    name: live.name,
    role: live.role,
    organizationId: live.organization_id ?? undefined,
  };
  if (row.hash !== shown && row.former_ends_at !== null && row.former_ends_at <= now) {
    return { kind: 'stolen', session };
  }
  // The former value works until the present one was sent: a lost response signs nobody out.
  const mayRotate = row.hash === shown || row.former_ends_at === null;
  const next = mayRotate && row.rotated_at <= now - rotateAfterMs ? createCookieValue() : undefined;
  const isSeen = row.seen_at <= now - seenEveryMs;
  const { idleMs } = isSeen ? await timesFor(db, row.person_id, times) : times;
  const isFirstUse = row.hash === shown && row.former_hash !== null && row.former_ends_at === null;
  const columns = {
    ...(isFirstUse && { former_ends_at: now + formerMs }),
    ...(isSeen && { seen_at: now, idle_ends_at: Math.min(now + idleMs, row.ends_at) }),
    ...(next !== undefined && {
      hash: hashCredential(next),
      former_hash: shown,
      former_ends_at: null,
      rotated_at: now,
    }),
  };
  if (Object.keys(columns).length > 0) {
    await db
      .updateTable('console_sessions')
      .set(columns)
      .where('id', '=', row.id)
      .where('hash', '=', row.hash)
      .execute();
  }
  const tokenEndsAt = Math.min(now + accessTokenMs, row.ends_at);
  return { kind: 'renewed', ...(await issueToken(tx, row.id, tokenEndsAt)), cookie: next, session };
}

async function issueToken({ db, now }: Instant, sessionId: string, endsAt: number) {
  const accessToken = createCredential('session');
  const others = db.selectFrom('console_tokens').select('hash').where('session_id', '=', sessionId);
  await db
    .deleteFrom('console_tokens')
    .where('session_id', '=', sessionId)
    .where((or) =>
      or.or([
        or('ends_at', '<=', now),
        or(
          'hash',
          'in',
          others
            .orderBy('ends_at', 'desc')
            .limit(tokensMax)
            .offset(tokensMax - 1),
        ),
      ]),
    )
    .execute();
  await db
    .insertInto('console_tokens')
    .values({ hash: hashCredential(accessToken), session_id: sessionId, ends_at: endsAt })
    .execute();
  return { accessToken, tokenEndsAt: endsAt };
}

/** The session with this cookie, whether its value is the present or the former one. */
export async function sessionOfCookie({ db, now }: Instant, cookie: string): Promise<OpenSession | undefined> {
  const shown = hashCredential(cookie);
  const live = await liveSessions(db, now)
    .where((or) => or.or([or('console_sessions.hash', '=', shown), or('console_sessions.former_hash', '=', shown)]))
    .executeTakeFirst();
  if (live === undefined) return undefined;
  const { id, person_id, name, role, organization_id } = live;
  return { id, personId: person_id, name, role, organizationId: organization_id ?? undefined };
}

export async function endSession({ db, now }: Instant, id: string): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
  await db.deleteFrom('console_tokens').where('session_id', '=', id).execute();
}

/** Ends all sessions of a person, and the links that would open another. */
export async function endSessionsOf({ db, now }: Instant, personId: string): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('person_id', '=', personId)
    .where('ended_at', 'is', null)
    .execute();
  await db.deleteFrom('console_links').where('person_id', '=', personId).execute();
}

/** @returns how many sessions were ended */
export async function endSessionsOfIdentity({ db, now }: Instant, identityId: string): Promise<number> {
  const ended = await db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('identity_id', '=', identityId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return Number(ended.numUpdatedRows);
}

/** Ends the organization's sessions of issuers of the platform that are not among these. */
export async function endSessionsInRealm(
  { db, now }: Instant,
  organizationId: string,
  issuerIds: readonly string[],
): Promise<void> {
  const identities = db
    .selectFrom('identities')
    .select('id')
    .where('realm', '=', organizationId)
    .where('issuer_id', 'not in', ['', ...issuerIds]);
  await db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('identity_id', 'in', identities)
    .where('ended_at', 'is', null)
    .execute();
}

/** @returns how many sessions of the issuer's identities were ended */
export async function endSessionsOfIssuer({ db, now }: Instant, issuerId: string): Promise<number> {
  const identities = db.selectFrom('identities').select('id').where('issuer_id', '=', issuerId);
  const ended = await db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('identity_id', 'in', identities)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return Number(ended.numUpdatedRows);
}

/** The sessions of one sign-in at the issuer, or of everybody with the subject. */
export interface EndedAtIssuer {
  readonly issuerId: string;
  readonly session: string | undefined;
  readonly subject: string | undefined;
}

/** @returns how many sessions were ended */
export async function endSessionsAtIssuer(
  { db, now }: Instant,
  { issuerId, session, subject }: EndedAtIssuer,
): Promise<number> {
  const identities = db.selectFrom('identities').select('id').where('issuer_id', '=', issuerId);
  let query = db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('ended_at', 'is', null)
    .where('identity_id', 'in', subject === undefined ? identities : identities.where('subject', '=', subject));
  if (session !== undefined) query = query.where('issuer_session', '=', session);
  const ended = await query.executeTakeFirst();
  return Number(ended.numUpdatedRows);
}

const batchRows = 1000;

/** Deletes what has ended long ago, a bounded number at a time. */
export async function deleteEndedSessions({ db, now }: Instant): Promise<void> {
  const before = now - endedKeptMs;
  const old = db
    .selectFrom('console_sessions')
    .select('id')
    .where((or) => or.or([or('ends_at', '<', before), or('ended_at', '<', before), or('idle_ends_at', '<', before)]))
    .limit(batchRows);
  await db.deleteFrom('console_sessions').where('id', 'in', old).execute();
  await db
    .deleteFrom('console_links')
    .where('ends_at', '<', now - hourMs)
    .execute();
}
