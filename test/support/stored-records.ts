// Rows as the operators' services would write them, for tests of the code below or beside those services.
import type { Insertable } from 'kysely';
import type { Schema } from '../../control-plane/store/schema.ts';
import type { Change, ChangeTransaction, Invalidation, Store, Unchanged } from '../../control-plane/store/store.ts';

export const testContext = {
  actor: { kind: 'person', id: 'person-1' },
  from: '192.0.2.1',
  action: 'Test.Change',
} as const;

/** Runs a change with a default result, target and invalidations. */
export function change<T = void>(
  store: Store,
  work: (tx: ChangeTransaction) => Promise<Partial<Change<T>> | Unchanged<T> | undefined>,
): Promise<T> {
  return store.change<T>(testContext, async (tx) => {
    const outcome = await work(tx);
    if (outcome !== undefined && 'unchanged' in outcome) return outcome;
    const target = { kind: 'test', id: 'test' };
    return { organizationId: undefined, target, invalidations: [], result: undefined as T, ...outcome };
  });
}

/** Commits only invalidations of an organization. @returns their revision */
export function invalidate(
  store: Store,
  invalidations: readonly Invalidation[],
  organizationId?: string,
): Promise<number> {
  return change(store, async (tx) => ({ result: tx.revision, organizationId, invalidations }));
}

type Row<Table extends keyof Schema> = Partial<Insertable<Schema[Table]>>;

export async function insertOrganization(tx: ChangeTransaction, row: Row<'organizations'> = {}): Promise<void> {
  const id = row.id ?? 'organization-1';
  await tx.db
    .insertInto('organizations')
    .values({
      ...{
        id,
        name: `name of ${id}`,
        suspended: 0,
        caller_provider_keys: 0,
        hang_up: 'cancel',
        unknown_cost: 'hold',
        model_aliases: '[]',
        own_tool_egress: 0,
        own_tool_execution: 0,
        stored_responses: 1,
        background_responses: 0,
        safety_identifier: 0,
        priced_options: 1,
        request_days: 30,
        tag_names: '[]',
        weight: 100,
        allowed_models: '[]',
      },
      ...stamps(tx),
      ...row,
    })
    .execute();
}

export async function insertPerson(tx: ChangeTransaction, row: Row<'people'> = {}): Promise<void> {
  const id = row.id ?? 'person-1';
  await tx.db
    .insertInto('people')
    .values({
      ...{ id, organization_id: 'organization-1', name: `name of ${id}`, email: null, role: 'member' },
      ...{ active: 1, allowed_models: '[]' },
      ...stamps(tx),
      ...row,
    })
    .execute();
}

export async function insertAiSystem(tx: ChangeTransaction, row: Row<'ai_systems'> = {}): Promise<void> {
  const id = row.id ?? 'system-1';
  await tx.db
    .insertInto('ai_systems')
    .values({
      ...{ id, organization_id: 'organization-1', name: `name of ${id}`, active: 1, allowed_models: '[]' },
      ...stamps(tx),
      ...row,
    })
    .execute();
}

export async function insertVirtualKey(tx: ChangeTransaction, row: Row<'virtual_keys'> = {}): Promise<void> {
  const id = row.id ?? 'key-1';
  await tx.db
    .insertInto('virtual_keys')
    .values({
      ...{ id, organization_id: 'organization-1', name: `name of ${id}`, active: 1, ends_at: null },
      ...{ scope_kind: 'organization', scope_id: row.organization_id ?? 'organization-1', revoked_at: null },
      ...{ allowed_models: '[]', metadata: '{}', client_request_id: null, request_hash: null },
      ...{ priority_class: 'interactive', weight: 100 },
      ...{ created_by: 'person-1', last_used_at: null, last_hint: '' },
      ...stamps(tx),
      ...row,
    })
    .execute();
}

export async function insertKeyValue(
  tx: ChangeTransaction,
  row: Row<'key_values'> & { readonly hash: string },
): Promise<void> {
  await tx.db
    .insertInto('key_values')
    .values({ key_id: 'key-1', hint: 'abcd', ends_at: null, created_at: tx.now, ...row })
    .execute();
}

export async function insertProviderKey(
  tx: ChangeTransaction,
  row: Row<'provider_keys'> & { readonly secret: string },
): Promise<void> {
  const id = row.id ?? 'provider-key-1';
  await tx.db
    .insertInto('provider_keys')
    .values({
      ...{ id, organization_id: 'organization-1', provider: 'gpt-provider', name: `name of ${id}` },
      ...{ hint: '', secret_version: 1, settings: '{}', priority: 0, weight: 1, enabled: 1 },
      ...stamps(tx),
      ...row,
    })
    .execute();
}

/** A limit on the organization's requests, unless the row says otherwise. */
export async function insertLimit(tx: ChangeTransaction, row: Row<'limits'> = {}): Promise<void> {
  await tx.db
    .insertInto('limits')
    .values({
      ...{ id: 'limit-1', organization_id: 'organization-1', model: null, period: null, deleted_at: null },
      ...{ subject_kind: 'organization', subject_id: 'organization-1' },
      ...{ kind: 'requests_per_minute', amount: 60 },
      ...stamps(tx),
      ...row,
    })
    .execute();
}

export async function insertPrice(tx: ChangeTransaction, row: Row<'prices'> = {}): Promise<void> {
  await tx.db
    .insertInto('prices')
    .values({
      ...{ id: 'price-1', organization_id: 'organization-1', model: 'gpt-provider/*' },
      prices: '{"input":"1","output":"2","tiers":[]}',
      ...stamps(tx),
      ...row,
    })
    .execute();
}

function stamps(tx: ChangeTransaction) {
  return { created_at: tx.now, revision: tx.revision };
}
