// Original file: proto/gateway/v1/ai_systems.proto

import type { ModelMatches as _gateway_v1_ModelMatches, ModelMatches__Output as _gateway_v1_ModelMatches__Output } from '../../gateway/v1/ModelMatches.ts';
import type { Long } from '@grpc/proto-loader';

export interface AiSystem {
  'id'?: (string);
  'organizationId'?: (string);
  'name'?: (string);
  'active'?: (boolean);
  'allowedModels'?: (string)[];
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
  'matches'?: (_gateway_v1_ModelMatches | null);
  '_matches'?: "matches";
}

export interface AiSystem__Output {
  'id': (string);
  'organizationId': (string);
  'name': (string);
  'active': (boolean);
  'allowedModels': (string)[];
  'createdAt': (string);
  'revision': (string);
  'matches'?: (_gateway_v1_ModelMatches__Output | null);
  '_matches'?: "matches";
}
