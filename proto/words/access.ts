// Enum words for access: records and their feed, keys and their scopes, limits, people, organizations, providers.
import type { BudgetPeriod } from '../../common/budget-window.ts';
import type { SignedKind } from '../../common/record-signature.ts';
import { type VendorName, vendorNames, vendors } from '../../common/vendors.ts';
import type { BudgetForecastBasis__Output } from '../generated/gateway/v1/BudgetForecastBasis.ts';
import type { BudgetPeriod__Output } from '../generated/gateway/v1/BudgetPeriod.ts';
import type { DatabaseKind__Output } from '../generated/gateway/v1/DatabaseKind.ts';
import type { EpochChange__Output } from '../generated/gateway/v1/EpochChange.ts';
import type { GroupChoice__Output } from '../generated/gateway/v1/GroupChoice.ts';
import type { HangUp__Output } from '../generated/gateway/v1/HangUp.ts';
import type { KeyBlock__Output } from '../generated/gateway/v1/KeyBlock.ts';
import type { KeyForm__Output } from '../generated/gateway/v1/KeyForm.ts';
import type { KeyPriorityClass__Output } from '../generated/gateway/v1/KeyPriorityClass.ts';
import type { KeyScopeKind__Output } from '../generated/gateway/v1/KeyScopeKind.ts';
import type { KeyStatus__Output } from '../generated/gateway/v1/KeyStatus.ts';
import type { LimitKind__Output } from '../generated/gateway/v1/LimitKind.ts';
import type { LimitSubjectKind__Output } from '../generated/gateway/v1/LimitSubjectKind.ts';
import type { LimitTraffic__Output } from '../generated/gateway/v1/LimitTraffic.ts';
import type { ProviderKeyRefusal__Output } from '../generated/gateway/v1/ProviderKeyRefusal.ts';
import type { ProviderKeyState__Output } from '../generated/gateway/v1/ProviderKeyState.ts';
import type { ReasoningEffort__Output } from '../generated/gateway/v1/ReasoningEffort.ts';
import type { RecordKind__Output } from '../generated/gateway/v1/RecordKind.ts';
import type { RecordState__Output } from '../generated/gateway/v1/RecordState.ts';
import type { RedisState__Output } from '../generated/gateway/v1/RedisState.ts';
import type { Role__Output } from '../generated/gateway/v1/Role.ts';
import type { RouteRecovery__Output } from '../generated/gateway/v1/RouteRecovery.ts';
import type { SelectorHolder__Output } from '../generated/gateway/v1/SelectorHolder.ts';
import type { SelectorProblem__Output } from '../generated/gateway/v1/SelectorProblem.ts';
import type { UnknownCost__Output } from '../generated/gateway/v1/UnknownCost.ts';
import type { WebhookDeliveryState__Output } from '../generated/gateway/v1/WebhookDeliveryState.ts';
import type { WireFormat__Output } from '../generated/gateway/v1/WireFormat.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

export const recordKinds = enumWords({
  RECORD_KIND_KEY: 'key',
  RECORD_KIND_AI_SYSTEM: 'ai_system',
  RECORD_KIND_PERSON: 'person',
  RECORD_KIND_ORGANIZATION: 'organization',
  RECORD_KIND_PLATFORM: 'platform',
} as const satisfies WordsFor<RecordKind__Output> & Readonly<Record<string, SignedKind>>);
export type RecordKind = WordOf<typeof recordKinds>;

export const recordStates = enumWords({
  RECORD_STATE_CHANGED: 'changed',
  RECORD_STATE_GONE: 'gone',
} as const satisfies WordsFor<RecordState__Output>);
export type RecordState = WordOf<typeof recordStates>;

export const epochChanges = enumWords({
  EPOCH_CHANGE_RESTARTED: 'restarted',
  EPOCH_CHANGE_RESTORED: 'restored',
} as const satisfies WordsFor<EpochChange__Output>);
export type EpochChange = WordOf<typeof epochChanges>;

export const scopeKinds = enumWords({
  KEY_SCOPE_KIND_ORGANIZATION: 'organization',
  KEY_SCOPE_KIND_AI_SYSTEM: 'ai_system',
  KEY_SCOPE_KIND_PERSON: 'person',
} as const satisfies WordsFor<KeyScopeKind__Output>);
export type ScopeKind = WordOf<typeof scopeKinds>;

export const keyStatuses = enumWords({
  KEY_STATUS_ACTIVE: 'active',
  KEY_STATUS_INACTIVE: 'inactive',
  KEY_STATUS_EXPIRED: 'expired',
  KEY_STATUS_REVOKED: 'revoked',
} as const satisfies WordsFor<KeyStatus__Output>);
export type KeyStatus = WordOf<typeof keyStatuses>;

export const keyBlocks = enumWords({
  KEY_BLOCK_REVOKED: 'revoked',
  KEY_BLOCK_INACTIVE: 'inactive',
  KEY_BLOCK_EXPIRED: 'expired',
  KEY_BLOCK_ORGANIZATION_SUSPENDED: 'organization_suspended',
  KEY_BLOCK_SCOPE_SUSPENDED: 'scope_suspended',
} as const satisfies WordsFor<KeyBlock__Output>);

export const limitKinds = enumWords({
  LIMIT_KIND_BUDGET: 'budget',
  LIMIT_KIND_REQUESTS_PER_MINUTE: 'requests_per_minute',
  LIMIT_KIND_TOKENS_PER_MINUTE: 'tokens_per_minute',
  LIMIT_KIND_CONCURRENT_REQUESTS: 'concurrent_requests',
} as const satisfies WordsFor<LimitKind__Output>);
export type LimitKind = WordOf<typeof limitKinds>;

export const limitSubjects = enumWords({
  LIMIT_SUBJECT_KIND_ORGANIZATION: 'organization',
  LIMIT_SUBJECT_KIND_AI_SYSTEM: 'ai_system',
  LIMIT_SUBJECT_KIND_PERSON: 'person',
  LIMIT_SUBJECT_KIND_VIRTUAL_KEY: 'virtual_key',
  LIMIT_SUBJECT_KIND_PROVIDER_KEY: 'provider_key',
  LIMIT_SUBJECT_KIND_PLATFORM: 'platform',
} as const satisfies WordsFor<LimitSubjectKind__Output>);
export type LimitSubjectKind = WordOf<typeof limitSubjects>;

export const limitTraffics = enumWords({
  LIMIT_TRAFFIC_ALL: 'all',
  LIMIT_TRAFFIC_STORED: 'stored',
  LIMIT_TRAFFIC_DIRECT: 'direct',
} as const satisfies WordsFor<LimitTraffic__Output>);

/** A part of the traffic: requests with stored provider keys, or with the callers' own. */
export type TrafficPart = Exclude<WordOf<typeof limitTraffics>, 'all'>;

export const forecastBases = enumWords({
  BUDGET_FORECAST_BASIS_LAST_DAY: 'last_day',
  BUDGET_FORECAST_BASIS_LAST_WEEK: 'last_week',
  BUDGET_FORECAST_BASIS_MEAN: 'mean',
  BUDGET_FORECAST_BASIS_WINDOWS: 'windows',
} as const satisfies WordsFor<BudgetForecastBasis__Output>);
export type ForecastBasis = WordOf<typeof forecastBases>;

export const budgetPeriods = enumWords({
  BUDGET_PERIOD_DAY: 'day',
  BUDGET_PERIOD_WEEK: 'week',
  BUDGET_PERIOD_MONTH: 'month',
  BUDGET_PERIOD_TOTAL: 'total',
  BUDGET_PERIOD_HOUR: 'hour',
  BUDGET_PERIOD_QUARTER: 'quarter',
} as const satisfies WordsFor<BudgetPeriod__Output> & Readonly<Record<string, BudgetPeriod>>);

export const roles = enumWords({
  ROLE_OWNER: 'owner',
  ROLE_ADMIN: 'admin',
  ROLE_MEMBER: 'member',
  ROLE_PLATFORM_OPERATOR: 'platform_operator',
} as const satisfies WordsFor<Role__Output>);
export type Role = WordOf<typeof roles>;

export const hangUps = enumWords({
  HANG_UP_CANCEL: 'cancel',
  HANG_UP_READ: 'read',
} as const satisfies WordsFor<HangUp__Output>);
export type HangUp = WordOf<typeof hangUps>;

export const unknownCosts = enumWords({
  UNKNOWN_COST_HOLD: 'hold',
  UNKNOWN_COST_TEXT: 'text',
} as const satisfies WordsFor<UnknownCost__Output>);
export type UnknownCost = WordOf<typeof unknownCosts>;

export const keyForms = enumWords({
  KEY_FORM_WIRE_FORMAT: 'wire_format',
  KEY_FORM_BEARER: 'bearer',
  KEY_FORM_API_KEY_HEADER: 'api_key_header',
  KEY_FORM_HEADER: 'header',
  KEY_FORM_NONE: 'none',
} as const satisfies WordsFor<KeyForm__Output>);
export type KeyForm = WordOf<typeof keyForms>;

type WireFormats = {
  readonly [Name in VendorName as (typeof vendors)[Name]['wireFormat']]: Name;
};
const ofVendors = Object.fromEntries(vendorNames.map((name) => [vendors[name].wireFormat, name])) as WireFormats;
/** Further formats, which the models of a vendor have too. */
const ofApis = { WIRE_FORMAT_RESPONSES: 'responses' } as const;

/** Each vendor has its own wire format, named like the vendor: common/vendors.ts. */
export const wireFormats = enumWords({ ...ofVendors, ...ofApis } satisfies WordsFor<WireFormat__Output>);
export type WireFormat = WordOf<typeof wireFormats>;

export const groupChoices = enumWords({
  GROUP_CHOICE_WEIGHTED: 'weighted',
  GROUP_CHOICE_LEAST_BUSY: 'least_busy',
  GROUP_CHOICE_FASTEST: 'fastest',
  GROUP_CHOICE_CHEAPEST: 'cheapest',
  GROUP_CHOICE_STICKY: 'sticky',
} as const satisfies WordsFor<GroupChoice__Output>);
export type GroupChoice = WordOf<typeof groupChoices>;

export const reasoningEfforts = enumWords({
  REASONING_EFFORT_NONE: 'none',
  REASONING_EFFORT_MINIMAL: 'minimal',
  REASONING_EFFORT_LOW: 'low',
  REASONING_EFFORT_MEDIUM: 'medium',
  REASONING_EFFORT_HIGH: 'high',
  REASONING_EFFORT_XHIGH: 'xhigh',
  REASONING_EFFORT_MAX: 'max',
} as const satisfies WordsFor<ReasoningEffort__Output>);

export const routeRecoveries = enumWords({
  ROUTE_RECOVERY_OFF: 'off',
  ROUTE_RECOVERY_RESTART: 'restart',
  ROUTE_RECOVERY_CONTINUE: 'continue',
} as const satisfies WordsFor<RouteRecovery__Output>);
export type RouteRecovery = WordOf<typeof routeRecoveries>;

export const databaseKinds = enumWords({
  DATABASE_KIND_SQLITE: 'sqlite',
  DATABASE_KIND_POSTGRES: 'postgres',
} as const satisfies WordsFor<DatabaseKind__Output>);
export type DatabaseKind = WordOf<typeof databaseKinds>;

export const redisStates = enumWords({
  REDIS_STATE_NONE: 'none',
  REDIS_STATE_OK: 'ok',
  REDIS_STATE_FAILING: 'failing',
} as const satisfies WordsFor<RedisState__Output>);
export type RedisState = WordOf<typeof redisStates>;

export const selectorHolders = enumWords({
  SELECTOR_HOLDER_LIMIT: 'limit',
  SELECTOR_HOLDER_PRICE: 'price',
  SELECTOR_HOLDER_ORGANIZATION: 'organization',
  SELECTOR_HOLDER_AI_SYSTEM: 'ai_system',
  SELECTOR_HOLDER_PERSON: 'person',
  SELECTOR_HOLDER_VIRTUAL_KEY: 'virtual_key',
} as const satisfies WordsFor<SelectorHolder__Output>);
export type SelectorHolder = WordOf<typeof selectorHolders>;

export const storedProblems = enumWords({
  SELECTOR_PROBLEM_ALIAS: 'alias',
  SELECTOR_PROBLEM_UNMATCHED: 'unmatched',
  SELECTOR_PROBLEM_NO_PROVIDER: 'no_provider',
  SELECTOR_PROBLEM_SHADOWED: 'shadowed',
} as const satisfies WordsFor<SelectorProblem__Output>);
export type StoredProblem = WordOf<typeof storedProblems>;

export const deliveryStates = enumWords({
  WEBHOOK_DELIVERY_STATE_PENDING: 'pending',
  WEBHOOK_DELIVERY_STATE_DELIVERED: 'delivered',
  WEBHOOK_DELIVERY_STATE_FAILED: 'failed',
} as const satisfies WordsFor<WebhookDeliveryState__Output>);
export type DeliveryState = WordOf<typeof deliveryStates>;

export const keyRefusals = enumWords({
  PROVIDER_KEY_REFUSAL_KEY: 'key',
  PROVIDER_KEY_REFUSAL_QUOTA: 'quota',
  PROVIDER_KEY_REFUSAL_ACCESS: 'access',
} as const satisfies WordsFor<ProviderKeyRefusal__Output>);
export type KeyRefusal = WordOf<typeof keyRefusals>;

export const providerKeyStates = enumWords({
  PROVIDER_KEY_STATE_UNTESTED: 'untested',
  PROVIDER_KEY_STATE_WORKING: 'working',
  PROVIDER_KEY_STATE_REFUSED: 'refused',
  PROVIDER_KEY_STATE_LIMITED: 'limited',
} as const satisfies WordsFor<ProviderKeyState__Output>);
export type ProviderKeyState = WordOf<typeof providerKeyStates>;

export const priorityClasses = enumWords({
  KEY_PRIORITY_CLASS_INTERACTIVE: 'interactive',
  KEY_PRIORITY_CLASS_BATCH: 'batch',
} as const satisfies WordsFor<KeyPriorityClass__Output>);
export type PriorityClass = WordOf<typeof priorityClasses>;
