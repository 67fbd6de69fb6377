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
let renewal: Promise<string> | undefined;
const listeners = new Set<() => void>();

export function signInState(): SignInState {
  return state;
}

/** For useSyncExternalStore. @returns the function that ends the subscription */
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
  await accessToken();
}

/**
 * Uses the link of the address's fragment, if there is one, and removes it from the address before anything else.
 * @throws Problem
 */
export async function signInWithLink(): Promise<void> {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  await post('auth/link', { link });
}

/** Ends the session. Never rejects: without a connection the token is forgotten all the same. */
export async function signOut(): Promise<void> {
  token = undefined;
  await post('auth/logout', {}).catch(() => undefined);
  become('signed-out');
}

/** Reads whether somebody is signed in. Never rejects. */
export async function begin(): Promise<void> {
  await accessToken().catch(() => become('signed-out'));
}

async function renew(): Promise<string> {
  const response = await post('auth/token', {}).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 401) become('signed-out');
    throw error;
  });
  const { accessToken: value, expiresAt } = (await response.json()) as { accessToken: string; expiresAt: string };
  token = { value, endsAt: Date.parse(expiresAt) };
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

function become(next: SignInState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}
