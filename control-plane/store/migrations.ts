// The tables of schema.ts, step by step. A released step is never edited, because databases have run it. A step only
// adds, with a default or nullable, because programs of the previous version run beside it during an upgrade, and after
// it if the upgrade is rolled back. A step that cannot do so is named …_breaking: programs that do not know it do not
// start. Steps only use features of both SQLite and PostgreSQL. Unique indexes are named <table>_<last column>_unique;
// store.ts lists them.
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { chainStart } from './audit-chain.ts';
import { createAuditChecks } from './audit-checks-table.ts';
import { addAuditFilters } from './audit-table.ts';
import { addBudgetTerms } from './budget-tables.ts';
import { createCaptures } from './capture-tables.ts';
import { createConsoleSessions } from './console-tables.ts';
import { createLimitCounters } from './counter-table.ts';
import { addGuardrailKeys, createGuardrails } from './guardrail-tables.ts';
import { createKeyRefusals, createKeyStates } from './key-refusal-table.ts';
import { addKeyUse } from './key-tables.ts';
import {
  addEpochLineage,
  addEstimateReasons,
  addLeaseShares,
  addShadowUsage,
  addSpecialUsage,
  createLedgerWork,
  createPrices,
  createUsage,
  createWebhooks,
  type DatabaseFeatures,
} from './ledger-migrations.ts';
import { addMachineUse } from './machine-use-columns.ts';
import { createUsageMetadata, createUsageTags } from './metadata-tables.ts';
import { createBudgetNotices } from './notice-tables.ts';
import { addSuspensionEnds, addTagNames } from './organization-table.ts';
import { openSignInToPlatform } from './platform-issuer-tables.ts';
import { allowPlatformLimits } from './platform-tables.ts';
import { createProgramLogins } from './program-tables.ts';
import { createProviderKeyHours } from './provider-key-hours-table.ts';
import { addProviderKeyOfUsage, createReconciliation } from './reconciliation-tables.ts';
import { createRecordKeys } from './record-key-table.ts';
import { addRequestTags, createRequests } from './request-table.ts';
import { createRoutes } from './route-table.ts';
import type { Schema } from './schema.ts';
import { createScim } from './scim-tables.ts';
import { createServiceAccounts } from './service-account-tables.ts';
import { createSignInDomains } from './sign-in-domain-tables.ts';
import { createInvitations, createSignIn } from './sign-in-tables.ts';
import { createStops } from './stop-table.ts';
import { pagedByOrganization, resourceTable, uniqueName, uniqueNameWithPlatform } from './table-forms.ts';
import { createUsageSums } from './usage-sums-tables.ts';
import { addDeliveryDetails } from './webhook-tables.ts';

/** The steps by name, in the order in which a database runs them. */
export const migrations = (features: DatabaseFeatures): Record<string, Migration> => ({
  '001_feed': { up: createFeed },
  '002_organizations': { up: createOrganizations },
  '003_keys': { up: createKeys },
  '004_tokens': { up: createTokens },
  '005_providers': { up: createProviders },
  '006_limits': { up: createLimits },
  '007_books': { up: createLedgerWork },
  '008_usage': { up: (db) => createUsage(db, features) },
  '009_prices': { up: createPrices },
  '010_webhooks': { up: createWebhooks },
  '011_guardrails': { up: createGuardrails },
  '012_estimate_reasons': { up: addEstimateReasons },
  '013_cost_settings': { up: addCostSettings },
  '014_lease_shares': { up: addLeaseShares },
  '015_budget_notices': { up: createBudgetNotices },
  '016_special_usage': { up: addSpecialUsage },
  '017_usage_metadata': { up: createUsageMetadata },
  '018_provider_key_of_usage': { up: addProviderKeyOfUsage },
  '019_reconciliation': { up: createReconciliation },
  '020_last_hints': { up: addLastHints },
  '021_passed_fields': { up: addPassedFields },
  '022_audit_checks': { up: createAuditChecks },
  '023_epoch_lineage': { up: addEpochLineage },
  '024_guardrail_keys': { up: addGuardrailKeys },
  '025_model_aliases': { up: addModelAliases },
  '026_tool_and_response_settings': { up: addToolAndResponseSettings },
  '027_record_keys': { up: createRecordKeys },
  '028_priced_options': { up: addPricedOptions },
  '029_routes': { up: createRoutes },
  '030_provider_key_refusals': { up: createKeyRefusals },
  '031_priorities': { up: addPriorities },
  '032_shadow_usage': { up: addShadowUsage },
  '033_requests': { up: (db) => createRequests(db, features.partitions) },
  '034_key_use': { up: addKeyUse },
  '035_provider_key_states': { up: createKeyStates },
  '036_delivery_details': { up: addDeliveryDetails },
  '037_audit_filters': { up: addAuditFilters },
  '038_stops': { up: createStops },
  '039_suspension_ends': { up: addSuspensionEnds },
  '040_budget_terms': { up: addBudgetTerms },
  '041_tag_names': { up: addTagNames },
  '042_usage_tags': { up: createUsageTags },
  '043_request_tags': { up: addRequestTags },
  '044_limit_counters': { up: createLimitCounters },
  '045_provider_key_hours': { up: createProviderKeyHours },
  '046_platform_limits': { up: (db) => allowPlatformLimits(db, features) },
  '050_console_sessions': { up: createConsoleSessions },
  '051_sign_in': { up: createSignIn },
  '052_invitations': { up: createInvitations },
  '054_sign_in_domains': { up: createSignInDomains },
  '055_platform_issuers': { up: (db) => openSignInToPlatform(db, features) },
  '056_program_logins': { up: createProgramLogins },
  '057_service_accounts': { up: createServiceAccounts },
  '058_scim': { up: createScim },
  '060_usage_sums': { up: (db) => createUsageSums(db, features) },
  '065_captures': { up: createCaptures },
  '070_machine_use': { up: addMachineUse },
});

async function createFeed(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('feed')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('incarnation', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('audit_hash', 'text', (column) => column.notNull())
    .addColumn('bootstrapped_at', 'bigint')
    .addColumn('pruned_revision', 'bigint', (column) => column.notNull())
    .execute();
  await db
    .insertInto('feed')
    .values({
      id: 1,
      incarnation: randomUUID(),
      revision: 0,
      audit_hash: chainStart,
      bootstrapped_at: null,
      pruned_revision: 0,
    })
    .execute();
  await db.schema
    .createTable('changes')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('ref', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('changes_pkey', ['revision', 'kind', 'ref'])
    .execute();
  await db.schema.createIndex('changes_at').on('changes').column('at').execute();
  await createAuditEvents(db);
}

async function createAuditEvents(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('audit_events')
    .addColumn('revision', 'bigint', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('actor_kind', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text', (column) => column.notNull())
    .addColumn('from_address', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('target_kind', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('previous_hash', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  // The log is read newest first, by organization or by target.
  for (const column of ['organization_id', 'target_id'] as const) {
    await db.schema.createIndex(`audit_events_${column}`).on('audit_events').columns([column, 'revision']).execute();
  }
}

/** Adds the hint of a revoked key's last value. For keys that were revoked earlier it is not known. */
async function addLastHints(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('virtual_keys')
    .addColumn('last_hint', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}

async function addPassedFields(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('providers')
    .addColumn('passed_fields', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}

/** Adds how requests are charged if their response was not read to its end. */
async function addCostSettings(db: Kysely<Schema>): Promise<void> {
  const add = (name: string, usual: string) =>
    db.schema
      .alterTable('organizations')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(usual))
      .execute();
  await add('hang_up', 'cancel');
  await add('unknown_cost', 'hold');
}

/** Adds an organization's own names for models. */
async function addModelAliases(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('organizations')
    .addColumn('model_aliases', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}

/** Adds which tools of vendors pass, and what callers of the Responses API may use. */
async function addToolAndResponseSettings(db: Kysely<Schema>): Promise<void> {
  const add = (name: string, usual: 0 | 1) =>
    db.schema
      .alterTable('organizations')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(usual))
      .execute();
  await add('own_tool_egress', 0);
  await add('own_tool_execution', 0);
  await add('stored_responses', 1);
  await add('background_responses', 0);
  await add('safety_identifier', 0);
}

/** Adds whether requests may have options that cost more than the usual price. */
async function addPricedOptions(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('organizations')
    .addColumn('priced_options', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}

/** Adds priority classes of keys, and weights of keys and organizations. */
async function addPriorities(db: Kysely<Schema>): Promise<void> {
  for (const table of ['organizations', 'virtual_keys'] as const) {
    await db.schema
      .alterTable(table)
      .addColumn('weight', 'integer', (column) => column.notNull().defaultTo(100))
      .execute();
  }
  await db.schema
    .alterTable('virtual_keys')
    .addColumn('priority_class', 'text', (column) => column.notNull().defaultTo('interactive'))
    .execute();
}

async function createOrganizations(db: Kysely<Schema>): Promise<void> {
  await resourceTable(db, 'organizations')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('suspended', 'integer', (column) => column.notNull())
    .addColumn('caller_provider_keys', 'integer', (column) => column.notNull())
    .addColumn('allowed_models', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('organizations_name_unique').unique().on('organizations').column('name').execute();

  await resourceTable(db, 'people')
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('allowed_models', 'text', (column) => column.notNull())
    .execute();
  await uniqueNameWithPlatform(db, 'people').execute();

  await resourceTable(db, 'ai_systems')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('allowed_models', 'text', (column) => column.notNull())
    .execute();
  await uniqueName(db, 'ai_systems').execute();
  await pagedByOrganization(db, ['people', 'ai_systems']);
}

async function createKeys(db: Kysely<Schema>): Promise<void> {
  await resourceTable(db, 'virtual_keys')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('scope_kind', 'text', (column) => column.notNull())
    .addColumn('scope_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('ends_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('allowed_models', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('client_request_id', 'text')
    .addColumn('request_hash', 'text')
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  // A revoked key stays for the audit; its name is free again.
  await uniqueName(db, 'virtual_keys').where(sql<boolean>`revoked_at is null`).execute();
  await db.schema
    .createIndex('virtual_keys_client_request_id_unique')
    .unique()
    .on('virtual_keys')
    .columns(['organization_id', 'client_request_id'])
    .where(sql<boolean>`client_request_id is not null`)
    .execute();
  await db.schema.createIndex('virtual_keys_scope').on('virtual_keys').columns(['scope_id', 'id']).execute();

  await db.schema
    .createTable('key_values')
    .addColumn('hash', 'text', (column) => column.notNull().primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('virtual_keys.id'))
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('key_values_key').on('key_values').column('key_id').execute();

  await resourceTable(db, 'provider_keys')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('secret_version', 'bigint', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('priority', 'bigint', (column) => column.notNull())
    .addColumn('weight', 'bigint', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .execute();
  await uniqueName(db, 'provider_keys').execute();
  await pagedByOrganization(db, ['virtual_keys', 'provider_keys']);
}

async function createTokens(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('operator_tokens')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    // A token is deleted with its person; the audit log shows its history.
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('operator_tokens_person').on('operator_tokens').columns(['person_id', 'id']).execute();
  await db.schema
    .createTable('proxy_tokens')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
}

async function createProviders(db: Kysely<Schema>): Promise<void> {
  await resourceTable(db, 'providers')
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('wire_format', 'text', (column) => column.notNull())
    .addColumn('base_url', 'text', (column) => column.notNull())
    .addColumn('key_form', 'text', (column) => column.notNull())
    .addColumn('key_header', 'text')
    .addColumn('models', 'text', (column) => column.notNull())
    .execute();
  await uniqueNameWithPlatform(db, 'providers').execute();
  await pagedByOrganization(db, ['providers']);
  // The check for stored keys of a platform's provider searches all organizations.
  await db.schema.createIndex('provider_keys_provider').on('provider_keys').column('provider').execute();
}

async function createLimits(db: Kysely<Schema>): Promise<void> {
  await resourceTable(db, 'limits')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('subject_kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('model', 'text')
    .execute();
  await db.schema.createIndex('limits_subject').on('limits').columns(['subject_id', 'id']).execute();
  await pagedByOrganization(db, ['limits']);
}
