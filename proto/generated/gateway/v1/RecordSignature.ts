// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';
import type { Long } from '@grpc/proto-loader';

export interface RecordSignature {
  'asOf'?: (_gateway_v1_Position | null);
  'signedAtMs'?: (number | string | Long);
  'keyId'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
}

export interface RecordSignature__Output {
  'asOf': (_gateway_v1_Position__Output | null);
  'signedAtMs': (string);
  'keyId': (Buffer);
  'signature': (Buffer);
}
