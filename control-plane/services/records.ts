// Reads the records of a key value for a proxy: key, scope and organization, all as of one position.
import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { KeyRecord } from '../../proto/generated/gateway/v1/KeyRecord.ts';
import type { OrganizationRecord } from '../../proto/generated/gateway/v1/OrganizationRecord.ts';
import type { PlatformRecord } from '../../proto/generated/gateway/v1/PlatformRecord.ts';
import type { ProviderKeyRecord } from '../../proto/generated/gateway/v1/ProviderKeyRecord.ts';
import type { ProviderRecord } from '../../proto/generated/gateway/v1/ProviderRecord.ts';
import type { ResolveResponse } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { ScopeRecord } from '../../proto/generated/gateway/v1/ScopeRecord.ts';
import {
  hangUps,
  keyForms,
  priorityClasses,
  type ScopeKind,
  scopeKinds,
  unknownCosts,
  wireFormats,
} from '../../proto/words/access.ts';
import { unsealProviderSecret } from '../domain/provider-secret.ts';
import { timeText, usualWeight } from '../domain/shared-fields.ts';
import { isSuspended } from '../store/organization-table.ts';
import { modelsOf, type ProviderRow, passedFieldsOf, readCallable } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import type { Position } from '../store/store.ts';
import { aliasesOf, globsRecord, tagNamesOf } from './columns.ts';
import { readGuardrails } from './guardrail-rows.ts';
import { readLimits } from './limit-rows.ts';
import { requestSettings } from './organizations.ts';
import { readPrices } from './price-rows.ts';
import { settingsOf } from './provider-keys.ts';
import { readRecordKeys } from './record-keys.ts';
import { readRoutes } from './route-rows.ts';
import { readScopeRow } from './scope-rows.ts';
import { readPlatform, readStops, suspensionStops } from './stop-rows.ts';

export interface RecordsDeps {
  /** One snapshot of the database, and its position. */
  readonly db: Kysely<Schema>;
  readonly position: Position;
  readonly sealKeys: SealKeys;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The records in their own fields. A control plane signs that of the platform in any case. */
export interface ReadRecords extends Omit<ResolveResponse, 'platform'> {
  readonly platformRecord?: PlatformRecord;
}

/**
 * @param hash SHA-256 of a key value in hexadecimal
 * @param onlyOf an organization; keys of others count as unknown
 */
export async function readRecords(deps: RecordsDeps, hash: string, onlyOf: string | undefined): Promise<ReadRecords> {
  const asOf = deps.position;
  const key = await findKey(deps, hash);
  if (key === undefined || (onlyOf !== undefined && key.organization_id !== onlyOf)) return { asOf };
  const organization = await deps.db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', key.organization_id)
    .executeTakeFirstOrThrow();
  const limitsOf = await readLimits(deps.db, organization.id, [key.id, key.scope_id, organization.id]);
  const records = {
    asOf,
    key: { ...toKeyRecord(key, organization.revision), limits: limitsOf(key.id) },
    organization: { ...(await toOrganizationRecord(deps, organization)), limits: limitsOf(organization.id) },
    platformRecord: await readPlatform(deps.db, deps.clock.now()),
  };
  if (key.scope_kind === 'organization') return records;
  const scope = await readScope(deps.db, key.scope_kind, key.scope_id);
  // Deleting a scope revokes its keys. A key that remains without its scope grants nothing.
  if (scope === undefined) return { asOf };
  return { ...records, scope: { ...scope, limits: limitsOf(key.scope_id) } };
}

type FoundKey = NonNullable<Awaited<ReturnType<typeof findKey>>>;

function findKey({ db, clock }: RecordsDeps, hash: string) {
  return db
    .selectFrom('key_values')
    .innerJoin('virtual_keys', 'virtual_keys.id', 'key_values.key_id')
    .selectAll('virtual_keys')
    .select('key_values.ends_at as value_ends_at')
    .where('key_values.hash', '=', hash)
    .where('virtual_keys.revoked_at', 'is', null)
    .where((where) =>
      where.or([where('key_values.ends_at', 'is', null), where('key_values.ends_at', '>', clock.now())]),
    )
    .executeTakeFirst();
}

function toKeyRecord(key: FoundKey, organizationRevision: number): KeyRecord {
  return {
    keyId: key.id,
    organizationId: key.organization_id,
    scope: { kind: scopeKinds.names[key.scope_kind], id: key.scope_id },
    active: key.active === 1,
    ...(key.ends_at !== null && { endsAt: new Date(key.ends_at).toISOString() }),
    ...(key.value_ends_at !== null && { valueEndsAt: new Date(key.value_ends_at).toISOString() }),
    allowedModels: globsRecord('virtual_keys', key),
    // Only what is not usual, so that other records stay as they are.
    ...(key.priority_class !== 'interactive' && { priorityClass: priorityClasses.names[key.priority_class] }),
    ...(key.weight !== usualWeight && { weight: key.weight }),
    organizationRevision,
    revision: key.revision,
  };
}

async function readScope(
  db: Kysely<Schema>,
  kind: Exclude<ScopeKind, 'organization'>,
  id: string,
): Promise<ScopeRecord | undefined> {
  const row = await readScopeRow(db, kind, id);
  if (row === undefined) return undefined;
  return {
    kind: scopeKinds.names[kind],
    id,
    organizationId: row.organization_id ?? '',
    active: row.active === 1,
    allowedModels: globsRecord(row.table, row),
    revision: row.revision,
  };
}

async function toOrganizationRecord(
  deps: RecordsDeps,
  organization: Selectable<Schema['organizations']>,
): Promise<OrganizationRecord> {
  const now = deps.clock.now();
  const tagNames = tagNamesOf(organization);
  return {
    id: organization.id,
    active: !isSuspended(organization, now),
    callerProviderKeys: organization.caller_provider_keys === 1,
    hangUp: hangUps.names[organization.hang_up],
    unknownCost: unknownCosts.names[organization.unknown_cost],
    ...requestSettings(organization),
    recordKeys: await readRecordKeys(deps, organization.id),
    modelAliases: aliasesOf(organization),
    allowedModels: globsRecord('organizations', organization),
    providerKeys: await readProviderKeys(deps, organization.id),
    revision: organization.revision,
    providers: (await readCallable(deps.db, organization.id)).map(toProviderRecord),
    prices: await readPrices(deps.db, organization.id),
    guardrails: await readGuardrails(deps, organization.id),
    routes: await readRoutes(deps.db, organization.id),
    ...(organization.weight !== usualWeight && { weight: organization.weight }),
    // Only what is not usual, so that other records stay as they are.
    ...(organization.request_days === 0 && { requestLog: { retentionDays: 0 } }),
    ...(tagNames.length > 0 && { tagNames: [...tagNames] }),
    stops: [...suspensionStops(organization, now), ...(await readStops(deps.db, organization.id, now))],
  };
}

async function readProviderKeys(deps: RecordsDeps, organizationId: string): Promise<ProviderKeyRecord[]> {
  const rows = await deps.db
    .selectFrom('provider_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('enabled', '=', 1)
    .orderBy('priority')
    .orderBy('id')
    .execute();
  return rows.flatMap((row) => toProviderKeyRecord(deps, row) ?? []);
}

function toProviderKeyRecord(
  { sealKeys, log }: RecordsDeps,
  row: Selectable<Schema['provider_keys']>,
): ProviderKeyRecord | undefined {
  const binding = { organizationId: row.organization_id, providerKeyId: row.id, version: row.secret_version };
  const secret = unsealProviderSecret(sealKeys, binding, row.secret);
  if (secret === undefined) {
    // The organization's other provider keys still work.
    log.error({ providerKey: row.id }, 'a provider key cannot be unsealed; is its master key among those given?');
    return undefined;
  }
  return {
    id: row.id,
    provider: row.provider,
    secret,
    settings: settingsOf(row),
    priority: row.priority,
    weight: row.weight,
  };
}

function toProviderRecord(row: ProviderRow): ProviderRecord {
  return {
    id: row.id,
    name: row.name,
    wireFormat: wireFormats.names[row.wire_format],
    baseUrl: row.base_url,
    keyForm: keyForms.names[row.key_form],
    ...(row.key_header !== null && { keyHeader: row.key_header }),
    models: modelsOf(row),
    passedFields: passedFieldsOf(row),
    createdAt: timeText(row.created_at),
  };
}
