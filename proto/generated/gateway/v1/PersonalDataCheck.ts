// Original file: proto/gateway/v1/guardrails.proto

import type { PersonalDataType as _gateway_v1_PersonalDataType, PersonalDataType__Output as _gateway_v1_PersonalDataType__Output } from '../../gateway/v1/PersonalDataType.ts';

export interface PersonalDataCheck {
  'types'?: (_gateway_v1_PersonalDataType)[];
  'countries'?: (string)[];
  'restore'?: (boolean);
}

export interface PersonalDataCheck__Output {
  'types': (_gateway_v1_PersonalDataType__Output)[];
  'countries': (string)[];
  'restore': (boolean);
}
