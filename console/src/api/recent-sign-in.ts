// Changes that need a recent sign-in wait here until the person has signed in again, and are then sent as they were. What
// the person has typed, secrets too, stays in the memory of this tab: nothing is stored, and an issuer is opened in a tab
// of its own. If another person signs in meanwhile, the changes are refused.
import { Problem } from './problem.ts';
import { freshToken, signedInPerson, signInState, subscribe } from './session.ts';

interface Waiting {
  /** Who is to sign in again. */
  readonly personId: string;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();
// Tabs of the same console, and of no other one on this host.
const channel = new BroadcastChannel(`sign-in ${document.baseURI}`);

channel.addEventListener('message', () => void finish());
subscribe(() => {
  if (signInState() === 'signed-out') giveUp();
});

/** Whether a change waits; for useSyncExternalStore. */
export function isWaiting(): boolean {
  return waiting !== undefined;
}

/** For useSyncExternalStore. @returns the function that ends the subscription */
export function subscribeToWaiting(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isOldSignIn(error: unknown): error is Problem {
  return error instanceof Problem && error.reason === 'reauthentication_required';
}

/** Resolves once the person has signed in again. @throws the problem that they did not */
export async function signedInAgain(): Promise<void> {
  waiting ??= newWaiting(signedInPerson());
  notify();
  await waiting.promise;
}

/** A sign-in has ended, here or in another tab. Never rejects. */
export async function finish(): Promise<void> {
  const ended = waiting;
  if (ended === undefined) return;
  try {
    await freshToken();
  } catch {
    // The page shows that nobody is signed in.
  }
  if (waiting !== ended) return;
  waiting = undefined;
  if (signedInPerson() === ended.personId) ended.resolve();
  else ended.reject(notSignedIn());
  notify();
}

/** The changes that wait are refused. */
export function giveUp(): void {
  waiting?.reject(notSignedIn());
  waiting = undefined;
  notify();
}

function notSignedIn(): Problem {
  const message = 'this needs a sign-in of the same person within the last 15 minutes';
  return new Problem(message, { status: 403, reason: 'reauthentication_required' });
}

/** Reports to the other tabs that somebody has signed in here. */
export function announceSignIn(): void {
  channel.postMessage('signed in');
}

function newWaiting(personId: string): Waiting {
  let settle: Pick<Waiting, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error('a promise calls its function at once');
  return { personId, promise, ...settle };
}

function notify(): void {
  for (const listener of listeners) listener();
}
