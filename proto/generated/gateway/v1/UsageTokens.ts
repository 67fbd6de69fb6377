// Original file: proto/gateway/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface UsageTokens {
  'prompt'?: (number | string | Long);
  'completion'?: (number | string | Long);
  'cacheRead'?: (number | string | Long);
  'cacheWrite'?: (number | string | Long);
  'cacheWrite1h'?: (number | string | Long);
  'reasoning'?: (number | string | Long);
}

export interface UsageTokens__Output {
  'prompt': (string);
  'completion': (string);
  'cacheRead': (string);
  'cacheWrite': (string);
  'cacheWrite1h': (string);
  'reasoning': (string);
}
