// The sign-in: a cookie that only the browser and `auth/` see becomes an access token of five minutes, which is in this
// module's memory alone. The token is renewed shortly before its end, by one call for all waiting requests.
import { Problem, problemOf } from './problem.ts';

export type SignInState = 'unknown' | 'signed-out' | 'signed-in';

interface AccessToken {
  readonly value: string;
  readonly endsAt: number;
}

const renewBeforeMs = 30_000;
let state: SignInState = 'unknown';
let token: AccessToken | undefined;
/** Where the person signed in; undefined: with a token or a link. */
let signedInAt: Pick<IssuerSignIn, 'issuerId' | 'organization'> | undefined;
let personId = '';
/** Of the person; empty for platform operators. */
let organizationId = '';
let renewal: Promise<string> | undefined;
const listeners = new Set<() => void>();

export function signInState(): SignInState {
  return state;
}

/** The organization of the person who is signed in; empty for platform operators. */
export function signedInTo(): string {
  return organizationId;
}

/** For useSyncExternalStore: of the state and the person. @returns the function that ends the subscription */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @throws Problem with the status 401 if nobody is signed in */
export function accessToken(): Promise<string> {
  if (token !== undefined && token.endsAt - Date.now() > renewBeforeMs) return Promise.resolve(token.value);
  renewal ??= renew().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

/** Forgets the token, so that the next call gets another. @param value the one that was refused */
export function dropToken(value: string): void {
  if (token?.value === value) token = undefined;
}

/** @throws Problem */
export async function signInWithToken(operatorToken: string): Promise<void> {
  await post('auth/start', { operatorToken });
  await freshToken();
}

/** @param link of the address's fragment. @throws Problem */
export async function signInWithLink(link: string): Promise<void> {
  await post('auth/link', { link });
}

/** The issuers of a sign-in page. */
export interface Realm {
  readonly issuers: readonly { readonly id: string; readonly name: string }[];
  /** The slug of the organization; empty for none. */
  readonly organization: string;
}

/** @param of one of them, or none for the platform's. @throws Problem */
export async function findIssuers(
  of: { readonly organization?: string } | { readonly email: string } | { readonly invitation: string },
): Promise<Realm> {
  const response = await post('auth/issuers', of);
  return (await response.json()) as Realm;
}

export interface IssuerSignIn {
  readonly issuerId: string;
  /** The slug of the organization; empty for the issuer's own. */
  readonly organization: string;
  /** Below the console's path. */
  readonly returnPath: string;
  readonly invitation?: string | undefined;
  /** The person proves again who they are. */
  readonly again?: boolean;
}

/** The browser leaves the page for the issuer's, and comes back to the return path. @throws Problem */
export async function signInAtIssuer({ organization, invitation, ...request }: IssuerSignIn): Promise<void> {
  await follow(
    await post('auth/start', {
      ...request,
      ...(organization !== '' && { organization }),
      ...(invitation !== undefined && { invitation }),
    }),
  );
}

/** Where the person signed in, for signing in again; undefined: with a token or a link. */
export function issuerOfSignIn(): Pick<IssuerSignIn, 'issuerId' | 'organization'> | undefined {
  return signedInAt;
}

/** The id of the person whose token was read last; empty if nobody is signed in. */
export function signedInPerson(): string {
  return personId;
}

/** A token of the session that the browser has now, whatever was read before. @throws Problem */
export async function freshToken(): Promise<void> {
  // A renewal that began before the sign-in is of the session before it.
  await renewal?.catch(() => undefined);
  token = undefined;
  await accessToken();
}

/** Ends the session. Never rejects: without a connection the token is forgotten all the same. */
export async function signOut(): Promise<void> {
  token = undefined;
  await post('auth/logout', {})
    .then(follow)
    .catch(() => undefined);
  become('signed-out');
}

/** The browser goes where the response says, if it does. */
async function follow(response: Response): Promise<void> {
  const { redirect } = response.status === 204 ? {} : ((await response.json()) as { redirect?: string });
  if (redirect !== undefined && /^https?:/.test(redirect)) location.assign(redirect);
}

/** Reads whether somebody is signed in. Never rejects. */
export async function begin(): Promise<void> {
  await accessToken().catch(() => become('signed-out'));
}

interface Renewed {
  readonly accessToken: string;
  readonly expiresAt: string;
  readonly person: { readonly id: string; readonly organizationId?: string };
  readonly issuerId?: string;
  readonly organization?: string;
}

async function renew(): Promise<string> {
  const response = await post('auth/token', {}).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 401) become('signed-out');
    throw error;
  });
  const renewed = (await response.json()) as Renewed;
  const { accessToken: value, expiresAt, issuerId, organization = '', person } = renewed;
  organizationId = person.organizationId ?? '';
  token = { value, endsAt: Date.parse(expiresAt) };
  const isOther = personId !== '' && personId !== person.id;
  personId = person.id;
  if (isOther) notify();
  signedInAt = issuerId === undefined ? undefined : { issuerId, organization };
  become('signed-in');
  return value;
}

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(new URL(path, document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Problem('there is no connection to the control plane', { status: 0, reason: '' });
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

function notify(): void {
  for (const listener of listeners) listener();
}

function become(next: SignInState): void {
  if (state === next) return;
  state = next;
  if (state === 'signed-out') personId = '';
  notify();
}
