// Who is signed in, and what they may do: their role, and the methods that `Status.Get` names for them. The page has no
// list of roles of its own.
import { createContext, useContext } from 'react';
import type { Role } from '../../generated/contract.ts';
import type { MethodName } from './call.ts';

export type CallerRole = 'owner' | 'admin' | 'member' | 'platform-operator';

export interface Caller {
  readonly personId: string;
  readonly name: string;
  readonly role: CallerRole;
  /** Empty for a platform operator. */
  readonly organizationId: string;
  /** The methods that they may call, such as "VirtualKeys.Create". */
  readonly permissions: ReadonlySet<string>;
}

const words: Readonly<Record<Role, CallerRole>> = {
  ROLE_UNSPECIFIED: 'member',
  ROLE_OWNER: 'owner',
  ROLE_ADMIN: 'admin',
  ROLE_MEMBER: 'member',
  ROLE_PLATFORM_OPERATOR: 'platform-operator',
};

export function callerRole(role: Role): CallerRole {
  return words[role];
}

const CallerContext = createContext<Caller | undefined>(undefined);
export const CallerProvider = CallerContext.Provider;

/** @throws Error outside of the signed-in part of the page */
export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (caller === undefined) throw new Error('nobody is signed in here');
  return caller;
}

/** Whether the signed-in person may call the method. */
export function useMay(): (method: MethodName) => boolean {
  const { permissions } = useCaller();
  return (method) => permissions.has(method);
}
