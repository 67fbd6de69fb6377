// A login at an issuer, from the page to the callback. What belongs together is in one sealed cookie of ten minutes that
// works once; each issuer has a redirect URI of its own, so that no issuer responds for another.

import { randomBytes } from 'node:crypto';
import { minuteMs } from '../../common/durations.ts';
import { aFlag, aNumber, aRecord, aString, readShape, ShapeError } from '../../common/json-shape.ts';
import { type SealKeys, seal, unseal } from '../../common/seal.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { CallError } from '../rpc/errors.ts';

/** What the browser's sealed cookie carries from the start of a login to its end. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Whether the person must prove again who they are. */
  readonly again: boolean;
}

export interface Login {
  /** Spent by the callback. */
  readonly id: string;
  readonly issuerId: string;
  readonly redirectUri: string;
  /** A path below the console, without a slash in front. */
  readonly returnPath: string;
  /** The hash of the invitation that the browser showed; empty for none. */
  readonly invitation: string;
  /** Whose people sign in: an organization, or the platform. */
  readonly organizationId: string;
  readonly endsAt: number;
  readonly secrets: LoginSecrets;
}

export const loginMs = 10 * minuteMs;

export interface LoginRequest {
  readonly issuerId: string;
  readonly redirectUri: string;
  /** From the page; a text that is no path of the console leads to its start. */
  readonly returnPath: string;
  readonly again: boolean;
  /** The hash of an invitation; empty for none. */
  readonly invitation: string;
  readonly organizationId: string;
}

export function createLogin(
  { issuerId, redirectUri, returnPath, again, invitation, organizationId }: LoginRequest,
  now: number,
): Login {
  return {
    ...{ id: uuidv7(now), issuerId, redirectUri, invitation, organizationId, endsAt: now + loginMs },
    returnPath: pathPattern.test(returnPath) ? returnPath : '',
    secrets: { state: random(), nonce: random(), verifier: random(), again },
  };
}

/** 256 random bits, as the verifier of a code challenge needs. */
function random(): string {
  return randomBytes(32).toString('base64url');
}

/** Segments of harmless characters: no scheme, no host, no way out of the console. */
const pathPattern = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/;

const context = { derive: ['console-login'], associated: ['console-login'] } as const;

/** @returns the cookie's value */
export function sealLogin(keys: SealKeys, login: Login): string {
  return seal(keys, context, Buffer.from(JSON.stringify(login))).toString('base64url');
}

const shape = aRecord<Login>({
  ...{ id: aString, issuerId: aString, redirectUri: aString, returnPath: aString, endsAt: aNumber },
  invitation: aString,
  organizationId: aString,
  secrets: aRecord<LoginSecrets>({ state: aString, nonce: aString, verifier: aString, again: aFlag }),
});

/** @throws CallError sign_in_refused for a value that is not of this login, and after its end */
export function openLogin(keys: SealKeys, value: string | undefined, { issuerId, now }: OpenedFor): Login {
  const opened = value === undefined ? undefined : unseal(keys, context, Buffer.from(value, 'base64url'));
  const login = opened && readLogin(opened.toString());
  if (login === undefined || login.issuerId !== issuerId || login.endsAt <= now) {
    throw new CallError('sign_in_refused', 'this login was not begun in this browser, or has ended');
  }
  return login;
}

interface OpenedFor {
  /** The issuer of the callback's path. */
  readonly issuerId: string;
  readonly now: number;
}

function readLogin(text: string): Login | undefined {
  try {
    return readShape(text, shape);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
