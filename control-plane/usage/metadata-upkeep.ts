// Forgets sets of metadata of which no usage is left, and the values of tags that were in these alone.
import { type Kysely, sql } from 'kysely';
import { dayMs } from '../../common/durations.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

const setsMax = 1_000;
/** Usage may be reported so late, and the day of use is that of the record. */
const lateMs = 60 * dayMs;

/**
 * Deletes the oldest ones, at most a thousand.
 * @param keptFrom sums by hour from before this time are deleted
 * @returns whether there are more
 */
export async function forgetSets(store: Pick<Store, 'ledger'>, keptFrom: number): Promise<boolean> {
  return await store.ledger(async ({ db }) => {
    const old = await db
      .selectFrom('usage_metadata_sets')
      .select(['organization_id', 'set_id'])
      .where('used_on', '<', keptFrom - lateMs)
      .orderBy('organization_id')
      .orderBy('set_id')
      .limit(setsMax)
      .execute();
    for (const [organizationId, own] of Map.groupBy(old, ({ organization_id }) => organization_id)) {
      const ids = own.map(({ set_id }) => set_id);
      await forgetSetsOf(db, { organizationId, ids, before: keptFrom - lateMs });
    }
    return old.length === setsMax;
  });
}

interface OldSets {
  readonly organizationId: string;
  readonly ids: readonly string[];
  readonly before: number;
}

/** A set that is used again meanwhile stays: the transaction that marks it as used has its row locked. */
async function forgetSetsOf(db: Kysely<Schema>, { organizationId, ids, before }: OldSets): Promise<void> {
  await db
    .deleteFrom('usage_metadata_sets')
    .where('organization_id', '=', organizationId)
    .where('set_id', 'in', ids)
    .where('used_on', '<', before)
    .execute();
  await sql`
    delete from usage_metadata where organization_id = ${organizationId} and set_id in (${sql.join(ids)})
    and not exists (
      select 1 from usage_metadata_sets as sets
      where sets.organization_id = ${organizationId} and sets.set_id = usage_metadata.set_id
    )`.execute(db);
  await sql`
    delete from usage_tag_values where organization_id = ${organizationId} and (name, value) in (
      select name, value from usage_tag_values where organization_id = ${organizationId}
      except select name, value from usage_metadata where organization_id = ${organizationId}
    )`.execute(db);
}
