// Whom a sign-in is about: people of an organization, or platform operators. An organization's issuer signs in its own
// people alone. The platform's issuers sign in platform operators, and people of organizations that chose the issuer.
import type { Kysely } from 'kysely';
import { aList, aString } from '../../common/json-shape.ts';
import { CallError } from '../rpc/errors.ts';
import { jsonColumn } from '../store/json-columns.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { IssuerRow } from './issuer.ts';

/** The column of the platform's issuers that an organization chose. */
export const chosenIssuersOf = jsonColumn('sign_in_settings', 'platform_issuers', aList(aString));

/**
 * @param slug the organization of the sign-in page; empty for none
 * @returns the id of the organization, or of the platform
 * @throws CallError sign_in_refused if the issuer does not sign in its people
 */
export async function realmOfSignIn(db: Kysely<Schema>, issuer: IssuerRow, slug: string): Promise<string> {
  if (issuer.organization_id !== platformId) return issuer.organization_id;
  if (slug === '') return platformId;
  const row = await db.selectFrom('organizations').select('id').where('slug', '=', slug).executeTakeFirst();
  if (row !== undefined) await expectRealm(db, issuer, row.id);
  else throw refused();
  return row.id;
}

/** @throws CallError sign_in_refused unless the issuer signs in people of the organization or platform */
export async function expectRealm(db: Kysely<Schema>, issuer: IssuerRow, organizationId: string): Promise<void> {
  if (issuer.organization_id === organizationId) return;
  if (issuer.organization_id === platformId && (await hasChosen(db, organizationId, issuer.id))) return;
  throw refused();
}

async function hasChosen(db: Kysely<Schema>, organizationId: string, issuerId: string): Promise<boolean> {
  return (await chosenIssuers(db, organizationId)).includes(issuerId);
}

export async function chosenIssuers(db: Kysely<Schema>, organizationId: string): Promise<readonly string[]> {
  const row = await db
    .selectFrom('sign_in_settings')
    .select('platform_issuers')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row === undefined ? [] : chosenIssuersOf(row);
}

/** In column `realm` of an identity: at the platform's issuers a subject has a person in each organization. */
export function realmColumn(issuer: IssuerRow, organizationId: string): string {
  return issuer.organization_id === organizationId ? '' : organizationId;
}

function refused(): CallError {
  return new CallError('sign_in_refused', 'the issuer signs in nobody of this organization');
}
