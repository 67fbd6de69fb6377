// Original file: proto/gateway/v1/prices.proto

import type { ModelPrices as _gateway_v1_ModelPrices, ModelPrices__Output as _gateway_v1_ModelPrices__Output } from '../../gateway/v1/ModelPrices.ts';
import type { Long } from '@grpc/proto-loader';

export interface Price {
  'id'?: (string);
  'organizationId'?: (string);
  'model'?: (string);
  'prices'?: (_gateway_v1_ModelPrices | null);
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
}

export interface Price__Output {
  'id': (string);
  'organizationId': (string);
  'model': (string);
  'prices': (_gateway_v1_ModelPrices__Output | null);
  'createdAt': (string);
  'revision': (string);
}
