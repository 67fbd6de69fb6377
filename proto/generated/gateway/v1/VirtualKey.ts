// Original file: proto/gateway/v1/virtual_keys.proto

import type { KeyScope as _gateway_v1_KeyScope, KeyScope__Output as _gateway_v1_KeyScope__Output } from '../../gateway/v1/KeyScope.ts';
import type { RotatedValue as _gateway_v1_RotatedValue, RotatedValue__Output as _gateway_v1_RotatedValue__Output } from '../../gateway/v1/RotatedValue.ts';
import type { KeyStatus as _gateway_v1_KeyStatus, KeyStatus__Output as _gateway_v1_KeyStatus__Output } from '../../gateway/v1/KeyStatus.ts';
import type { ModelMatches as _gateway_v1_ModelMatches, ModelMatches__Output as _gateway_v1_ModelMatches__Output } from '../../gateway/v1/ModelMatches.ts';
import type { Long } from '@grpc/proto-loader';

export interface VirtualKey {
  'id'?: (string);
  'organizationId'?: (string);
  'scope'?: (_gateway_v1_KeyScope | null);
  'name'?: (string);
  'hint'?: (string);
  'active'?: (boolean);
  'endsAt'?: (string);
  'revokedAt'?: (string);
  'allowedModels'?: (string)[];
  'metadata'?: ({[key: string]: string});
  'createdAt'?: (string);
  'createdBy'?: (string);
  'lastUsedAt'?: (string);
  'revision'?: (number | string | Long);
  'rotatedValues'?: (_gateway_v1_RotatedValue)[];
  'status'?: (_gateway_v1_KeyStatus);
  'matches'?: (_gateway_v1_ModelMatches | null);
  '_endsAt'?: "endsAt";
  '_revokedAt'?: "revokedAt";
  '_lastUsedAt'?: "lastUsedAt";
  '_matches'?: "matches";
}

export interface VirtualKey__Output {
  'id': (string);
  'organizationId': (string);
  'scope': (_gateway_v1_KeyScope__Output | null);
  'name': (string);
  'hint': (string);
  'active': (boolean);
  'endsAt'?: (string);
  'revokedAt'?: (string);
  'allowedModels': (string)[];
  'metadata': ({[key: string]: string});
  'createdAt': (string);
  'createdBy': (string);
  'lastUsedAt'?: (string);
  'revision': (string);
  'rotatedValues': (_gateway_v1_RotatedValue__Output)[];
  'status': (_gateway_v1_KeyStatus__Output);
  'matches'?: (_gateway_v1_ModelMatches__Output | null);
  '_endsAt'?: "endsAt";
  '_revokedAt'?: "revokedAt";
  '_lastUsedAt'?: "lastUsedAt";
  '_matches'?: "matches";
}
