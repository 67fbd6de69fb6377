// The person behind a user of SCIM: found by the issuer's subject, linked by an address, or made. Provisioning makes
// nobody an owner, gives an address no power to sign in, and reactivates only whom it has deactivated.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import { isEntra, subjectOf } from '../auth/entra.ts';
import { roleOf } from '../auth/identities.ts';
import { type IssuerRow, roleRowsOf } from '../auth/issuer.ts';
import { endSessionsOf } from '../auth/sessions.ts';
import { email, name } from '../domain/shared-fields.ts';
import { keepOneOf } from '../services/people.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeTransaction, Invalidation } from '../store/store.ts';
import { ScimError } from './error.ts';

export type PersonRow = Selectable<Schema['people']>;

/** A change by the token of an issuer. */
export interface ScimChange extends ChangeTransaction {
  readonly issuer: IssuerRow;
  /** People whose records changed. */
  readonly changedPeople: Set<string>;
}

export function invalidationsOf({ changedPeople }: ScimChange): readonly Invalidation[] {
  return [...changedPeople].map((ref) => ({ kind: 'person', ref, state: 'changed' }));
}

/** What of a user decides who they are. */
export interface Who {
  readonly externalId: string | undefined;
  readonly email: string | undefined;
  /** Names for a new person, the best first. */
  readonly names: readonly string[];
}

export interface Linked {
  readonly person: PersonRow;
  readonly isMade: boolean;
}

/** @throws ScimError uniqueness */
export async function linkPerson(tx: ScimChange, who: Who): Promise<Linked> {
  const subject = who.externalId === undefined ? undefined : subjectOf(tx.issuer.url, who.externalId);
  const known = subject === undefined ? undefined : await personWithSubject(tx, subject);
  if (known !== undefined) return { person: known, isMade: false };
  const addressed = await personWithAddress(tx, who.email);
  if (addressed !== undefined) return { person: addressed, isMade: false };
  const person = await insertPerson(tx, who);
  if (subject !== undefined) await insertIdentity(tx, person.id, subject);
  return { person, isMade: true };
}

async function personWithSubject({ db, issuer }: ScimChange, subject: string): Promise<PersonRow | undefined> {
  return await db
    .selectFrom('identities')
    .innerJoin('people', 'people.id', 'identities.person_id')
    .selectAll('people')
    .where('identities.issuer_id', '=', issuer.id)
    .where('identities.subject', '=', subject)
    .executeTakeFirst();
}

/**
 * The one person whom the address names, if they have no identity at the issuer. They get none here: their sign-in does
 * that, where the issuer vouches for the address. @throws ScimError for an owner
 */
async function personWithAddress({ db, issuer }: ScimChange, address?: string): Promise<PersonRow | undefined> {
  if (address === undefined || isEntra(issuer.url)) return undefined;
  const [person, another] = await db
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', issuer.organization_id)
    .where('kind', '=', 'human')
    .where((or) => or(or.fn<string>('lower', ['email']), '=', address.toLowerCase()))
    .execute();
  if (person === undefined || another !== undefined) return undefined;
  const identity = await db
    .selectFrom('identities')
    .select('id')
    .where('person_id', '=', person.id)
    .where('issuer_id', '=', issuer.id)
    .executeTakeFirst();
  if (identity !== undefined) return undefined;
  if (person.role !== 'owner') return person;
  throw new ScimError(
    409,
    'an owner has this address: they sign in at the issuer once, then they are linked',
    'uniqueness',
  );
}

async function insertPerson(tx: ScimChange, who: Who): Promise<PersonRow> {
  const { db, now, revision, issuer } = tx;
  const id = uuidv7(now);
  const row: PersonRow = {
    ...{
      id,
      organization_id: issuer.organization_id,
      name: await freeName(tx, who.names, id),
      email: who.email ?? null,
    },
    // Groups come later, and the next change of them gives the role. Until a row fits, the sign-in is refused if the
    // issuer refuses unknown people.
    ...{ role: roleOf(issuer, { claims: {} }) ?? 'member', role_by_hand: 0, kind: 'human' },
    ...{ active: 1, deactivated_by: null, allowed_models: '[]', created_at: now, revision },
  };
  await db.insertInto('people').values(row).execute();
  tx.changedPeople.add(id);
  return row;
}

export function addressOf(text: string | undefined): string | undefined {
  const field = text === undefined ? undefined : email(text);
  return field !== undefined && 'value' in field ? field.value : undefined;
}

/** The first of the names that nobody else in the organization has. */
async function freeName({ db, issuer }: ScimChange, names: readonly string[], id: string): Promise<string> {
  for (const text of [...names, `${issuer.name} ${id}`, id]) {
    const field = name(text);
    if (!('value' in field)) continue;
    const taken = await db
      .selectFrom('people')
      .select('id')
      .where('organization_id', '=', issuer.organization_id)
      .where('name', '=', field.value)
      .where('id', '!=', id)
      .executeTakeFirst();
    if (taken === undefined) return field.value;
  }
  throw new ScimError(409, 'every name of the user is taken', 'uniqueness');
}

/** Gives a person whom provisioning made their new name and address. */
export async function renamePerson(tx: ScimChange, person: PersonRow, who: Who): Promise<void> {
  const columns = { name: await freeName(tx, who.names, person.id), email: who.email ?? null };
  if (columns.name === person.name && columns.email === person.email) return;
  await updatePerson(tx, person.id, columns);
}

async function insertIdentity({ db, now, issuer }: ScimChange, personId: string, subject: string): Promise<void> {
  const row = { id: uuidv7(now), issuer_id: issuer.id, subject, person_id: personId, created_at: now };
  await db.insertInto('identities').values(row).execute();
}

/**
 * Follows a changed external id. Nobody who was linked by an address gets an identity by it.
 * @throws ScimError uniqueness
 */
export async function moveIdentity(tx: ScimChange, { person, isMade }: Linked, externalId?: string): Promise<void> {
  const { db, issuer } = tx;
  const subject = externalId === undefined ? undefined : subjectOf(issuer.url, externalId);
  if (subject === undefined) return;
  const holder = await personWithSubject(tx, subject);
  if (holder?.id === person.id) return;
  if (holder !== undefined) throw new ScimError(409, 'another person has this externalId', 'uniqueness');
  const moved = await db
    .updateTable('identities')
    .set({ subject })
    .where('issuer_id', '=', issuer.id)
    .where('person_id', '=', person.id)
    .executeTakeFirst();
  if (moved.numUpdatedRows > 0n) return await endSessionsOf(tx, person.id);
  if (isMade) await insertIdentity(tx, person.id, subject);
}

/** @throws CallError last_owner */
export async function setActive(tx: ScimChange, person: PersonRow, isActive: boolean): Promise<void> {
  const { db, issuer } = tx;
  if (isActive) {
    if (person.active === 1 || person.deactivated_by !== issuer.id) return;
    return await updatePerson(tx, person.id, { active: 1, deactivated_by: null });
  }
  if (person.active === 0) return;
  await keepOneOf(db, person);
  await updatePerson(tx, person.id, { active: 0, deactivated_by: issuer.id });
  await endSessionsOf(tx, person.id);
}

async function updatePerson(tx: ScimChange, id: string, columns: Partial<PersonRow>): Promise<void> {
  await tx.db
    .updateTable('people')
    .set({ ...columns, revision: tx.revision })
    .where('id', '=', id)
    .execute();
  tx.changedPeople.add(id);
}

const idsAtOnce = 500;

/**
 * Gives users the role of their present groups, unless it was given by hand. Owners stay owners. Without a row for the
 * claim `groups`, roles come from sign-ins alone.
 */
export async function giveRoles(tx: ScimChange, userIds: readonly string[]): Promise<void> {
  if (!roleRowsOf(tx.issuer).some(({ claim }) => claim === 'groups')) return;
  for (let start = 0; start < userIds.length; start += idsAtOnce) {
    await giveRolesTo(tx, userIds.slice(start, start + idsAtOnce));
  }
}

async function giveRolesTo(tx: ScimChange, userIds: readonly string[]): Promise<void> {
  const { db, issuer } = tx;
  const people = await db
    .selectFrom('scim_users')
    .innerJoin('people', 'people.id', 'scim_users.person_id')
    .select(['scim_users.id as user_id', 'people.id', 'people.role'])
    .where('scim_users.id', 'in', userIds)
    .where('people.role_by_hand', '=', 0)
    .where('people.role', '!=', 'owner')
    .execute();
  const groups = await groupsOf(db, userIds);
  for (const { user_id, id, role } of people) {
    const claimed = roleOf(issuer, { claims: { groups: groups.get(user_id) ?? [] } });
    // Without a row that fits they are members at most, and sign in only if the issuer takes unknown people.
    if (claimed === undefined) await endSessionsOf(tx, id);
    if ((claimed ?? 'member') !== role) await updatePerson(tx, id, { role: claimed ?? 'member' });
  }
}

async function groupsOf(db: Kysely<Schema>, userIds: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const rows = await db
    .selectFrom('scim_members')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
    .select(['scim_members.user_id', 'scim_groups.display_name', 'scim_groups.external_id'])
    .where('scim_members.user_id', 'in', userIds)
    .execute();
  const groups = new Map<string, string[]>();
  for (const { user_id, display_name, external_id } of rows) {
    const names = external_id === null ? [display_name] : [display_name, external_id];
    groups.set(user_id, [...(groups.get(user_id) ?? []), ...names]);
  }
  return groups;
}
