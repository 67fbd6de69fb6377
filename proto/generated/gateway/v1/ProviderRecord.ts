// Original file: proto/gateway/v1/access.proto

import type { WireFormat as _gateway_v1_WireFormat, WireFormat__Output as _gateway_v1_WireFormat__Output } from '../../gateway/v1/WireFormat.ts';
import type { KeyForm as _gateway_v1_KeyForm, KeyForm__Output as _gateway_v1_KeyForm__Output } from '../../gateway/v1/KeyForm.ts';
import type { ProviderModel as _gateway_v1_ProviderModel, ProviderModel__Output as _gateway_v1_ProviderModel__Output } from '../../gateway/v1/ProviderModel.ts';

export interface ProviderRecord {
  'id'?: (string);
  'name'?: (string);
  'wireFormat'?: (_gateway_v1_WireFormat);
  'baseUrl'?: (string);
  'keyForm'?: (_gateway_v1_KeyForm);
  'keyHeader'?: (string);
  'models'?: (_gateway_v1_ProviderModel)[];
  'createdAt'?: (string);
  'passedFields'?: (string)[];
  '_keyHeader'?: "keyHeader";
}

export interface ProviderRecord__Output {
  'id': (string);
  'name': (string);
  'wireFormat': (_gateway_v1_WireFormat__Output);
  'baseUrl': (string);
  'keyForm': (_gateway_v1_KeyForm__Output);
  'keyHeader'?: (string);
  'models': (_gateway_v1_ProviderModel__Output)[];
  'createdAt': (string);
  'passedFields': (string)[];
  '_keyHeader'?: "keyHeader";
}
