// The tables, in the portable types that SQLite and PostgreSQL share: text, integer 0/1 for flags, bigint for
// milliseconds since 1970 and revisions, JSON as text. Both databases have exactly these; migrations.ts creates them.
import type { KeyForm, RecordKind, RecordState, WireFormat } from '../../proto/words/access.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import type { AuditChecksTable } from './audit-checks-table.ts';
import type { AuditEventsTable } from './audit-table.ts';
import type { BudgetAdjustmentsTable, BudgetWindowsTable, LimitsTable } from './budget-tables.ts';
import type { CaptureTables } from './capture-tables.ts';
import type { ConsoleLinksTable, ConsoleSessionsTable, ConsoleTokensTable } from './console-tables.ts';
import type { LimitCountersTable } from './counter-table.ts';
import type { GuardrailSamplesTable, GuardrailsTable } from './guardrail-tables.ts';
import type { KeyRefusalsTable, KeyStatesTable } from './key-refusal-table.ts';
import type { KeyValuesTable, VirtualKeysTable } from './key-tables.ts';
import type { BookedOrdinalsTable, EpochsTable, LeasesTable, LedgerSessionsTable } from './ledger-tables.ts';
import type {
  KeyMetadataPastTable,
  MetadataSetColumn,
  UsageMetadataSetsTable,
  UsageMetadataTable,
  UsageTagValuesTable,
} from './metadata-tables.ts';
import type { BudgetNoticesTable } from './notice-tables.ts';
import type { OrganizationsTable } from './organization-table.ts';
import type { PeopleTable } from './people-table.ts';
import type { ProviderKeyHoursTable } from './provider-key-hours-table.ts';
import type { ReconciliationTables } from './reconciliation-tables.ts';
import type { RecordKeysTable } from './record-key-table.ts';
import type { RequestsTable } from './request-table.ts';
import type { RoutesTable } from './route-table.ts';
import type { ScimTables } from './scim-tables.ts';
import type { ServiceTrustsTable, SpentTokensTable } from './service-account-tables.ts';
import type { SignInTables } from './sign-in-tables.ts';
import type { StopsTable } from './stop-table.ts';
import type { OperatorTokensTable, ProxyTokensTable } from './token-tables.ts';
import type { UsageHoursTable, UsageSumTables } from './usage-sums-tables.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from './webhook-tables.ts';

export interface Schema extends CaptureTables, ReconciliationTables, SignInTables, ScimTables, UsageSumTables {
  feed: FeedTable;
  changes: ChangesTable;
  audit_events: AuditEventsTable;
  audit_checks: AuditChecksTable;
  organizations: OrganizationsTable;
  record_keys: RecordKeysTable;
  people: PeopleTable;
  ai_systems: AiSystemsTable;
  virtual_keys: VirtualKeysTable;
  key_values: KeyValuesTable;
  provider_keys: ProviderKeysTable;
  provider_key_refusals: KeyRefusalsTable;
  provider_key_states: KeyStatesTable;
  providers: ProvidersTable;
  requests: RequestsTable;
  limits: LimitsTable;
  limit_counters: LimitCountersTable;
  prices: PricesTable;
  budget_windows: BudgetWindowsTable;
  budget_adjustments: BudgetAdjustmentsTable;
  ledger_sessions: LedgerSessionsTable;
  leases: LeasesTable;
  booked_ordinals: BookedOrdinalsTable;
  epochs: EpochsTable;
  usage_events: UsageEventsTable;
  usage_hours: UsageHoursTable;
  usage_provider_key_hours: ProviderKeyHoursTable;
  usage_metadata: UsageMetadataTable;
  usage_metadata_hours: UsageHoursTable & MetadataSetColumn;
  usage_metadata_sets: UsageMetadataSetsTable;
  usage_tag_values: UsageTagValuesTable;
  key_metadata_past: KeyMetadataPastTable;
  budget_notices: BudgetNoticesTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  guardrails: GuardrailsTable;
  guardrail_samples: GuardrailSamplesTable;
  routes: RoutesTable;
  stops: StopsTable;
  operator_tokens: OperatorTokensTable;
  proxy_tokens: ProxyTokensTable;
  console_sessions: ConsoleSessionsTable;
  console_tokens: ConsoleTokensTable;
  console_links: ConsoleLinksTable;
  service_trusts: ServiceTrustsTable;
  spent_tokens: SpentTokensTable;
}

type Flag = 0 | 1;

/** One row. Every change updates it in its own transaction, so changes commit in the order of their revisions. */
interface FeedTable {
  id: 1;
  /** A part of the epoch; it changes when the database is found to have gone back. */
  incarnation: string;
  revision: number;
  /** Hash of the newest audit event: the end of the chain. */
  audit_hash: string;
  /** When the bootstrap token was used up. */
  bootstrapped_at: number | null;
  /** Invalidations up to this revision may have been pruned. */
  pruned_revision: number;
  /** The epoch of the change `epoch_revision`. A version that does not know these columns leaves them unchanged. */
  epoch: string | null;
  epoch_revision: number | null;
}

/** Invalidations. Key: (revision, kind, ref). */
interface ChangesTable {
  revision: number;
  kind: RecordKind;
  /** Hash of a key value, or the id of a scope, an organization or the platform. */
  ref: string;
  organization_id: string | null;
  state: RecordState;
  at: number;
}

interface AiSystemsTable {
  id: string;
  organization_id: string;
  name: string;
  active: Flag;
  allowed_models: string;
  created_at: number;
  revision: number;
}

interface ProviderKeysTable {
  id: string;
  organization_id: string;
  provider: string;
  name: string;
  hint: string;
  /** Base64 of the sealed secret. */
  secret: string;
  /** Counts the secrets written; authenticated by the seal. */
  secret_version: number;
  settings: string;
  priority: number;
  weight: number;
  enabled: Flag;
  created_at: number;
  revision: number;
}

interface ProvidersTable {
  id: string;
  /** Null for the platform's. */
  organization_id: string | null;
  name: string;
  wire_format: WireFormat;
  base_url: string;
  key_form: KeyForm;
  /** Only with key form `header`. */
  key_header: string | null;
  models: string;
  /** JSON: a list of names. */
  passed_fields: string;
  created_at: number;
  revision: number;
}

interface PricesTable {
  id: string;
  organization_id: string;
  /** A name or glob over `<provider>/<model>`; unique in the organization. */
  model: string;
  prices: string;
  created_at: number;
  revision: number;
}

/** One row for each request that was dispatched. Key: (day, id); in PostgreSQL a partition for each day. */
interface UsageEventsTable {
  day: string;
  id: string;
  at: number;
  recorded_at: number;
  session_id: string;
  organization_id: string;
  key_id: string;
  ai_system_id: string | null;
  person_id: string | null;
  project_key_id: string | null;
  project_ai_system_id: string | null;
  project_person_id: string | null;
  request_id: string;
  provider: string;
  model_asked: string;
  model_answered: string;
  prompt_tokens: number;
  completion_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cache_write1h_tokens: number;
  reasoning_tokens: number;
  /** Nano-dollars. */
  cost: number;
  unpriced: Flag;
  status: number;
  error_source: string;
  error_code: string;
  latency_ms: number;
  first_token_ms: number | null;
  streamed: Flag;
  direct_key: Flag;
  attempts: number;
  estimated: Flag;
  /** Why it is estimated; null if it is not, or its proxy did not report the reason. */
  estimate_reason: EstimateReason | null;
  /** Nano-dollars that were reported before the end of an estimated request. */
  reported_cost: number | null;
  /** Null with the caller's own key, and if its proxy did not report it. */
  provider_key_id: string | null;
  /** The guardrail that called a model; null for a request of a caller. */
  guardrail_id: string | null;
  /** A copy of a request, for a model that a route compares. */
  shadow: Flag;
  /** JSON of a SpecialUsage: usage with prices of its own besides plain tokens. Null for none. */
  special: string | null;
  /** A set of usage_metadata; empty for none. */
  metadata_set: string;
}

/** A reported row. The ledger adds the time of recording and the metadata of its key. */
export type UsageEventRow = Omit<UsageEventsTable, 'recorded_at' | 'metadata_set'>;
