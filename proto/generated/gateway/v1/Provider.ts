// Original file: proto/gateway/v1/providers.proto

import type { WireFormat as _gateway_v1_WireFormat, WireFormat__Output as _gateway_v1_WireFormat__Output } from '../../gateway/v1/WireFormat.ts';
import type { KeyForm as _gateway_v1_KeyForm, KeyForm__Output as _gateway_v1_KeyForm__Output } from '../../gateway/v1/KeyForm.ts';
import type { ProviderModel as _gateway_v1_ProviderModel, ProviderModel__Output as _gateway_v1_ProviderModel__Output } from '../../gateway/v1/ProviderModel.ts';
import type { Long } from '@grpc/proto-loader';

export interface Provider {
  'id'?: (string);
  'organizationId'?: (string);
  'name'?: (string);
  'wireFormat'?: (_gateway_v1_WireFormat);
  'baseUrl'?: (string);
  'keyForm'?: (_gateway_v1_KeyForm);
  'keyHeader'?: (string);
  'models'?: (_gateway_v1_ProviderModel)[];
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
  'passedFields'?: (string)[];
  '_organizationId'?: "organizationId";
  '_keyHeader'?: "keyHeader";
}

export interface Provider__Output {
  'id': (string);
  'organizationId'?: (string);
  'name': (string);
  'wireFormat': (_gateway_v1_WireFormat__Output);
  'baseUrl': (string);
  'keyForm': (_gateway_v1_KeyForm__Output);
  'keyHeader'?: (string);
  'models': (_gateway_v1_ProviderModel__Output)[];
  'createdAt': (string);
  'revision': (string);
  'passedFields': (string)[];
  '_organizationId'?: "organizationId";
  '_keyHeader'?: "keyHeader";
}
