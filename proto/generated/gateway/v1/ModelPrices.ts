// Original file: proto/gateway/v1/providers.proto

import type { PriceTier as _gateway_v1_PriceTier, PriceTier__Output as _gateway_v1_PriceTier__Output } from '../../gateway/v1/PriceTier.ts';

export interface ModelPrices {
  'input'?: (string);
  'output'?: (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'tiers'?: (_gateway_v1_PriceTier)[];
  'asOf'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_asOf'?: "asOf";
}

export interface ModelPrices__Output {
  'input': (string);
  'output': (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'tiers': (_gateway_v1_PriceTier__Output)[];
  'asOf'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_asOf'?: "asOf";
}
