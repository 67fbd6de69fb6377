// Who signs in: a person is found by issuer and subject, never by e-mail. An e-mail address links an identity once, and
// only where the issuer vouches for it. Claims give roles to those whose role was not given by hand, and never make an
// owner. Issuers are their organization's, so nobody signs in elsewhere.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { Role } from '../../proto/words/access.ts';
import type { ClaimRow } from '../domain/issuer.ts';
import { email, name } from '../domain/shared-fields.ts';
import { domainOfEmail } from '../domain/sign-in-domain.ts';
import { CallError } from '../rpc/errors.ts';
import { organizationOrPlatform, platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import { type IssuerRow, roleRowsOf } from './issuer.ts';
import type { Identity } from './oidc.ts';
import { realmColumn } from './realm.ts';

type PersonRow = Selectable<Schema['people']>;

interface Tx {
  readonly db: Kysely<Schema>;
  readonly now: number;
  readonly revision: number;
  /** Whose people sign in: an organization's, or the platform's. */
  readonly organizationId: string;
  /** The hash of the invitation that the browser showed; empty for none. */
  readonly invitation: string;
}

export interface Entered {
  readonly personId: string;
  readonly identityId: string;
  /** Whether the person was found, invited, linked by e-mail, or made. */
  readonly how: 'known' | 'invited' | 'linked' | 'made';
  /** Present if the claims changed the person's role. */
  readonly roleBefore?: string;
  readonly role: string;
}

/** Finds, links or makes the person of a verified identity. @throws CallError sign_in_refused */
export async function enter(tx: Tx, issuer: IssuerRow, identity: Identity): Promise<Entered> {
  const claimed = roleOf(issuer, await withProvisionedGroups(tx, issuer, identity));
  const known = await tx.db
    .selectFrom('identities')
    .selectAll()
    .where('issuer_id', '=', issuer.id)
    .where('subject', '=', identity.subject)
    .where('realm', '=', realmColumn(issuer, tx.organizationId))
    .executeTakeFirst();
  if (known !== undefined) {
    const person = await personOf(tx, known.person_id);
    return { how: 'known', identityId: known.id, ...(await withRole(tx, { issuer, person, claimed })) };
  }
  const invited = await accept(tx, identity);
  if (invited !== undefined) {
    const personId = await insertPerson(tx, issuer, { identity, ...invited, byHand: true });
    const identityId = await insertIdentity(tx, issuer, { identity, personId });
    return { how: 'invited', identityId, personId, role: invited.role };
  }
  const linked = await linkable(tx, issuer, identity);
  if (linked !== undefined) {
    const identityId = await insertIdentity(tx, issuer, { identity, personId: linked.id });
    return { how: 'linked', identityId, ...(await withRole(tx, { issuer, person: linked, claimed })) };
  }
  if (claimed === undefined) throw refused('no claim gives this identity a role');
  const personId = await insertPerson(tx, issuer, { identity, role: claimed, byHand: false });
  const identityId = await insertIdentity(tx, issuer, { identity, personId });
  return { how: 'made', identityId, personId, role: claimed };
}

/** Groups of which the issuer has reported the person by SCIM count as values of its claim `groups`. */
async function withProvisionedGroups({ db }: Tx, issuer: IssuerRow, { subject, claims }: Identity) {
  const groups = await db
    .selectFrom('identities')
    .innerJoin('scim_users', 'scim_users.person_id', 'identities.person_id')
    .innerJoin('scim_members', 'scim_members.user_id', 'scim_users.id')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
    .select(['scim_groups.display_name', 'scim_groups.external_id'])
    .where('identities.issuer_id', '=', issuer.id)
    .where('identities.subject', '=', subject)
    .where('scim_users.issuer_id', '=', issuer.id)
    .execute();
  const names = groups.flatMap((group) => [group.display_name, group.external_id]);
  return names.length === 0 ? { claims } : { claims: { ...claims, groups: [...valuesOf(claims.groups), ...names] } };
}

/** The role of the first row that fits; undefined: none, and none is given to the unknown. */
export function roleOf(
  issuer: Pick<IssuerRow, 'id' | 'roles' | 'unknown_person'>,
  { claims }: Pick<Identity, 'claims'>,
): ClaimRow['role'] | undefined {
  const row = roleRowsOf(issuer).find(({ claim, value }) => valuesOf(claims[claim]).includes(value));
  return row?.role ?? (issuer.unknown_person === 'member' ? 'member' : undefined);
}

function valuesOf(claim: unknown): readonly string[] {
  return (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');
}

async function personOf({ db, organizationId }: Tx, id: string): Promise<PersonRow> {
  const person = await db
    .selectFrom('people')
    .selectAll()
    .where('id', '=', id)
    .where(...within(organizationId))
    .where('active', '=', 1)
    .executeTakeFirst();
  if (person === undefined) throw refused('the person is not active');
  return person;
}

interface Claimed {
  readonly issuer: IssuerRow;
  readonly person: PersonRow;
  readonly claimed: ClaimRow['role'] | undefined;
}

/** Sets the role that the claims give, unless it was given by hand. Owners are made and unmade by owners alone. */
async function withRole(tx: Tx, { issuer, person, claimed }: Claimed) {
  const entered = { personId: person.id, role: person.role };
  // The platform's issuers say nothing of roles in an organization.
  const isFixed = person.role_by_hand === 1 || issuer.organization_id === platformId;
  if (isFixed || person.role === 'owner') return entered;
  if (claimed === undefined) throw refused('no claim gives this identity a role');
  if (claimed === person.role) return entered;
  await tx.db.updateTable('people').set({ role: claimed, revision: tx.revision }).where('id', '=', person.id).execute();
  return { personId: person.id, role: claimed, roleBefore: person.role };
}

/**
 * Uses the invitation up. The link is the proof, and the identity must have its address; nobody's second identity is
 * bound by it.
 * @returns the role and address of the new person; undefined without an invitation that fits
 */
async function accept(tx: Tx, { claims }: Identity) {
  if (tx.invitation === '') return undefined;
  const row = await tx.db
    .selectFrom('invitations')
    .selectAll()
    .where('hash', '=', tx.invitation)
    .where('organization_id', '=', tx.organizationId)
    .where('ends_at', '>', tx.now)
    .executeTakeFirst();
  const addresses = [claims.email, claims.preferred_username].map((text) => String(text).toLowerCase());
  if (row === undefined || !addresses.includes(row.email.toLowerCase())) {
    throw refused('the invitation has ended, was used, or is for another address');
  }
  await tx.db.deleteFrom('invitations').where('id', '=', row.id).execute();
  return { role: row.role, email: row.email };
}

/** The one person whom the e-mail names, if the issuer vouches for it and they have no identity there yet. */
async function linkable(tx: Tx, issuer: IssuerRow, of: Identity): Promise<PersonRow | undefined> {
  const address = await addressOf(tx, issuer, of);
  // Platform operators are never linked by an address.
  if (address === undefined || tx.organizationId === platformId) return undefined;
  const people = await tx.db
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', tx.organizationId)
    .where((or) => or(or.fn<string>('lower', ['email']), '=', address.toLowerCase()))
    .execute();
  const [person, another] = people;
  if (person === undefined || another !== undefined) return undefined;
  if (person.active === 0) throw refused('the person is not active');
  const identity = await tx.db
    .selectFrom('identities')
    .select('id')
    .where('person_id', '=', person.id)
    .where('issuer_id', '=', issuer.id)
    .executeTakeFirst();
  if (identity !== undefined) throw refused('the person has another identity at this issuer');
  return person;
}

/**
 * The address in the form that people have it, if the issuer vouches for it, or is trusted with it in a domain that the
 * organization has verified.
 */
async function addressOf(tx: Tx, issuer: IssuerRow, identity: Identity): Promise<string | undefined> {
  const { email: vouched, statedEmail } = identity;
  const text = vouched ?? (issuer.trust_email === 1 ? statedEmail : undefined);
  const field = text === undefined ? undefined : email(text);
  if (field === undefined || !('value' in field)) return undefined;
  return vouched !== undefined || (await isOwnDomain(tx, field.value)) ? field.value : undefined;
}

async function isOwnDomain({ db, organizationId }: Tx, address: string): Promise<boolean> {
  const row = await db
    .selectFrom('sign_in_domains')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('domain', '=', domainOfEmail(address) ?? '')
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The condition that a person belongs to the organization or the platform. */
function within(organizationId: string) {
  const id = organizationOrPlatform(organizationId) ?? null;
  return ['organization_id', id === null ? 'is' : '=', id] as const;
}

interface NewIdentity {
  readonly identity: Identity;
  readonly personId: string;
}

async function insertIdentity(tx: Tx, issuer: IssuerRow, { identity, personId }: NewIdentity): Promise<string> {
  const id = uuidv7(tx.now);
  await tx.db
    .insertInto('identities')
    .values({
      id,
      issuer_id: issuer.id,
      subject: identity.subject,
      person_id: personId,
      created_at: tx.now,
      realm: realmColumn(issuer, tx.organizationId),
    })
    .execute();
  return id;
}

interface NewPerson {
  readonly identity: Identity;
  readonly role: Role;
  readonly byHand: boolean;
  /** The address of the invitation. */
  readonly email?: string;
}

async function insertPerson(
  tx: Tx,
  issuer: IssuerRow,
  { identity, role, byHand, email: invited }: NewPerson,
): Promise<string> {
  const id = uuidv7(tx.now);
  await tx.db
    .insertInto('people')
    .values({
      id,
      organization_id: organizationOrPlatform(tx.organizationId) ?? null,
      name: await freeName(tx, issuer, identity),
      email: invited ?? (await addressOf(tx, issuer, identity)) ?? null,
      role,
      role_by_hand: byHand ? 1 : 0,
      active: 1,
      allowed_models: '[]',
      created_at: tx.now,
      revision: tx.revision,
    })
    .execute();
  return id;
}

/** The first of the identity's names that nobody in the organization has. */
async function freeName({ db, organizationId }: Tx, issuer: IssuerRow, { claims, subject }: Identity): Promise<string> {
  const wanted = [claims.name, claims.preferred_username, claims.email, `${issuer.name} ${subject}`.slice(0, 128)];
  for (const text of wanted) {
    const field = typeof text === 'string' ? name(text) : undefined;
    if (field === undefined || !('value' in field)) continue;
    const taken = await db
      .selectFrom('people')
      .select('id')
      .where(...within(organizationId))
      .where('name', '=', field.value)
      .executeTakeFirst();
    if (taken === undefined) return field.value;
  }
  throw refused('every name of the identity is taken');
}

function refused(why: string): CallError {
  return new CallError('sign_in_refused', why);
}
