// Signing in at an issuer: where the browser goes, and what happens when it comes back. Each login works once and in the
// browser that began it.
import { addressGroup } from '../../common/caller-address.ts';
import { hashCredential } from '../../common/credential.ts';
import type { SealKeys } from '../../common/seal.ts';
import { isUuid } from '../../common/uuid.ts';
import { CallError } from '../rpc/errors.ts';
import { organizationOrPlatform } from '../store/platform-id.ts';
import type { Change, Invalidation, Unchanged } from '../store/store.ts';
import { type Browser, inOrder, limited, type SignInDeps } from './deps.ts';
import { type Entered, enter } from './identities.ts';
import type { IssuerRow } from './issuer.ts';
import { createLogin, type Login, type LoginRequest, loginMs, openLogin, sealLogin } from './login.ts';
import type { Identity, Oidc } from './oidc.ts';
import { expectRealm, realmOfSignIn } from './realm.ts';
import { endSession, endSessionsAtIssuer, openSession, sessionOfCookie } from './sessions.ts';

export interface IssuerDeps extends SignInDeps {
  /** The library is loaded by the first login. */
  oidc(): Promise<Oidc>;
  readonly masterKeys: SealKeys;
}

/**
 * @returns where the browser goes, and the value of its login cookie
 * @throws CallError sign_in_refused, issuer_unavailable, too_many_requests; StoreUnavailableError
 */
export async function beginLogin(
  deps: IssuerDeps,
  { slug, ...request }: Omit<LoginRequest, 'organizationId'> & { readonly slug: string },
  browser: Browser,
): Promise<{ readonly url: URL; readonly login: string }> {
  return await limited(deps, 'sign_ins', addressGroup(browser.from), async () => {
    const issuer = await enabledIssuer(deps, request.issuerId, browser);
    const organizationId = await inOrder(deps, 'reads', browser, () =>
      deps.store.snapshot((db) => realmOfSignIn(db, issuer, slug)),
    );
    const login = createLogin({ ...request, organizationId }, deps.clock.now());
    const url = await (await deps.oidc()).authorizationUrl(issuer, login.redirectUri, login.secrets);
    return { url, login: sealLogin(deps.masterKeys, login) };
  });
}

interface Returned {
  /** The issuer of the path. */
  readonly issuerId: string;
  /** The login cookie. */
  readonly login: string | undefined;
  /** The redirect URI with the issuer's parameters. */
  readonly url: URL;
}

/**
 * @returns the value of the session's cookie, and the path below the console where the login began
 * @throws CallError sign_in_refused, issuer_unavailable, too_many_requests; StoreUnavailableError
 */
export async function finishLogin(
  deps: IssuerDeps,
  { issuerId, login: sealed, url }: Returned,
  browser: Browser,
): Promise<{ readonly cookie: string; readonly returnPath: string }> {
  return await limited(deps, 'sign_ins', addressGroup(browser.from), async () => {
    const login = openLogin(deps.masterKeys, sealed, { issuerId, now: deps.clock.now() });
    if (login.redirectUri !== `${url.origin}${url.pathname}`) throw notOfThisLogin();
    await spend(deps, login, browser);
    const issuer = await enabledIssuer(deps, issuerId, browser);
    const identity = await (await deps.oidc()).identity(issuer, url, login.secrets);
    const { invitation, organizationId } = login;
    const entering = { issuer, identity, invitation, organizationId };
    return { cookie: await opened(deps, entering, browser), returnPath: login.returnPath };
  });
}

/** Where the session's person signed in, for signing in again: the issuer, and the organization at one of the platform. */
export async function issuerOfSession(
  deps: SignInDeps,
  sessionId: string,
  browser: Browser,
): Promise<{ readonly issuerId: string; readonly organization: string } | undefined> {
  const row = await inOrder(deps, 'reads', browser, () =>
    deps.store.snapshot((db) =>
      db
        .selectFrom('console_sessions')
        .innerJoin('identities', 'identities.id', 'console_sessions.identity_id')
        .leftJoin('organizations', 'organizations.id', 'identities.realm')
        .select(['identities.issuer_id', 'organizations.slug'])
        .where('console_sessions.id', '=', sessionId)
        .executeTakeFirst(),
    ),
  );
  return row && { issuerId: row.issuer_id, organization: row.slug ?? '' };
}

/** Where the browser ends the session at the issuer with which it signed in. */
export async function issuersLogout(deps: IssuerDeps, sessionId: string, back: string): Promise<URL | undefined> {
  const issuer = await deps.store.snapshot((db) =>
    db
      .selectFrom('console_sessions')
      .innerJoin('identities', 'identities.id', 'console_sessions.identity_id')
      .innerJoin('issuers', 'issuers.id', 'identities.issuer_id')
      .selectAll('issuers')
      .where('console_sessions.id', '=', sessionId)
      .executeTakeFirst(),
  );
  return issuer && (await (await deps.oidc()).endSessionUrl(issuer, back));
}

/**
 * Ends the sessions that the issuer names in a logout token, which works once.
 * @throws CallError invalid_request, sign_in_refused, issuer_unavailable, too_many_requests; StoreUnavailableError
 */
export async function endByIssuer(deps: IssuerDeps, issuerId: string, token: string, caller: Browser): Promise<void> {
  await limited(deps, 'sign_ins', addressGroup(caller.from), async () => {
    const issuer = await enabledIssuer(deps, issuerId, caller);
    const { id, session, subject } = await (await deps.oidc()).logout(issuer, token);
    await spend(deps, { id: `${issuer.id} ${hashCredential(id)}` }, caller);
    const context = {
      actor: { kind: 'system', id: issuer.id },
      from: caller.from,
      action: 'Sessions.EndByIssuer',
    } as const;
    await inOrder(deps, 'changes', caller, () =>
      deps.store.change(context, async (tx): Promise<Change<void> | Unchanged<void>> => {
        const sessionsEnded = await endSessionsAtIssuer(tx, { issuerId: issuer.id, session, subject });
        if (sessionsEnded === 0) return { unchanged: undefined };
        const target = { kind: 'issuer', id: issuer.id };
        const organizationId = organizationOrPlatform(issuer.organization_id);
        return { result: undefined, organizationId, target, after: { sessionsEnded }, invalidations: [] };
      }),
    );
  });
}

/** A callback or a logout token that is sent again finds its id spent. */
async function spend(deps: IssuerDeps, { id }: Pick<Login, 'id'>, browser: Browser): Promise<void> {
  const inserted = await inOrder(deps, 'changes', browser, () =>
    deps.store.ledger(({ db, now }) =>
      db
        .insertInto('console_logins')
        .values({ id, ends_at: now + loginMs })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst(),
    ),
  );
  if (inserted.numInsertedOrUpdatedRows !== 1n) throw notOfThisLogin();
}

async function enabledIssuer(deps: IssuerDeps, id: string, browser: Browser): Promise<IssuerRow> {
  const issuer = await inOrder(deps, 'reads', browser, () =>
    deps.store.snapshot((db) =>
      db
        .selectFrom('issuers')
        .selectAll()
        .where('id', '=', isUuid(id) ? id : '')
        .where('enabled', '=', 1)
        .executeTakeFirst(),
    ),
  );
  if (issuer === undefined) throw new CallError('sign_in_refused', 'there is no such issuer, or it is disabled');
  return issuer;
}

interface Entering {
  readonly issuer: IssuerRow;
  readonly identity: Identity;
  /** The hash of an invitation; empty for none. */
  readonly invitation: string;
  /** Whose people sign in. */
  readonly organizationId: string;
}

async function opened(deps: IssuerDeps, entering: Entering, browser: Browser): Promise<string> {
  const { issuer, identity, invitation, organizationId } = entering;
  const { from, userAgent, cookie: before } = browser;
  const context = { actor: { kind: 'system', id: issuer.id }, from, action: 'Sessions.SignIn' } as const;
  return await inOrder(deps, 'changes', browser, () =>
    deps.store.change(context, async (tx) => {
      await expectRealm(tx.db, issuer, organizationId);
      const entered = await enter({ ...tx, invitation, organizationId }, issuer, identity);
      const replaced = before === undefined ? undefined : await sessionOfCookie(tx, before);
      if (replaced !== undefined) await endSession(tx, replaced.id);
      const { personId, identityId } = entered;
      const { authenticatedAt, session } = identity;
      const made = await openSession(
        tx,
        { personId, method: 'issuer', identity: { id: identityId, authenticatedAt, session }, from, userAgent },
        deps.times,
      );
      return {
        result: made.cookie,
        organizationId: organizationOrPlatform(organizationId),
        target: { kind: 'session', id: made.id },
        after: { method: 'issuer', issuerId: issuer.id, ...entered },
        invalidations: invalidationsOf(entered),
      };
    }),
  );
}

function invalidationsOf({ personId, how, roleBefore }: Entered): readonly Invalidation[] {
  return how === 'made' || roleBefore !== undefined ? [{ kind: 'person', ref: personId, state: 'changed' }] : [];
}

function notOfThisLogin(): CallError {
  return new CallError('sign_in_refused', 'this login was not begun in this browser, or has been used');
}
