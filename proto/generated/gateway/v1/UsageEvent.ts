// Original file: proto/gateway/v1/ledger.proto

import type { UsageCharge as _gateway_v1_UsageCharge, UsageCharge__Output as _gateway_v1_UsageCharge__Output } from '../../gateway/v1/UsageCharge.ts';
import type { EstimateReason as _gateway_v1_EstimateReason, EstimateReason__Output as _gateway_v1_EstimateReason__Output } from '../../gateway/v1/EstimateReason.ts';
import type { UsageSpecial as _gateway_v1_UsageSpecial, UsageSpecial__Output as _gateway_v1_UsageSpecial__Output } from '../../gateway/v1/UsageSpecial.ts';
import type { Long } from '@grpc/proto-loader';

export interface UsageEvent {
  'id'?: (string);
  'at'?: (string);
  'source'?: (number);
  'requestId'?: (string);
  'promptTokens'?: (number);
  'completionTokens'?: (number);
  'cacheReadTokens'?: (number);
  'cacheWriteTokens'?: (number);
  'cacheWrite1hTokens'?: (number);
  'reasoningTokens'?: (number);
  'costNanoUsd'?: (string);
  'unpriced'?: (boolean);
  'status'?: (number);
  'errorSource'?: (string);
  'errorCode'?: (string);
  'latencyMs'?: (number);
  'firstTokenMs'?: (number);
  'streamed'?: (boolean);
  'attempts'?: (number);
  'estimated'?: (boolean);
  'charges'?: (_gateway_v1_UsageCharge)[];
  'estimateReason'?: (_gateway_v1_EstimateReason);
  'reportedCostNanoUsd'?: (string);
  'ordinal'?: (number | string | Long);
  'special'?: (_gateway_v1_UsageSpecial | null);
  '_firstTokenMs'?: "firstTokenMs";
  '_estimateReason'?: "estimateReason";
  '_reportedCostNanoUsd'?: "reportedCostNanoUsd";
  '_ordinal'?: "ordinal";
  '_special'?: "special";
}

export interface UsageEvent__Output {
  'id': (string);
  'at': (string);
  'source': (number);
  'requestId': (string);
  'promptTokens': (number);
  'completionTokens': (number);
  'cacheReadTokens': (number);
  'cacheWriteTokens': (number);
  'cacheWrite1hTokens': (number);
  'reasoningTokens': (number);
  'costNanoUsd': (string);
  'unpriced': (boolean);
  'status': (number);
  'errorSource': (string);
  'errorCode': (string);
  'latencyMs': (number);
  'firstTokenMs'?: (number);
  'streamed': (boolean);
  'attempts': (number);
  'estimated': (boolean);
  'charges': (_gateway_v1_UsageCharge__Output)[];
  'estimateReason'?: (_gateway_v1_EstimateReason__Output);
  'reportedCostNanoUsd'?: (string);
  'ordinal'?: (string);
  'special'?: (_gateway_v1_UsageSpecial__Output | null);
  '_firstTokenMs'?: "firstTokenMs";
  '_estimateReason'?: "estimateReason";
  '_reportedCostNanoUsd'?: "reportedCostNanoUsd";
  '_ordinal'?: "ordinal";
  '_special'?: "special";
}
