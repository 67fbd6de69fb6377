// The rows behind key values, read table by table: the plain form of control-plane/store/access-rows.ts, for comparison.
import type { Kysely } from 'kysely';
import type { AccessRows, AccessRowsRequest } from '../../control-plane/store/access-rows.ts';
import { platformId } from '../../control-plane/store/platform-id.ts';
import type { Position } from '../../control-plane/store/position.ts';
import type { Schema } from '../../control-plane/store/schema.ts';

/** @param db of one snapshot */
export async function plainAccessRows(
  db: Kysely<Schema>,
  position: Position,
  { hashes, now, onlyOf }: AccessRowsRequest,
): Promise<AccessRows> {
  const keys = await plainKeys(db, { hashes, now, onlyOf });
  // PostgreSQL accepts no empty list.
  const owners = [...new Set(['', ...keys.map((key) => key.organization_id)])];
  const scopes = ['', ...keys.map((key) => key.scope_id)];
  const ofOwners = await plainTables(db, owners, now);
  const subjects = [...keys.map(({ id }) => id), ...scopes, ...owners, ...ofOwners.keyIds, platformId];
  const scopeColumns = ['id', 'organization_id', 'active', 'allowed_models', 'revision'] as const;
  const { keyIds: _ids, ...tables } = ofOwners;
  return {
    position,
    keys,
    ai_systems: await db
      .selectFrom('ai_systems')
      .select(scopeColumns)
      .where('id', 'in', scopes)
      .orderBy('id')
      .execute(),
    people: await db.selectFrom('people').select(scopeColumns).where('id', 'in', scopes).orderBy('id').execute(),
    limits: await db
      .selectFrom('limits')
      .select(['id', 'organization_id', 'subject_kind', 'subject_id', 'kind', 'amount', 'model', 'period'])
      .select(['calendar', 'counting'])
      .where('subject_id', 'in', subjects)
      .where('soft', '=', 0)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute(),
    ...tables,
  };
}

async function plainKeys(db: Kysely<Schema>, { hashes, now, onlyOf }: AccessRowsRequest) {
  const rows = await db
    .selectFrom('key_values')
    .innerJoin('virtual_keys', 'virtual_keys.id', 'key_values.key_id')
    .select(['hash', 'virtual_keys.id', 'organization_id', 'scope_kind', 'scope_id', 'active', 'revoked_at'])
    .select(['virtual_keys.ends_at', 'key_values.ends_at as value_ends_at', 'allowed_models', 'priority_class'])
    .select(['weight', 'revision'])
    .where('hash', 'in', ['', ...hashes])
    .orderBy('hash')
    .execute();
  return rows
    .filter((row) => row.revoked_at === null && (row.value_ends_at === null || row.value_ends_at > now))
    .filter((row) => onlyOf === undefined || row.organization_id === onlyOf)
    .map(({ revoked_at: _none, ...row }) => row);
}

/** The tables of organizations, and the ids of all provider keys. */
async function plainTables(db: Kysely<Schema>, owners: readonly string[], now: number) {
  const providerKeys = await db
    .selectFrom('provider_keys')
    .select(['id', 'organization_id', 'provider', 'secret', 'secret_version', 'settings', 'priority', 'weight'])
    .select('enabled')
    .where('organization_id', 'in', owners)
    .orderBy('priority')
    .orderBy('id')
    .execute();
  const providers = await db
    .selectFrom('providers')
    .select(['id', 'organization_id', 'name', 'wire_format', 'base_url', 'key_form', 'key_header', 'models'])
    .select(['passed_fields', 'created_at'])
    .orderBy('name')
    .execute();
  const stops = await db
    .selectFrom('stops')
    .select(['id', 'organization_id', 'provider', 'model', 'direct_keys', 'reason', 'ends_at'])
    .orderBy('id')
    .execute();
  const organizations = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', 'in', owners)
    .orderBy('id')
    .execute();
  const isSeen = (row: { readonly organization_id: string | null }) =>
    row.organization_id === null || owners.includes(row.organization_id);
  return {
    keyIds: providerKeys.map(({ id }) => id),
    organizations: organizations.map(
      ({ name: _name, slug: _slug, suspended_reason: _why, created_at: _at, ...row }) => row,
    ),
    provider_keys: providerKeys.filter((row) => row.enabled === 1).map(({ enabled: _on, ...row }) => row),
    record_keys: await db
      .selectFrom('record_keys')
      .select(['organization_id', 'generation', 'secret', 'created_at'])
      .where('organization_id', 'in', owners)
      .orderBy('generation', 'desc')
      .orderBy('organization_id')
      .execute(),
    providers: providers.filter(isSeen),
    prices: await db
      .selectFrom('prices')
      .select(['id', 'organization_id', 'model', 'prices'])
      .where('organization_id', 'in', owners)
      .orderBy('id')
      .execute(),
    guardrails: await db
      .selectFrom('guardrails')
      .select(['id', 'organization_id', 'name', 'position', 'stage', 'action', 'on_failure', 'message'])
      .select(['ai_system_ids', 'key_ids', 'check_message', 'secret', 'secret_version', 'revision'])
      .where('organization_id', 'in', owners)
      .where('enabled', '=', 1)
      .orderBy('position')
      .orderBy('id')
      .execute(),
    routes: await db
      .selectFrom('routes')
      .select(['organization_id', 'name', 'body'])
      .where('organization_id', 'in', owners)
      .where('active', '=', 1)
      .orderBy('id')
      .execute(),
    stops: stops.filter((row) => isSeen(row) && (row.ends_at === null || row.ends_at > now)),
    capture_keys: await db
      .selectFrom('capture_keys')
      .select(['organization_id', 'generation', 'public_key'])
      .where('organization_id', 'in', owners)
      .where('replaced_at', 'is', null)
      .orderBy('organization_id')
      .execute(),
    capture_settings: await db
      .selectFrom('capture_settings')
      .select(['id', 'organization_id', 'target_kind', 'target_id', 'ends_at'])
      .select(['sample_per_thousand', 'retention_days', 'side_bytes_max'])
      .where('organization_id', 'in', owners)
      .where('ends_at', '>', now)
      .orderBy('id')
      .execute(),
  };
}
