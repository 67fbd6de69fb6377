// Original file: proto/gateway/v1/ledger.proto

import type { UsageCharge as _gateway_v1_UsageCharge, UsageCharge__Output as _gateway_v1_UsageCharge__Output } from '../../gateway/v1/UsageCharge.ts';

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
  '_firstTokenMs'?: "firstTokenMs";
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
  '_firstTokenMs'?: "firstTokenMs";
}
