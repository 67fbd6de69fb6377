// Original file: proto/gateway/v1/providers.proto

import type { PriceTier as _gateway_v1_PriceTier, PriceTier__Output as _gateway_v1_PriceTier__Output } from '../../gateway/v1/PriceTier.ts';
import type { PriceSet as _gateway_v1_PriceSet, PriceSet__Output as _gateway_v1_PriceSet__Output } from '../../gateway/v1/PriceSet.ts';
import type { CallPrices as _gateway_v1_CallPrices, CallPrices__Output as _gateway_v1_CallPrices__Output } from '../../gateway/v1/CallPrices.ts';

export interface ModelPrices {
  'input'?: (string);
  'output'?: (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'tiers'?: (_gateway_v1_PriceTier)[];
  'asOf'?: (string);
  'cacheWrite12h'?: (string);
  'audioInput'?: (string);
  'audioCacheRead'?: (string);
  'audioOutput'?: (string);
  'imageOutput'?: (string);
  'serviceTiers'?: ({[key: string]: _gateway_v1_PriceSet});
  'surcharges'?: ({[key: string]: string});
  'calls'?: (_gateway_v1_CallPrices | null);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_asOf'?: "asOf";
  '_cacheWrite12h'?: "cacheWrite12h";
  '_audioInput'?: "audioInput";
  '_audioCacheRead'?: "audioCacheRead";
  '_audioOutput'?: "audioOutput";
  '_imageOutput'?: "imageOutput";
  '_calls'?: "calls";
}

export interface ModelPrices__Output {
  'input': (string);
  'output': (string);
  'cacheRead'?: (string);
  'cacheWrite'?: (string);
  'cacheWrite1h'?: (string);
  'tiers': (_gateway_v1_PriceTier__Output)[];
  'asOf'?: (string);
  'cacheWrite12h'?: (string);
  'audioInput'?: (string);
  'audioCacheRead'?: (string);
  'audioOutput'?: (string);
  'imageOutput'?: (string);
  'serviceTiers': ({[key: string]: _gateway_v1_PriceSet__Output});
  'surcharges': ({[key: string]: string});
  'calls'?: (_gateway_v1_CallPrices__Output | null);
  '_cacheRead'?: "cacheRead";
  '_cacheWrite'?: "cacheWrite";
  '_cacheWrite1h'?: "cacheWrite1h";
  '_asOf'?: "asOf";
  '_cacheWrite12h'?: "cacheWrite12h";
  '_audioInput'?: "audioInput";
  '_audioCacheRead'?: "audioCacheRead";
  '_audioOutput'?: "audioOutput";
  '_imageOutput'?: "imageOutput";
  '_calls'?: "calls";
}
