// Enum words for the ledger, usage, and vendors' bills.
import type { BillDocument__Output } from '../generated/gateway/v1/BillDocument.ts';
import type { BillReferenceKind__Output } from '../generated/gateway/v1/BillReferenceKind.ts';
import type { BillRowKind__Output } from '../generated/gateway/v1/BillRowKind.ts';
import type { BillVendor__Output } from '../generated/gateway/v1/BillVendor.ts';
import type { DrawOutcome__Output } from '../generated/gateway/v1/DrawOutcome.ts';
import type { DriftReasonCode__Output } from '../generated/gateway/v1/DriftReasonCode.ts';
import type { DriftState__Output } from '../generated/gateway/v1/DriftState.ts';
import type { EstimateReason__Output } from '../generated/gateway/v1/EstimateReason.ts';
import type { UsageBucket__Output } from '../generated/gateway/v1/UsageBucket.ts';
import type { UsageDimension__Output } from '../generated/gateway/v1/UsageDimension.ts';
import type { UsageFormat__Output } from '../generated/gateway/v1/UsageFormat.ts';
import type { UsageOrder__Output } from '../generated/gateway/v1/UsageOrder.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

export const acquireOutcomes = enumWords({
  DRAW_OUTCOME_GRANTED: 'granted',
  DRAW_OUTCOME_EXCEEDED: 'exceeded',
  DRAW_OUTCOME_BUSY: 'busy',
  DRAW_OUTCOME_GONE: 'gone',
  DRAW_OUTCOME_WINDOW: 'window',
  DRAW_OUTCOME_DELETED: 'deleted',
  DRAW_OUTCOME_LOST: 'lost',
  DRAW_OUTCOME_IGNORED: 'ignored',
  DRAW_OUTCOME_COUNTERS_FULL: 'full',
} as const satisfies WordsFor<DrawOutcome__Output>);
export type AcquireOutcome = WordOf<typeof acquireOutcomes>;

/** The contract describes their meaning. */
export const estimateReasons = enumWords({
  ESTIMATE_REASON_LEFT: 'left',
  ESTIMATE_REASON_CUT: 'cut',
  ESTIMATE_REASON_RESET: 'reset',
  ESTIMATE_REASON_TIMED_OUT: 'timed_out',
  ESTIMATE_REASON_NOT_READ: 'not_read',
  ESTIMATE_REASON_SHUTDOWN: 'shutdown',
  ESTIMATE_REASON_KILLED: 'killed',
  ESTIMATE_REASON_NO_USAGE: 'no_usage',
} as const satisfies WordsFor<EstimateReason__Output>);
export type EstimateReason = WordOf<typeof estimateReasons>;

export const usageDimensions = enumWords({
  USAGE_DIMENSION_AI_SYSTEM: 'ai_system',
  USAGE_DIMENSION_PERSON: 'person',
  USAGE_DIMENSION_KEY: 'key',
  USAGE_DIMENSION_MODEL: 'model',
  USAGE_DIMENSION_PROVIDER: 'provider',
  USAGE_DIMENSION_DAY: 'day',
  USAGE_DIMENSION_HOUR: 'hour',
} as const satisfies WordsFor<UsageDimension__Output>);
export type UsageDimension = WordOf<typeof usageDimensions>;

export const usageBuckets = enumWords({
  USAGE_BUCKET_HOUR: 'hour',
  USAGE_BUCKET_DAY: 'day',
  USAGE_BUCKET_MONTH: 'month',
} as const satisfies WordsFor<UsageBucket__Output>);
export type UsageBucket = WordOf<typeof usageBuckets>;

export const usageOrders = enumWords({
  USAGE_ORDER_COST: 'cost',
  USAGE_ORDER_REQUESTS: 'requests',
  USAGE_ORDER_TOKENS: 'tokens',
  USAGE_ORDER_FAILED_REQUESTS: 'failed_requests',
} as const satisfies WordsFor<UsageOrder__Output>);
export type UsageOrder = WordOf<typeof usageOrders>;

export const usageFormats = enumWords({
  USAGE_FORMAT_CSV: 'csv',
  USAGE_FORMAT_JSON_LINES: 'json_lines',
} as const satisfies WordsFor<UsageFormat__Output>);
export type UsageFormat = WordOf<typeof usageFormats>;

export const billVendors = enumWords({
  BILL_VENDOR_OPENAI: 'openai',
  BILL_VENDOR_ANTHROPIC: 'anthropic',
  BILL_VENDOR_AWS: 'aws',
  BILL_VENDOR_AZURE: 'azure',
  BILL_VENDOR_GOOGLE: 'google',
  BILL_VENDOR_OTHER: 'other',
} as const satisfies WordsFor<BillVendor__Output>);
export type BillVendor = WordOf<typeof billVendors>;

export const billDocuments = enumWords({
  BILL_DOCUMENT_OPENAI_USAGE: 'openai_usage',
  BILL_DOCUMENT_OPENAI_COSTS: 'openai_costs',
  BILL_DOCUMENT_ANTHROPIC_USAGE: 'anthropic_usage',
  BILL_DOCUMENT_ANTHROPIC_COSTS: 'anthropic_costs',
  BILL_DOCUMENT_AWS_COST_AND_USAGE: 'aws_cost_and_usage',
  BILL_DOCUMENT_AZURE_COSTS: 'azure_costs',
  BILL_DOCUMENT_GOOGLE_BILLING: 'google_billing',
  BILL_DOCUMENT_OTHER: 'other',
} as const satisfies WordsFor<BillDocument__Output>);
export type BillDocument = WordOf<typeof billDocuments>;

export const billReferenceKinds = enumWords({
  BILL_REFERENCE_KIND_API_KEY: 'api_key',
  BILL_REFERENCE_KIND_PROJECT: 'project',
  BILL_REFERENCE_KIND_WORKSPACE: 'workspace',
  BILL_REFERENCE_KIND_ACCOUNT: 'account',
  BILL_REFERENCE_KIND_RESOURCE: 'resource',
  BILL_REFERENCE_KIND_PRINCIPAL: 'principal',
  BILL_REFERENCE_KIND_SUBSCRIPTION: 'subscription',
  BILL_REFERENCE_KIND_MODEL: 'model',
} as const satisfies WordsFor<BillReferenceKind__Output>);
export type BillReferenceKind = WordOf<typeof billReferenceKinds>;

export const billRowKinds = enumWords({
  BILL_ROW_KIND_USAGE: 'usage',
  BILL_ROW_KIND_TOOL: 'tool',
  BILL_ROW_KIND_CREDIT: 'credit',
  BILL_ROW_KIND_FEE: 'fee',
} as const satisfies WordsFor<BillRowKind__Output>);
export type BillRowKind = WordOf<typeof billRowKinds>;

export const driftStates = enumWords({
  DRIFT_STATE_PRELIMINARY: 'preliminary',
  DRIFT_STATE_UNEXPLAINED: 'unexplained',
  DRIFT_STATE_EXPLAINED: 'explained',
  DRIFT_STATE_SETTLED: 'settled',
} as const satisfies WordsFor<DriftState__Output>);
export type DriftState = WordOf<typeof driftStates>;

export const driftReasonCodes = enumWords({
  DRIFT_REASON_CODE_NOT_FINAL: 'not_final',
  DRIFT_REASON_CODE_UNMAPPED: 'unmapped',
  DRIFT_REASON_CODE_UNKNOWN_MODEL: 'unknown_model',
  DRIFT_REASON_CODE_DUPLICATED: 'duplicated',
  DRIFT_REASON_CODE_WRONG_MAPPING: 'wrong_mapping',
  DRIFT_REASON_CODE_UNPRICED: 'unpriced',
  DRIFT_REASON_CODE_ESTIMATED: 'estimated',
  DRIFT_REASON_CODE_PAST_GATEWAY: 'past_gateway',
  DRIFT_REASON_CODE_SERVICE_TIER: 'service_tier',
  DRIFT_REASON_CODE_PRICE: 'price',
  DRIFT_REASON_CODE_DAY_BOUNDARY: 'day_boundary',
  DRIFT_REASON_CODE_TOOLS: 'tools',
  DRIFT_REASON_CODE_CREDIT: 'credit',
  DRIFT_REASON_CODE_FEE: 'fee',
  DRIFT_REASON_CODE_NOT_BILLED: 'not_billed',
} as const satisfies WordsFor<DriftReasonCode__Output>);
export type DriftReasonCode = WordOf<typeof driftReasonCodes>;
