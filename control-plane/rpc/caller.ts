// The three disjoint identities of callers. An operator never calls a proxy's method, a proxy calls nothing else, and
// the bootstrap token creates the first platform operator and is invalid afterwards.
import type { Role } from '../../proto/words/access.ts';
import type { Actor } from '../store/store.ts';
import { permissionDenied } from './errors.ts';

export type Caller = OperatorCaller | ProxyCaller | BootstrapCaller;

export type Audience = Caller['kind'];

/** A person with an operator token. */
export interface OperatorCaller {
  readonly kind: 'operator';
  readonly personId: string;
  /** Undefined for a platform operator. */
  readonly organizationId: string | undefined;
  readonly role: Role;
  /** A machine, with a token of an exchange. */
  readonly isServiceAccount?: true;
  /** Milliseconds since 1970. */
  readonly tokenEndsAt: number;
  /** The session of the console to which the token belongs; undefined for an operator token. */
  readonly session?: CallerSession;
  /** Address of the caller, without port. */
  readonly from: string;
}

/** A sign-in at the console. */
export interface CallerSession {
  readonly id: string;
  /** When the person last proved who they are, in milliseconds since 1970. */
  readonly authenticatedAt: number;
}

/** A proxy with a token or a client certificate. */
export interface ProxyCaller {
  readonly kind: 'proxy';
  /** Id of the token, or the name in the certificate. */
  readonly id: string;
  /** A bound proxy can access this organization only. */
  readonly organizationId: string | undefined;
  readonly from: string;
}

export interface BootstrapCaller {
  readonly kind: 'bootstrap';
  readonly from: string;
}

/** A token of an hour must make nothing that works for longer. @throws CallError if the caller is a service account */
export function expectNoMachine({ isServiceAccount }: OperatorCaller): void {
  if (isServiceAccount) throw permissionDenied('a service account makes no access: this needs a person');
}

/** The caller's name in audit events. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'operator':
      return { kind: 'person', id: caller.personId };
    case 'bootstrap':
      return { kind: 'bootstrap', id: 'bootstrap' };
    case 'proxy':
      return { kind: 'system', id: caller.id };
  }
}
