// Original file: proto/gateway/v1/prices.proto

import type { ModelPrices as _gateway_v1_ModelPrices, ModelPrices__Output as _gateway_v1_ModelPrices__Output } from '../../gateway/v1/ModelPrices.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdatePriceRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'prices'?: (_gateway_v1_ModelPrices | null);
  '_ifRevision'?: "ifRevision";
}

export interface UpdatePriceRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'prices': (_gateway_v1_ModelPrices__Output | null);
  '_ifRevision'?: "ifRevision";
}
