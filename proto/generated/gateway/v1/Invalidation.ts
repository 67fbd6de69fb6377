// Original file: proto/gateway/v1/access.proto

import type { RecordKind as _gateway_v1_RecordKind, RecordKind__Output as _gateway_v1_RecordKind__Output } from '../../gateway/v1/RecordKind.ts';
import type { RecordState as _gateway_v1_RecordState, RecordState__Output as _gateway_v1_RecordState__Output } from '../../gateway/v1/RecordState.ts';
import type { Long } from '@grpc/proto-loader';

export interface Invalidation {
  'kind'?: (_gateway_v1_RecordKind);
  'id'?: (string);
  'keyHash'?: (Buffer | Uint8Array | string);
  'revision'?: (number | string | Long);
  'state'?: (_gateway_v1_RecordState);
  '_id'?: "id";
  '_keyHash'?: "keyHash";
}

export interface Invalidation__Output {
  'kind': (_gateway_v1_RecordKind__Output);
  'id'?: (string);
  'keyHash'?: (Buffer);
  'revision': (string);
  'state': (_gateway_v1_RecordState__Output);
  '_id'?: "id";
  '_keyHash'?: "keyHash";
}
