// Who may do what to whom, beyond the roles that methods.ts asks for. An admin neither acts as nor gains from an owner:
import type { Role } from '../../proto/words/access.ts';
// nothing of an owner is changed by an admin, and no admin is ever handed a value that acts for an owner.

export interface Actor {
  readonly personId: string;
  readonly role: Role;
}

export interface Person {
  readonly id: string;
  readonly role: Role;
}

/** Changing, suspending or deleting a person, giving them a role or taking one: owners are the business of owners. */
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

/** Being handed a key value that acts for this person. */
export function mayHoldKeyOf(actor: Actor, person: Person): boolean {
  return mayHandleTokensOf(actor, person);
}

/** Platform operators belong to no organization, everybody else to one. */
export function roleFits(role: Role, organizationId: string | null): boolean {
  return (role === 'platform_operator') === (organizationId === null);
}

/** Whether a group would be left without anybody who can act for it: owners of an organization, platform operators. */
export function isIndispensableRole(role: Role): role is 'owner' | 'platform_operator' {
  return role === 'owner' || role === 'platform_operator';
}
