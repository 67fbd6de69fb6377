// Original file: proto/gateway/v1/access.proto

import type { KeyScope as _gateway_v1_KeyScope, KeyScope__Output as _gateway_v1_KeyScope__Output } from '../../gateway/v1/KeyScope.ts';
import type { LimitRecord as _gateway_v1_LimitRecord, LimitRecord__Output as _gateway_v1_LimitRecord__Output } from '../../gateway/v1/LimitRecord.ts';
import type { Long } from '@grpc/proto-loader';

export interface KeyRecord {
  'keyId'?: (string);
  'organizationId'?: (string);
  'scope'?: (_gateway_v1_KeyScope | null);
  'active'?: (boolean);
  'endsAt'?: (string);
  'valueEndsAt'?: (string);
  'allowedModels'?: (string)[];
  'limits'?: (_gateway_v1_LimitRecord)[];
  'organizationRevision'?: (number | string | Long);
  'revision'?: (number | string | Long);
  '_endsAt'?: "endsAt";
  '_valueEndsAt'?: "valueEndsAt";
}

export interface KeyRecord__Output {
  'keyId': (string);
  'organizationId': (string);
  'scope': (_gateway_v1_KeyScope__Output | null);
  'active': (boolean);
  'endsAt'?: (string);
  'valueEndsAt'?: (string);
  'allowedModels': (string)[];
  'limits': (_gateway_v1_LimitRecord__Output)[];
  'organizationRevision': (string);
  'revision': (string);
  '_endsAt'?: "endsAt";
  '_valueEndsAt'?: "valueEndsAt";
}
