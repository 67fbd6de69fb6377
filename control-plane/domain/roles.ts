// Which person may act on which other person, beyond the roles in methods.ts. An admin can neither act as an owner nor
// gain from one: an admin changes nothing of an owner, and never gets a value that acts for an owner.
import type { Role } from '../../proto/words/access.ts';

export interface Actor {
  readonly personId: string;
  readonly role: Role;
}

export interface Person {
  readonly id: string;
  readonly role: Role;
}

/**
 * Changing, suspending or deleting a person, and granting or revoking their role. Only owners may do this to owners.
 */
export function mayChangePerson(actor: Actor, current: Role, next: Role = current): boolean {
  return actor.role === 'admin' ? current !== 'owner' && next !== 'owner' : true;
}

/** Listing, creating and revoking a person's operator tokens. */
export function mayHandleTokensOf(actor: Actor, person: Person): boolean {
  if (actor.personId === person.id) return true;
  switch (actor.role) {
    case 'owner':
    case 'platform_operator':
      return true;
    case 'admin':
      return person.role !== 'owner';
    case 'member':
      return false;
  }
}

/** Receiving a key value that acts for this person. */
export function mayOwnKeyOf(actor: Actor, person: Person): boolean {
  return mayHandleTokensOf(actor, person);
}

/** Platform operators belong to no organization, everyone else to exactly one. */
export function roleFits(role: Role, organizationId: string | null): boolean {
  return (role === 'platform_operator') === (organizationId === null);
}

/** Whether a group needs somebody in this role: an organization its owners, the platform its operators. */
export function isIndispensableRole(role: Role): role is 'owner' | 'platform_operator' {
  return role === 'owner' || role === 'platform_operator';
}
