// Original file: proto/gateway/v1/usage.proto

import type { UsageTokens as _gateway_v1_UsageTokens, UsageTokens__Output as _gateway_v1_UsageTokens__Output } from '../../gateway/v1/UsageTokens.ts';
import type { Long } from '@grpc/proto-loader';

export interface UsageTotal {
  'aiSystemId'?: (string);
  'personId'?: (string);
  'keyId'?: (string);
  'model'?: (string);
  'provider'?: (string);
  'at'?: (string);
  'requests'?: (number | string | Long);
  'failedRequests'?: (number | string | Long);
  'unpricedRequests'?: (number | string | Long);
  'estimatedRequests'?: (number | string | Long);
  'tokens'?: (_gateway_v1_UsageTokens | null);
  'costUsd'?: (string);
  'meanLatencyMs'?: (number | string | Long);
  'metadata'?: ({[key: string]: string});
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_keyId'?: "keyId";
  '_model'?: "model";
  '_provider'?: "provider";
  '_at'?: "at";
}

export interface UsageTotal__Output {
  'aiSystemId'?: (string);
  'personId'?: (string);
  'keyId'?: (string);
  'model'?: (string);
  'provider'?: (string);
  'at'?: (string);
  'requests': (string);
  'failedRequests': (string);
  'unpricedRequests': (string);
  'estimatedRequests': (string);
  'tokens': (_gateway_v1_UsageTokens__Output | null);
  'costUsd': (string);
  'meanLatencyMs': (string);
  'metadata': ({[key: string]: string});
  '_aiSystemId'?: "aiSystemId";
  '_personId'?: "personId";
  '_keyId'?: "keyId";
  '_model'?: "model";
  '_provider'?: "provider";
  '_at'?: "at";
}
