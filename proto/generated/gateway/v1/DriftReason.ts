// Original file: proto/gateway/v1/reconciliation.proto

import type { DriftReasonCode as _gateway_v1_DriftReasonCode, DriftReasonCode__Output as _gateway_v1_DriftReasonCode__Output } from '../../gateway/v1/DriftReasonCode.ts';

export interface DriftReason {
  'code'?: (_gateway_v1_DriftReasonCode);
  'amountUsd'?: (string);
  'detail'?: (string);
}

export interface DriftReason__Output {
  'code': (_gateway_v1_DriftReasonCode__Output);
  'amountUsd': (string);
  'detail': (string);
}
