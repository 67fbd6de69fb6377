// Original file: proto/gateway/v1/providers.proto

import type { ModelPrices as _gateway_v1_ModelPrices, ModelPrices__Output as _gateway_v1_ModelPrices__Output } from '../../gateway/v1/ModelPrices.ts';

export interface ProviderModel {
  'name'?: (string);
  'maxInputTokens'?: (number);
  'maxOutputTokens'?: (number);
  'capabilities'?: (string)[];
  'prices'?: (_gateway_v1_ModelPrices | null);
  'traits'?: ({[key: string]: string});
  '_maxInputTokens'?: "maxInputTokens";
  '_maxOutputTokens'?: "maxOutputTokens";
}

export interface ProviderModel__Output {
  'name': (string);
  'maxInputTokens'?: (number);
  'maxOutputTokens'?: (number);
  'capabilities': (string)[];
  'prices': (_gateway_v1_ModelPrices__Output | null);
  'traits': ({[key: string]: string});
  '_maxInputTokens'?: "maxInputTokens";
  '_maxOutputTokens'?: "maxOutputTokens";
}
