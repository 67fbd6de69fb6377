// Original file: proto/gateway/v1/reconciliation.proto

import type { BillVendor as _gateway_v1_BillVendor, BillVendor__Output as _gateway_v1_BillVendor__Output } from '../../gateway/v1/BillVendor.ts';
import type { BillReference as _gateway_v1_BillReference, BillReference__Output as _gateway_v1_BillReference__Output } from '../../gateway/v1/BillReference.ts';
import type { BillRowKind as _gateway_v1_BillRowKind, BillRowKind__Output as _gateway_v1_BillRowKind__Output } from '../../gateway/v1/BillRowKind.ts';
import type { UsageTokens as _gateway_v1_UsageTokens, UsageTokens__Output as _gateway_v1_UsageTokens__Output } from '../../gateway/v1/UsageTokens.ts';
import type { DriftReason as _gateway_v1_DriftReason, DriftReason__Output as _gateway_v1_DriftReason__Output } from '../../gateway/v1/DriftReason.ts';
import type { DriftState as _gateway_v1_DriftState, DriftState__Output as _gateway_v1_DriftState__Output } from '../../gateway/v1/DriftState.ts';
import type { DriftReasonCode as _gateway_v1_DriftReasonCode, DriftReasonCode__Output as _gateway_v1_DriftReasonCode__Output } from '../../gateway/v1/DriftReasonCode.ts';
import type { Long } from '@grpc/proto-loader';

export interface Drift {
  'id'?: (string);
  'vendor'?: (_gateway_v1_BillVendor);
  'day'?: (string);
  'providerKeyIds'?: (string)[];
  'references'?: (_gateway_v1_BillReference)[];
  'model'?: (string);
  'kind'?: (_gateway_v1_BillRowKind);
  'billedUsd'?: (string);
  'ledgerUsd'?: (string);
  'adjustedUsd'?: (string);
  'driftUsd'?: (string);
  'billedTokens'?: (_gateway_v1_UsageTokens | null);
  'ledgerTokens'?: (_gateway_v1_UsageTokens | null);
  'billedRequests'?: (number | string | Long);
  'ledgerRequests'?: (number | string | Long);
  'reasons'?: (_gateway_v1_DriftReason)[];
  'unexplainedUsd'?: (string);
  'state'?: (_gateway_v1_DriftState);
  'firstSeenAt'?: (string);
  'comparedAt'?: (string);
  'codes'?: (_gateway_v1_DriftReasonCode)[];
  '_billedUsd'?: "billedUsd";
  '_billedRequests'?: "billedRequests";
}

export interface Drift__Output {
  'id': (string);
  'vendor': (_gateway_v1_BillVendor__Output);
  'day': (string);
  'providerKeyIds': (string)[];
  'references': (_gateway_v1_BillReference__Output)[];
  'model': (string);
  'kind': (_gateway_v1_BillRowKind__Output);
  'billedUsd'?: (string);
  'ledgerUsd': (string);
  'adjustedUsd': (string);
  'driftUsd': (string);
  'billedTokens': (_gateway_v1_UsageTokens__Output | null);
  'ledgerTokens': (_gateway_v1_UsageTokens__Output | null);
  'billedRequests'?: (string);
  'ledgerRequests': (string);
  'reasons': (_gateway_v1_DriftReason__Output)[];
  'unexplainedUsd': (string);
  'state': (_gateway_v1_DriftState__Output);
  'firstSeenAt': (string);
  'comparedAt': (string);
  'codes': (_gateway_v1_DriftReasonCode__Output)[];
  '_billedUsd'?: "billedUsd";
  '_billedRequests'?: "billedRequests";
}
