// Original file: proto/gateway/v1/providers.proto

import type { ProviderModel as _gateway_v1_ProviderModel, ProviderModel__Output as _gateway_v1_ProviderModel__Output } from '../../gateway/v1/ProviderModel.ts';

export interface ProviderModels {
  'models'?: (_gateway_v1_ProviderModel)[];
}

export interface ProviderModels__Output {
  'models': (_gateway_v1_ProviderModel__Output)[];
}
