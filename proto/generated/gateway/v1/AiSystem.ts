// Original file: proto/gateway/v1/ai_systems.proto

import type { Long } from '@grpc/proto-loader';

export interface AiSystem {
  'id'?: (string);
  'organizationId'?: (string);
  'name'?: (string);
  'active'?: (boolean);
  'allowedModels'?: (string)[];
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
}

export interface AiSystem__Output {
  'id': (string);
  'organizationId': (string);
  'name': (string);
  'active': (boolean);
  'allowedModels': (string)[];
  'createdAt': (string);
  'revision': (string);
}
