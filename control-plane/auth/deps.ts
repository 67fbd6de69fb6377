// What sign-ins need, and their part of the control plane: browsers share it, and addresses take turns.
import { addressGroup } from '../../common/caller-address.ts';
import type { Clock } from '../../common/clock.ts';
import type { AuthenticationDeps } from '../rpc/authentication.ts';
import { CallError } from '../rpc/errors.ts';
import type { Shares } from '../rpc/shares.ts';
import type { Store } from '../store/store.ts';
import type { SessionTimes } from './session-times.ts';

export interface SignInDeps {
  readonly store: Store;
  readonly shares: Shares;
  readonly clock: Clock;
  readonly services: AuthenticationDeps;
  readonly times: SessionTimes;
}

/** The browser that sends the request. */
export interface Browser {
  readonly from: string;
  readonly userAgent: string;
  /** The value of its cookie. */
  readonly cookie: string | undefined;
}

/** Browsers share one part of the control plane, in which addresses take turns. */
export function inOrder<T>(
  { shares }: SignInDeps,
  resource: 'changes' | 'reads',
  { from }: Browser,
  work: () => Promise<T>,
): Promise<T> {
  return shares.inOrder(resource, { organization: 'console', key: addressGroup(from) }, work);
}

/** Counts a failure that is the caller's. It counts before the work, so that concurrent calls cannot exceed the rate. */
export async function limited<T>(
  { shares }: Pick<SignInDeps, 'shares'>,
  rate: 'sign_ins' | 'unknown_tokens',
  owner: string,
  work: () => Promise<T>,
): Promise<T> {
  shares.take(rate, owner);
  try {
    const result = await work();
    shares.release(rate, owner);
    return result;
  } catch (error) {
    if (!(error instanceof CallError && error.code === 'UNAUTHENTICATED')) shares.release(rate, owner);
    throw error;
  }
}
