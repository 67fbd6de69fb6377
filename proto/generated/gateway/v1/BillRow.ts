// Original file: proto/gateway/v1/reconciliation.proto

import type { BillReference as _gateway_v1_BillReference, BillReference__Output as _gateway_v1_BillReference__Output } from '../../gateway/v1/BillReference.ts';
import type { BillRowKind as _gateway_v1_BillRowKind, BillRowKind__Output as _gateway_v1_BillRowKind__Output } from '../../gateway/v1/BillRowKind.ts';
import type { UsageTokens as _gateway_v1_UsageTokens, UsageTokens__Output as _gateway_v1_UsageTokens__Output } from '../../gateway/v1/UsageTokens.ts';
import type { Long } from '@grpc/proto-loader';

export interface BillRow {
  'references'?: (_gateway_v1_BillReference)[];
  'model'?: (string);
  'kind'?: (_gateway_v1_BillRowKind);
  'serviceTier'?: (string);
  'tokens'?: (_gateway_v1_UsageTokens | null);
  'costUsd'?: (string);
  'requests'?: (number | string | Long);
  '_costUsd'?: "costUsd";
  '_requests'?: "requests";
}

export interface BillRow__Output {
  'references': (_gateway_v1_BillReference__Output)[];
  'model': (string);
  'kind': (_gateway_v1_BillRowKind__Output);
  'serviceTier': (string);
  'tokens': (_gateway_v1_UsageTokens__Output | null);
  'costUsd'?: (string);
  'requests'?: (string);
  '_costUsd'?: "costUsd";
  '_requests'?: "requests";
}
