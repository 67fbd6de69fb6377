// The custom providers that an organization may call: its own and the platform's. Their names are unique
// (providers.ts).
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import { aList } from '../../common/json-shape.ts';
import type { ProviderModel } from '../../proto/generated/gateway/v1/ProviderModel.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { jsonColumn, strings } from '../store/json-columns.ts';
import type { Schema } from './schema.ts';

export type ProviderRow = Selectable<Schema['providers']>;

/** @param organizationId null for the platform's providers only */
export function callableBy(organizationId: string | null) {
  return (where: ExpressionBuilder<Schema, 'providers'>) => {
    const platforms = where('organization_id', 'is', null);
    return organizationId === null ? platforms : where.or([platforms, where('organization_id', '=', organizationId)]);
  };
}

export function findCallable(
  db: Kysely<Schema>,
  organizationId: string,
  name: string,
): Promise<ProviderRow | undefined> {
  return db
    .selectFrom('providers')
    .selectAll()
    .where(callableBy(organizationId))
    .where('name', '=', name)
    .executeTakeFirst();
}

export function readCallable(db: Kysely<Schema>, organizationId: string): Promise<ProviderRow[]> {
  return db.selectFrom('providers').selectAll().where(callableBy(organizationId)).orderBy('name').execute();
}

export const modelsOf = jsonColumn('providers', 'models', aList(aMessage<ProviderModel>('ProviderModel')));
export const passedFieldsOf = jsonColumn('providers', 'passed_fields', strings);
