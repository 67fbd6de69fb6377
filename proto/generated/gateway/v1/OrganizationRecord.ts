// Original file: proto/gateway/v1/access.proto

import type { LimitRecord as _gateway_v1_LimitRecord, LimitRecord__Output as _gateway_v1_LimitRecord__Output } from '../../gateway/v1/LimitRecord.ts';
import type { ProviderKeyRecord as _gateway_v1_ProviderKeyRecord, ProviderKeyRecord__Output as _gateway_v1_ProviderKeyRecord__Output } from '../../gateway/v1/ProviderKeyRecord.ts';
import type { ProviderRecord as _gateway_v1_ProviderRecord, ProviderRecord__Output as _gateway_v1_ProviderRecord__Output } from '../../gateway/v1/ProviderRecord.ts';
import type { PriceRecord as _gateway_v1_PriceRecord, PriceRecord__Output as _gateway_v1_PriceRecord__Output } from '../../gateway/v1/PriceRecord.ts';
import type { GuardrailRecord as _gateway_v1_GuardrailRecord, GuardrailRecord__Output as _gateway_v1_GuardrailRecord__Output } from '../../gateway/v1/GuardrailRecord.ts';
import type { HangUp as _gateway_v1_HangUp, HangUp__Output as _gateway_v1_HangUp__Output } from '../../gateway/v1/HangUp.ts';
import type { UnknownCost as _gateway_v1_UnknownCost, UnknownCost__Output as _gateway_v1_UnknownCost__Output } from '../../gateway/v1/UnknownCost.ts';
import type { Long } from '@grpc/proto-loader';

export interface OrganizationRecord {
  'id'?: (string);
  'active'?: (boolean);
  'callerProviderKeys'?: (boolean);
  'allowedModels'?: (string)[];
  'limits'?: (_gateway_v1_LimitRecord)[];
  'providerKeys'?: (_gateway_v1_ProviderKeyRecord)[];
  'revision'?: (number | string | Long);
  'providers'?: (_gateway_v1_ProviderRecord)[];
  'prices'?: (_gateway_v1_PriceRecord)[];
  'guardrails'?: (_gateway_v1_GuardrailRecord)[];
  'hangUp'?: (_gateway_v1_HangUp);
  'unknownCost'?: (_gateway_v1_UnknownCost);
}

export interface OrganizationRecord__Output {
  'id': (string);
  'active': (boolean);
  'callerProviderKeys': (boolean);
  'allowedModels': (string)[];
  'limits': (_gateway_v1_LimitRecord__Output)[];
  'providerKeys': (_gateway_v1_ProviderKeyRecord__Output)[];
  'revision': (string);
  'providers': (_gateway_v1_ProviderRecord__Output)[];
  'prices': (_gateway_v1_PriceRecord__Output)[];
  'guardrails': (_gateway_v1_GuardrailRecord__Output)[];
  'hangUp': (_gateway_v1_HangUp__Output);
  'unknownCost': (_gateway_v1_UnknownCost__Output);
}
