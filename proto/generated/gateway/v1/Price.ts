// Original file: proto/gateway/v1/prices.proto

import type { ModelPrices as _gateway_v1_ModelPrices, ModelPrices__Output as _gateway_v1_ModelPrices__Output } from '../../gateway/v1/ModelPrices.ts';
import type { ModelMatch as _gateway_v1_ModelMatch, ModelMatch__Output as _gateway_v1_ModelMatch__Output } from '../../gateway/v1/ModelMatch.ts';
import type { Long } from '@grpc/proto-loader';

export interface Price {
  'id'?: (string);
  'organizationId'?: (string);
  'model'?: (string);
  'prices'?: (_gateway_v1_ModelPrices | null);
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
  'match'?: (_gateway_v1_ModelMatch | null);
  '_match'?: "match";
}

export interface Price__Output {
  'id': (string);
  'organizationId': (string);
  'model': (string);
  'prices': (_gateway_v1_ModelPrices__Output | null);
  'createdAt': (string);
  'revision': (string);
  'match'?: (_gateway_v1_ModelMatch__Output | null);
  '_match'?: "match";
}
