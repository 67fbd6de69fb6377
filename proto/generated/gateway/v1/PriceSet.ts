// Original file: proto/gateway/v1/providers.proto

import type { PriceTier as _gateway_v1_PriceTier, PriceTier__Output as _gateway_v1_PriceTier__Output } from '../../gateway/v1/PriceTier.ts';

export interface PriceSet {
  'input'?: (string);
  'output'?: (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'tiers'?: (_gateway_v1_PriceTier)[];
  'cacheWrite12h'?: (string);
  'audioInput'?: (string);
  'audioCacheRead'?: (string);
  'audioOutput'?: (string);
  'imageOutput'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_cacheWrite12h'?: "cacheWrite12h";
  '_audioInput'?: "audioInput";
  '_audioCacheRead'?: "audioCacheRead";
  '_audioOutput'?: "audioOutput";
  '_imageOutput'?: "imageOutput";
}

export interface PriceSet__Output {
  'input': (string);
  'output': (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'tiers': (_gateway_v1_PriceTier__Output)[];
  'cacheWrite12h'?: (string);
  'audioInput'?: (string);
  'audioCacheRead'?: (string);
  'audioOutput'?: (string);
  'imageOutput'?: (string);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_cacheWrite12h'?: "cacheWrite12h";
  '_audioInput'?: "audioInput";
  '_audioCacheRead'?: "audioCacheRead";
  '_audioOutput'?: "audioOutput";
  '_imageOutput'?: "imageOutput";
}
