// Original file: proto/gateway/v1/organizations.proto

import type { HangUp as _gateway_v1_HangUp, HangUp__Output as _gateway_v1_HangUp__Output } from '../../gateway/v1/HangUp.ts';
import type { UnknownCost as _gateway_v1_UnknownCost, UnknownCost__Output as _gateway_v1_UnknownCost__Output } from '../../gateway/v1/UnknownCost.ts';

export interface CostSettings {
  'hangUp'?: (_gateway_v1_HangUp);
  'unknownCost'?: (_gateway_v1_UnknownCost);
}

export interface CostSettings__Output {
  'hangUp': (_gateway_v1_HangUp__Output);
  'unknownCost': (_gateway_v1_UnknownCost__Output);
}
