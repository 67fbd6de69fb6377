// Reads the models that an organization's selectors are compared with: the catalog's, and those of the custom providers
// that it may call.
import type { Kysely } from 'kysely';
import { type KnownModels, knownModels } from '../domain/model-selector.ts';
import { callableBy, modelsOf, type ProviderRow } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';

/**
 * @param organizationId null for the platform's custom providers only
 * @param selectors of the request; without any, nothing is read
 */
export async function readKnownModels(
  db: Kysely<Schema>,
  organizationId: string | null,
  selectors: unknown,
): Promise<KnownModels> {
  if (selectors === undefined || selectors === null) return { names: [], open: [] };
  const rows = await db
    .selectFrom('providers')
    .select(['id', 'name', 'models'])
    .where(callableBy(organizationId))
    .orderBy('name')
    .execute();
  return knownModels(rows.map(listOf));
}

export function listOf(row: Pick<ProviderRow, 'id' | 'name' | 'models'>) {
  return {
    name: row.name,
    models: modelsOf(row).map((model) => ({ name: model.name ?? '' })),
  };
}
