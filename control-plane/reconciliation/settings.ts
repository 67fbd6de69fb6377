// From which size on a difference counts, by organization.
import type { Kysely } from 'kysely';
import { nanoPerUsd } from '../../common/money.ts';
import type { Schema } from '../store/schema.ts';
import type { Bound } from './analysis.ts';

/** One percent, and one cent: what is below both for every model and day adds up to one percent of the bill at most. */
export const defaultBound: Bound = { percent: 100, least: nanoPerUsd / 100 };

export async function readBound(db: Kysely<Schema>, organizationId: string): Promise<Bound> {
  const row = await db
    .selectFrom('reconcile_settings')
    .select(['bound_percent', 'bound'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row === undefined ? defaultBound : { percent: row.bound_percent, least: row.bound };
}
