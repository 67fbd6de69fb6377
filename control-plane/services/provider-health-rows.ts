// Reads what the health of providers needs of the database, once for all sums of a response.
import type { Kysely } from 'kysely';
import { vendorNames } from '../../common/vendors.ts';
import type { ProviderHealth } from '../../proto/generated/gateway/v1/ProviderHealth.ts';
import type { Watcher } from '../changes/watchers.ts';
import { callableBy } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import { providerHealth, reportedKeys } from './target-health.ts';

export type HealthOf = (watchers: readonly Watcher[]) => ProviderHealth[];

/** A statement has a limited number of parameters. Further keys are left out of the sums. */
const keysMax = 500;

/** @param watchers all of which sums are made later */
export async function readProviderHealth(db: Kysely<Schema>, watchers: readonly Watcher[]): Promise<HealthOf> {
  if (watchers.every(({ targets }) => targets === undefined)) return () => [];
  const ids = reportedKeys(watchers).slice(0, keysMax);
  const keys =
    ids.length === 0
      ? []
      : await db.selectFrom('provider_keys').select(['id', 'provider']).where('id', 'in', ids).execute();
  const platforms = await db.selectFrom('providers').select('name').where(callableBy(null)).execute();
  const named = new Set<string>([...vendorNames, ...platforms.map(({ name }) => name)]);
  const providersOfKeys = new Map(keys.map(({ id, provider }) => [id, provider]));
  return (some) => providerHealth({ watchers: some, providersOfKeys, named });
}
