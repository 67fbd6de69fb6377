// Signing in at the console and out of it. Each sign-in makes a new session, ends the one before it in this browser, and
// is an audit event with its method. Failures are limited by address, like unknown tokens.
import type { Kysely } from 'kysely';
import { addressGroup } from '../../common/caller-address.ts';
import { hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import type { SignInMethod } from '../../proto/words/sessions.ts';
import { authenticate } from '../rpc/authentication.ts';
import { CallError } from '../rpc/errors.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, ChangeTransaction, Unchanged } from '../store/store.ts';
import { type Browser, inOrder, limited, type SignInDeps } from './deps.ts';
import {
  endSession,
  type OpenSession,
  openSession,
  type Renewed,
  renewSession,
  type SignIn,
  sessionOfCookie,
} from './sessions.ts';

/** @returns the value of the cookie. @throws CallError sign_in_refused, too_many_requests; StoreUnavailableError */
export function signInWithToken(deps: SignInDeps, token: string, browser: Browser): Promise<string> {
  const hash = hashCredential(token);
  return signIn(deps, browser, {
    method: 'operator_token',
    find: async (db, now) => {
      if (!isWellFormedCredential('operator', token)) return undefined;
      const caller = await ifAccepted(
        authenticate(db, { kind: 'operator', hash, from: browser.from }, { now, deps: deps.services }),
      );
      // A program's token would make a sign-in that counts as recent, and a service account has no sign-in.
      if (caller?.kind !== 'operator' || caller.session !== undefined || caller.isServiceAccount) return undefined;
      const row = await db.selectFrom('operator_tokens').select('id').where('hash', '=', hash).executeTakeFirst();
      const { personId, organizationId, tokenEndsAt: endsAt } = caller;
      return row && { personId, organizationId, token: { id: row.id, endsAt } };
    },
  });
}

/** @returns the value of the cookie. @throws CallError sign_in_refused, too_many_requests; StoreUnavailableError */
export function signInWithLink(deps: SignInDeps, link: string, browser: Browser): Promise<string> {
  const hash = hashCredential(link);
  return signIn(deps, browser, {
    method: 'link',
    find: async (db, now) => {
      if (!isWellFormedCredential('link', link)) return undefined;
      const row = await db
        .selectFrom('console_links')
        .innerJoin('people', 'people.id', 'console_links.person_id')
        .select(['people.id', 'people.organization_id'])
        .where('console_links.hash', '=', hash)
        .where('console_links.ends_at', '>', now)
        .where('people.active', '=', 1)
        .executeTakeFirst();
      return row && { personId: row.id, organizationId: row.organization_id ?? undefined };
    },
    // Changes run one after another: of two requests with the same link, the second finds none.
    spend: async (db) => void (await db.deleteFrom('console_links').where('hash', '=', hash).execute()),
  });
}

/**
 * Makes an access token of the browser's session.
 * @throws CallError not_signed_in, too_many_requests; StoreUnavailableError
 */
export async function renew(deps: SignInDeps, browser: Browser): Promise<Renewed> {
  const { cookie, from } = browser;
  if (cookie === undefined) throw notSignedIn();
  return await limited(deps, 'unknown_tokens', `cookie ${addressGroup(from)}`, async () => {
    const renewal = await inOrder(deps, 'changes', browser, () =>
      deps.store.ledger((tx) => renewSession(tx, cookie, deps.times)),
    );
    if (renewal.kind === 'renewed') return renewal;
    if (renewal.kind === 'stolen') await endStolen(deps, browser, renewal.session);
    throw notSignedIn();
  });
}

/** @returns the session that it ended, if there was one. @throws CallError too_many_requests; StoreUnavailableError */
export async function signOut(deps: SignInDeps, browser: Browser): Promise<OpenSession | undefined> {
  const { cookie } = browser;
  if (cookie === undefined) return undefined;
  const session = await inOrder(deps, 'reads', browser, () =>
    deps.store.snapshot((db) => sessionOfCookie({ db, now: deps.clock.now() }, cookie)),
  );
  if (session === undefined) return undefined;
  await change(deps, { browser, session, action: 'Sessions.SignOut' }, (tx) => endSession(tx, session.id));
  return session;
}

function endStolen(deps: SignInDeps, browser: Browser, session: OpenSession): Promise<void> {
  return change(deps, { browser, session, action: 'Sessions.RefuseFormerCookie' }, (tx) => endSession(tx, session.id));
}

interface Entrant {
  readonly personId: string;
  readonly organizationId: string | undefined;
  readonly token?: NonNullable<SignIn['token']>;
}

interface Way {
  readonly method: SignInMethod;
  /** Finds the person, in a snapshot and again in the change. */
  find(db: Kysely<Schema>, now: number): Promise<Entrant | undefined>;
  /** Makes sure that it signs in only once. */
  spend?(db: Kysely<Schema>): Promise<void>;
}

async function signIn(deps: SignInDeps, browser: Browser, way: Way): Promise<string> {
  const { from, userAgent, cookie: before } = browser;
  return await limited(deps, 'sign_ins', addressGroup(from), async () => {
    // Looked up before the change takes the feed's row, so that strangers delay no change.
    const entrant = await inOrder(deps, 'reads', browser, () =>
      deps.store.snapshot((db) => way.find(db, deps.clock.now())),
    );
    if (entrant === undefined) throw refused();
    const { personId, organizationId } = entrant;
    const actor = { kind: 'person', id: personId } as const;
    return await inOrder(deps, 'changes', browser, () =>
      deps.store.change({ actor, from, action: 'Sessions.SignIn' }, async (tx) => {
        const still = await way.find(tx.db, tx.now);
        if (still?.personId !== personId) throw refused();
        await way.spend?.(tx.db);
        const replaced = before === undefined ? undefined : await sessionOfCookie(tx, before);
        if (replaced !== undefined) await endSession(tx, replaced.id);
        const opened = await openSession(tx, { ...still, method: way.method, from, userAgent }, deps.times);
        return {
          result: opened.cookie,
          organizationId,
          target: { kind: 'session', id: opened.id },
          after: { method: way.method, ...(replaced !== undefined && { replaced: replaced.id }) },
          invalidations: [],
        };
      }),
    );
  });
}

interface Ending {
  readonly browser: Browser;
  readonly session: OpenSession;
  readonly action: string;
}

/** A change of the session, with its audit event. */
async function change(
  deps: SignInDeps,
  { browser, session, action }: Ending,
  work: (tx: ChangeTransaction) => Promise<void>,
): Promise<void> {
  const actor = { kind: 'person', id: session.personId } as const;
  await inOrder(deps, 'changes', browser, () =>
    deps.store.change({ actor, from: browser.from, action }, async (tx): Promise<Change<void> | Unchanged<void>> => {
      await work(tx);
      return {
        result: undefined,
        organizationId: session.organizationId,
        target: { kind: 'session', id: session.id },
        invalidations: [],
      };
    }),
  );
}

async function ifAccepted<T>(looked: Promise<T>): Promise<T | undefined> {
  return await looked.catch((error: unknown) => {
    if (error instanceof CallError && error.reason === 'unauthenticated') return undefined;
    throw error;
  });
}

export function refused(): CallError {
  return new CallError('sign_in_refused', 'it is unknown, used, revoked or past its end, or its person is not active');
}

function notSignedIn(): CallError {
  return new CallError('not_signed_in', 'sign in at the console');
}
