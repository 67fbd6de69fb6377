// Programs sign in through a person's browser: one on the same machine gets a code at its loopback address, bound to its
// code challenge; a device shows a code that the person types (RFC 8628). Either fetches an operator token with it, once,
// that ends with the person's session. No cookie is read here.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { addressGroup } from '../../common/caller-address.ts';
import { hashCredential } from '../../common/credential.ts';
import { hourMs, minuteMs } from '../../common/durations.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { CallError } from '../rpc/errors.ts';
import { liveSessions } from '../rpc/live-sessions.ts';
import { issueOperatorToken, type OperatorTokenRow } from '../store/operator-token-rows.ts';
import type { Schema } from '../store/schema.ts';
import { createCookieValue } from './cookie.ts';
import { type Browser, inOrder, limited, type SignInDeps } from './deps.ts';
import { createUserCode, lettersOf } from './user-code.ts';

type Row = OperatorTokenRow;
type Login = Selectable<Schema['program_logins']>;

export const deviceMs = 10 * minuteMs;
export const codeMs = minuteMs;
const tokenMs = 12 * hourMs;
const pollEverySeconds = 5;
const waitingMax = 10_000;

export interface StartedDevice {
  readonly deviceCode: string;
  readonly userCode: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly interval: number;
}

/** @param name of the program, as the person will see it. @throws CallError too_many_requests */
export async function startDevice(deps: SignInDeps, name: string, caller: Browser): Promise<StartedDevice> {
  // Each start counts, not only failures.
  deps.shares.take('sign_ins', `device ${addressGroup(caller.from)}`);
  const [deviceCode, userCode] = [createCookieValue(), createUserCode()];
  await inOrder(deps, 'changes', caller, () =>
    deps.store.ledger(async ({ db, now }) => {
      await db.deleteFrom('program_logins').where('ends_at', '<=', now).execute();
      const { count } = await db
        .selectFrom('program_logins')
        .select((column) => column.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (count >= waitingMax) throw new CallError('too_many_requests', 'too many devices wait; try again later');
      await db
        .insertInto('program_logins')
        .values({
          ...{ id: uuidv7(now), hash: hashCredential(deviceCode), user_code_hash: userCodeHash(userCode) },
          ...{ challenge: null, name, address: caller.from, state: 'waiting', person_id: null, session_id: null },
          ...{ created_at: now, ends_at: now + deviceMs, polled_at: null },
        })
        .execute();
    }),
  );
  return { deviceCode, userCode, expiresIn: deviceMs / 1000, interval: pollEverySeconds };
}

export function userCodeHash(typed: string): string {
  return hashCredential(`user code ${lettersOf(typed) ?? ''}`);
}

export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/**
 * The token of an approved program.
 * @param verifier of the code challenge; undefined for a device
 * @throws CallError sign_in_refused, authorization_pending, slow_down, access_denied, too_many_requests
 */
export async function fetchToken(
  deps: SignInDeps,
  code: string,
  verifier: string | undefined,
  caller: Browser,
): Promise<IssuedToken> {
  return await limited(deps, 'sign_ins', addressGroup(caller.from), async () => {
    const hash = hashCredential(code);
    // Looked up before the change takes the feed's row, so that strangers and waiting devices delay no change.
    const polled = await inOrder(deps, 'changes', caller, () =>
      deps.store.ledger(async ({ db, now }) => ({ ...(await poll(db, hash, now)), now })),
    );
    expectApproved(polled, { verifier, now: polled.now });
    const context = {
      actor: { kind: 'system', id: 'programs' },
      from: caller.from,
      action: 'Sessions.IssueToken',
    } as const;
    return await inOrder(deps, 'changes', caller, () =>
      deps.store.change(context, async ({ db, now }) => {
        const login = await db.selectFrom('program_logins').selectAll().where('hash', '=', hash).executeTakeFirst();
        expectApproved({ login, tooSoon: false }, { verifier, now });
        const session = login && (await sessionFor(db, login, now));
        if (login === undefined || session === undefined) throw refused();
        await db.deleteFrom('program_logins').where('id', '=', login.id).execute();
        const endsAt = Math.min(now + tokenMs, session.ends_at);
        const { row, value } = await issueOperatorToken(
          { db, now },
          { personId: session.person_id, name: login.name, endsAt, sessionId: session.id },
        );
        return issued(row, value, session.organization_id);
      }),
    );
  });
}

function issued(row: Row, value: string, organizationId: string | null) {
  return {
    result: { token: value, tokenId: row.id, endsAt: row.ends_at },
    organizationId: organizationId ?? undefined,
    target: { kind: 'operator_token', id: row.id },
    after: { personId: row.person_id, name: row.name, sessionId: row.session_id },
    invalidations: [],
  };
}

/** The session that approved the program, if it still works. */
async function sessionFor(db: Kysely<Schema>, login: Login, now: number) {
  return await liveSessions(db, now)
    .where('console_sessions.id', '=', login.session_id ?? '')
    .executeTakeFirst();
}

interface Polled {
  readonly login: Login | undefined;
  /** Whether a device calls more often than it may. */
  readonly tooSoon: boolean;
}

async function poll(db: Kysely<Schema>, hash: string, now: number): Promise<Polled> {
  const login = await db.selectFrom('program_logins').selectAll().where('hash', '=', hash).executeTakeFirst();
  if (login === undefined || login.challenge !== null) return { login, tooSoon: false };
  await db.updateTable('program_logins').set({ polled_at: now }).where('id', '=', login.id).execute();
  // A second of tolerance for the network.
  const tooSoon = login.polled_at !== null && now - login.polled_at < (pollEverySeconds - 1) * 1000;
  return { login, tooSoon };
}

function expectApproved(
  { login, tooSoon }: Polled,
  { verifier, now }: { readonly verifier: string | undefined; readonly now: number },
): void {
  if (login === undefined || login.ends_at <= now || !isOf(login.challenge, verifier)) throw refused();
  switch (login.state) {
    case 'approved':
      return;
    case 'denied':
      throw new CallError('access_denied', 'the person refused the program');
    case 'waiting':
      throw tooSoon
        ? new CallError('slow_down', `call at most every ${pollEverySeconds} seconds`)
        : new CallError('authorization_pending', 'nobody has typed the code yet');
  }
}

function isOf(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  const digest = createHash('sha256').update(verifier).digest('base64url');
  return digest.length === challenge.length && timingSafeEqual(Buffer.from(digest), Buffer.from(challenge));
}

function refused(): CallError {
  return new CallError('sign_in_refused', 'the code is unknown, used or past its end, or its session has ended');
}
