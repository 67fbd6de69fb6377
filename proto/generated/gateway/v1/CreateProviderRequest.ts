// Original file: proto/gateway/v1/providers.proto

import type { WireFormat as _gateway_v1_WireFormat, WireFormat__Output as _gateway_v1_WireFormat__Output } from '../../gateway/v1/WireFormat.ts';
import type { KeyForm as _gateway_v1_KeyForm, KeyForm__Output as _gateway_v1_KeyForm__Output } from '../../gateway/v1/KeyForm.ts';
import type { ProviderModels as _gateway_v1_ProviderModels, ProviderModels__Output as _gateway_v1_ProviderModels__Output } from '../../gateway/v1/ProviderModels.ts';
import type { PassedFields as _gateway_v1_PassedFields, PassedFields__Output as _gateway_v1_PassedFields__Output } from '../../gateway/v1/PassedFields.ts';

export interface CreateProviderRequest {
  'organizationId'?: (string);
  'name'?: (string);
  'wireFormat'?: (_gateway_v1_WireFormat);
  'baseUrl'?: (string);
  'keyForm'?: (_gateway_v1_KeyForm);
  'keyHeader'?: (string);
  'models'?: (_gateway_v1_ProviderModels | null);
  'passedFields'?: (_gateway_v1_PassedFields | null);
  '_organizationId'?: "organizationId";
  '_keyForm'?: "keyForm";
  '_keyHeader'?: "keyHeader";
  '_models'?: "models";
  '_passedFields'?: "passedFields";
}

export interface CreateProviderRequest__Output {
  'organizationId'?: (string);
  'name': (string);
  'wireFormat': (_gateway_v1_WireFormat__Output);
  'baseUrl': (string);
  'keyForm'?: (_gateway_v1_KeyForm__Output);
  'keyHeader'?: (string);
  'models'?: (_gateway_v1_ProviderModels__Output | null);
  'passedFields'?: (_gateway_v1_PassedFields__Output | null);
  '_organizationId'?: "organizationId";
  '_keyForm'?: "keyForm";
  '_keyHeader'?: "keyHeader";
  '_models'?: "models";
  '_passedFields'?: "passedFields";
}
