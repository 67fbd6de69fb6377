// Which issuers a sign-in page offers: those of the organization that its address or an invitation names, or to which
// the domain of an e-mail address leads; else the platform's. An e-mail address is never looked up, only its domain, so
// nobody learns here who exists.
import type { Kysely } from 'kysely';
import { hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { isUuid } from '../../common/uuid.ts';
import { domainOfEmail } from '../domain/sign-in-domain.ts';
import { isSuspended } from '../store/organization-table.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import { type Browser, inOrder, type SignInDeps } from './deps.ts';
import { chosenIssuers } from './realm.ts';

/** By what the page knows. */
export type RealmRequest =
  | { readonly by: 'id' | 'slug' | 'email' | 'invitation'; readonly text: string }
  | { readonly by: 'platform' };

export interface Realm {
  /** The enabled ones by name. */
  readonly issuers: readonly { readonly id: string; readonly name: string }[];
  /** The slug of the organization; empty for none. */
  readonly organization: string;
}

/** The form of the result is the same whether the text leads anywhere or not. @throws CallError, StoreUnavailableError */
export async function realmOf(deps: SignInDeps, request: RealmRequest, browser: Browser): Promise<Realm> {
  return await inOrder(deps, 'reads', browser, () =>
    deps.store.snapshot(async (db) => {
      const now = deps.clock.now();
      const id = await organizationOf(db, request, now);
      const row = id === undefined || id === platformId ? undefined : await openOrganization(db, id, now);
      const isOpen = ['platform', 'email', 'invitation'].includes(request.by);
      if (row === undefined) return { issuers: isOpen ? await issuersFor(db, platformId) : [], organization: '' };
      return { issuers: await issuersFor(db, row.id), organization: row.slug ?? '' };
    }),
  );
}

async function organizationOf(db: Kysely<Schema>, request: RealmRequest, now: number): Promise<string | undefined> {
  switch (request.by) {
    case 'platform':
      return undefined;
    case 'id':
      return isUuid(request.text) ? request.text : undefined;
    case 'slug': {
      const row = await db
        .selectFrom('organizations')
        .select('id')
        .where('slug', '=', request.text.slice(0, slugMax))
        .executeTakeFirst();
      return row?.id;
    }
    case 'email':
      return await organizationOfDomain(db, domainOfEmail(request.text));
    case 'invitation':
      return await organizationOfInvitation(db, request.text, now);
  }
}

const slugMax = 64;

async function organizationOfDomain(db: Kysely<Schema>, domain: string | undefined): Promise<string | undefined> {
  if (domain === undefined) return undefined;
  const row = await db
    .selectFrom('sign_in_domains')
    .select('organization_id')
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  return row?.organization_id;
}

/** Only who has the invitation's value learns whose it is. */
async function organizationOfInvitation(db: Kysely<Schema>, value: string, now: number): Promise<string | undefined> {
  if (!isWellFormedCredential('invitation', value)) return undefined;
  const row = await db
    .selectFrom('invitations')
    .select('organization_id')
    .where('hash', '=', hashCredential(value))
    .where('ends_at', '>', now)
    .executeTakeFirst();
  return row?.organization_id;
}

/** Nobody signs in to a suspended one, so its page offers what a page of none does. */
async function openOrganization(db: Kysely<Schema>, id: string, now: number) {
  const row = await db
    .selectFrom('organizations')
    .select(['id', 'slug', 'suspended', 'suspended_ends_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined || isSuspended(row, now) ? undefined : row;
}

async function issuersFor(db: Kysely<Schema>, organizationId: string): Promise<Realm['issuers']> {
  // An empty list would be no SQL.
  const chosen = ['', ...(await chosenIssuers(db, organizationId))];
  return await db
    .selectFrom('issuers')
    .select(['id', 'name'])
    .where((or) =>
      or.or([
        or('organization_id', '=', organizationId),
        or.and([or('organization_id', '=', platformId), or('id', 'in', chosen)]),
      ]),
    )
    .where('enabled', '=', 1)
    .orderBy('name')
    .execute();
}
