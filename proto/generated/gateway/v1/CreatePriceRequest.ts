// Original file: proto/gateway/v1/prices.proto

import type { ModelPrices as _gateway_v1_ModelPrices, ModelPrices__Output as _gateway_v1_ModelPrices__Output } from '../../gateway/v1/ModelPrices.ts';

export interface CreatePriceRequest {
  'organizationId'?: (string);
  'model'?: (string);
  'prices'?: (_gateway_v1_ModelPrices | null);
  'allowUnmatched'?: (boolean);
  '_allowUnmatched'?: "allowUnmatched";
}

export interface CreatePriceRequest__Output {
  'organizationId': (string);
  'model': (string);
  'prices': (_gateway_v1_ModelPrices__Output | null);
  'allowUnmatched'?: (boolean);
  '_allowUnmatched'?: "allowUnmatched";
}
