// The tables, in the portable types that SQLite and PostgreSQL share: text, integer 0/1 for flags, bigint for milliseconds
// since 1970 and revisions, JSON as text. Both stores have exactly these; migrations.ts creates them.
import type { ProviderName } from '../domain/providers.ts';

export interface Schema {
  feed: FeedTable;
  changes: ChangesTable;
  audit_events: AuditEventsTable;
  organizations: OrganizationsTable;
  people: PeopleTable;
  ai_systems: AiSystemsTable;
  virtual_keys: VirtualKeysTable;
  key_values: KeyValuesTable;
  provider_keys: ProviderKeysTable;
  providers: ProvidersTable;
  limits: LimitsTable;
  operator_tokens: OperatorTokensTable;
  proxy_tokens: ProxyTokensTable;
}

type Flag = 0 | 1;
export type RecordKind = 'key' | 'ai_system' | 'person' | 'organization';
export type RecordState = 'changed' | 'gone';
export type ActorKind = 'person' | 'bootstrap' | 'system';
export type Role = 'owner' | 'admin' | 'member' | 'platform_operator';
export type ScopeKind = 'organization' | 'ai_system' | 'person';
export type LimitKind = 'requests_per_minute' | 'tokens_per_minute' | 'concurrent_requests';
export type LimitSubjectKind = ScopeKind | 'virtual_key';
export type KeyForm = 'wire_format' | 'bearer' | 'api_key_header' | 'header' | 'none';

/** One row. Every change updates it in its own transaction, so changes commit in the order of their revisions. */
interface FeedTable {
  id: 1;
  /** Changes when the database is known to have gone back: a part of the epoch. */
  incarnation: string;
  revision: number;
  /** Hash of the newest audit event: the end of the chain. */
  audit_hash: string;
  /** When the bootstrap token was used up. */
  bootstrapped_at: number | null;
  /** Invalidations up to this revision may be gone. */
  pruned_revision: number;
}

/** Invalidations. Key: (revision, kind, ref). */
interface ChangesTable {
  revision: number;
  kind: RecordKind;
  /** Hash of a key value, or the id of a scope or organization. */
  ref: string;
  organization_id: string | null;
  state: RecordState;
  at: number;
}

interface AuditEventsTable {
  revision: number;
  at: number;
  organization_id: string | null;
  actor_kind: ActorKind;
  actor_id: string;
  from_address: string;
  action: string;
  target_kind: string;
  target_id: string;
  before: string | null;
  after: string | null;
  previous_hash: string;
  hash: string;
}

interface OrganizationsTable {
  id: string;
  name: string;
  suspended: Flag;
  caller_provider_keys: Flag;
  allowed_models: string;
  created_at: number;
  revision: number;
}

interface PeopleTable {
  id: string;
  /** Null for platform operators. */
  organization_id: string | null;
  name: string;
  email: string | null;
  role: Role;
  active: Flag;
  allowed_models: string;
  created_at: number;
  revision: number;
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

/** Names are unique among an organization's keys that are not revoked. */
interface VirtualKeysTable {
  id: string;
  organization_id: string;
  scope_kind: ScopeKind;
  scope_id: string;
  name: string;
  active: Flag;
  ends_at: number | null;
  revoked_at: number | null;
  allowed_models: string;
  metadata: string;
  /** Unique within the organization where it is not null. */
  client_request_id: string | null;
  /** SHA-256 of the creating request, to tell a repetition from a clash. */
  request_hash: string | null;
  created_at: number;
  created_by: string;
  last_used_at: number | null;
  revision: number;
}

/** Values of virtual keys by SHA-256 of the value in hexadecimal. A revoked key has none. */
interface KeyValuesTable {
  hash: string;
  key_id: string;
  hint: string;
  /** Null = the newest value; else a rotated one, not found from then on. */
  ends_at: number | null;
  created_at: number;
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
  /** Null: the platform's. */
  organization_id: string | null;
  name: string;
  wire_format: ProviderName;
  base_url: string;
  key_form: KeyForm;
  /** With key form `header` only. */
  key_header: string | null;
  models: string;
  created_at: number;
  revision: number;
}

/** A limit is there as long as its subject: it goes when that is deleted or revoked. */
interface LimitsTable {
  id: string;
  organization_id: string;
  subject_kind: LimitSubjectKind;
  subject_id: string;
  kind: LimitKind;
  /** Requests or tokens. */
  amount: number;
  /** Null: all models. */
  model: string | null;
  created_at: number;
  revision: number;
}

interface OperatorTokensTable {
  id: string;
  person_id: string;
  hash: string;
  name: string;
  hint: string;
  created_at: number;
  ends_at: number;
  revoked_at: number | null;
}

interface ProxyTokensTable {
  id: string;
  hash: string;
  name: string;
  hint: string;
  organization_id: string | null;
  created_at: number;
  revoked_at: number | null;
}
