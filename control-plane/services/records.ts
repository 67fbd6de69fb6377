// Makes the records of key values for proxies: key, scope and organization, all as of one position.
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
import type {
  AccessKeyRow,
  AccessOrganizationRow,
  AccessProviderKeyRow,
  AccessProviderRow,
  AccessRows,
} from '../store/access-rows.ts';
import { isSuspended } from '../store/organization-table.ts';
import { modelsOf, passedFieldsOf } from '../store/provider-rows.ts';
import { captureRecord } from './capture-rows.ts';
import { aliasesOf, globsRecord, tagNamesOf } from './columns.ts';
import { guardrailRecord } from './guardrail-rows.ts';
import { limitsBySubject } from './limit-rows.ts';
import { requestSettings } from './organizations.ts';
import { priceRecords } from './price-rows.ts';
import { settingsOf } from './provider-keys.ts';
import { openRecordKeys } from './record-keys.ts';
import { routeRecord } from './route-rows.ts';
import { scopeTables } from './scope-rows.ts';
import { platformRecord, stopRecord, suspensionStops } from './stop-rows.ts';

export interface RecordsDeps {
  readonly sealKeys: SealKeys;
  readonly log: Logger;
}

/** The records in their own fields. A control plane signs that of the platform in any case. */
export interface ReadRecords extends Omit<ResolveResponse, 'platform'> {
  readonly platformRecord?: PlatformRecord;
}

/**
 * Makes records of rows. Keys of one organization share its record.
 * @param now milliseconds since 1970, as for the reading of the rows
 * @returns the records behind the hash of a key value
 */
export function recordsOf(deps: RecordsDeps, rows: AccessRows, now: number): (hash: string) => ReadRecords {
  const asOf = rows.position;
  const keys = new Map(rows.keys.map((row) => [row.hash, row]));
  const limitsOf = limitsBySubject(rows.limits);
  const rowsOf = byOrganization(rows);
  const organizations = new Map(
    rows.organizations.map((row) => {
      const record = { ...organizationRecord(deps, rowsOf(row), now), limits: limitsOf(row.id) };
      return [row.id, record];
    }),
  );
  const platform = platformRecord(rows);
  const scopeOf = scopesOf(rows);
  return (hash) => {
    const key = keys.get(hash);
    const organization = key && organizations.get(key.organization_id);
    if (key === undefined || organization === undefined) return { asOf };
    const records = {
      asOf,
      key: { ...toKeyRecord(key, organization.revision), limits: limitsOf(key.id) },
      organization,
      platformRecord: platform,
    };
    if (key.scope_kind === 'organization') return records;
    const scope = scopeOf(key.scope_kind, key.scope_id);
    // Deleting a scope revokes its keys. A key that remains without its scope grants nothing.
    if (scope === undefined) return { asOf };
    return { ...records, scope: { ...scope, limits: limitsOf(key.scope_id) } };
  };
}

/** The rows of one organization. */
interface OrganizationRows
  extends Pick<
    AccessRows,
    | 'provider_keys'
    | 'record_keys'
    | 'providers'
    | 'prices'
    | 'guardrails'
    | 'routes'
    | 'stops'
    | 'capture_keys'
    | 'capture_settings'
  > {
  readonly organization: AccessOrganizationRow;
}

function byOrganization(rows: AccessRows): (organization: AccessOrganizationRow) => OrganizationRows {
  const grouped = {
    provider_keys: groupsOf(rows.provider_keys),
    record_keys: groupsOf(rows.record_keys),
    prices: groupsOf(rows.prices),
    guardrails: groupsOf(rows.guardrails),
    routes: groupsOf(rows.routes),
    stops: groupsOf(rows.stops),
    capture_keys: groupsOf(rows.capture_keys),
    capture_settings: groupsOf(rows.capture_settings),
  };
  return (organization) => {
    const { id } = organization;
    return {
      organization,
      provider_keys: grouped.provider_keys(id),
      record_keys: grouped.record_keys(id),
      // By name, whosever they are.
      providers: rows.providers.filter((row) => row.organization_id === null || row.organization_id === id),
      prices: grouped.prices(id),
      guardrails: grouped.guardrails(id),
      routes: grouped.routes(id),
      stops: grouped.stops(id),
      capture_keys: grouped.capture_keys(id),
      capture_settings: grouped.capture_settings(id),
    };
  };
}

function groupsOf<Row extends { readonly organization_id: string | null }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, (row) => row.organization_id);
  return (organizationId: string): readonly Row[] => groups.get(organizationId) ?? [];
}

function toKeyRecord(key: AccessKeyRow, organizationRevision: number): KeyRecord {
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

type OwnedScopeKind = Exclude<ScopeKind, 'organization'>;

function scopesOf({ ai_systems: systems, people }: AccessRows) {
  const rows = {
    ai_system: new Map(systems.map((row) => [row.id, row])),
    person: new Map(people.map((row) => [row.id, row])),
  };
  return (kind: OwnedScopeKind, id: string): ScopeRecord | undefined => {
    const row = rows[kind].get(id);
    return (
      row && {
        kind: scopeKinds.names[kind],
        id,
        organizationId: row.organization_id ?? '',
        active: row.active === 1,
        allowedModels: globsRecord(scopeTables[kind], row),
        revision: row.revision,
      }
    );
  };
}

function organizationRecord(deps: RecordsDeps, rows: OrganizationRows, now: number) {
  const { organization } = rows;
  const tagNames = tagNamesOf(organization);
  const capture = captureRecord(rows);
  return {
    id: organization.id,
    active: !isSuspended(organization, now),
    callerProviderKeys: organization.caller_provider_keys === 1,
    hangUp: hangUps.names[organization.hang_up],
    unknownCost: unknownCosts.names[organization.unknown_cost],
    ...requestSettings(organization),
    recordKeys: openRecordKeys(deps, rows.record_keys),
    modelAliases: aliasesOf(organization),
    allowedModels: globsRecord('organizations', organization),
    providerKeys: rows.provider_keys.flatMap((row) => toProviderKeyRecord(deps, row) ?? []),
    revision: organization.revision,
    providers: rows.providers.map(toProviderRecord),
    prices: priceRecords(rows.prices),
    guardrails: rows.guardrails.map((row) => guardrailRecord(deps, row)),
    routes: rows.routes.map(routeRecord),
    ...(organization.weight !== usualWeight && { weight: organization.weight }),
    // Only what is not usual, so that other records stay as they are.
    ...(organization.request_days === 0 && { requestLog: { retentionDays: 0 } }),
    ...(tagNames.length > 0 && { tagNames: [...tagNames] }),
    ...(capture !== undefined && { capture }),
    stops: [...suspensionStops(organization, now), ...rows.stops.map(stopRecord)],
  } satisfies OrganizationRecord;
}

function toProviderKeyRecord({ sealKeys, log }: RecordsDeps, row: AccessProviderKeyRow): ProviderKeyRecord | undefined {
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

function toProviderRecord(row: AccessProviderRow): ProviderRecord {
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
