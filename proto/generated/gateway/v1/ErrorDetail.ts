// Original file: proto/gateway/v1/errors.proto

import type { FieldViolation as _gateway_v1_FieldViolation, FieldViolation__Output as _gateway_v1_FieldViolation__Output } from '../../gateway/v1/FieldViolation.ts';

export interface ErrorDetail {
  'reason'?: (string);
  'violations'?: (_gateway_v1_FieldViolation)[];
}

export interface ErrorDetail__Output {
  'reason': (string);
  'violations': (_gateway_v1_FieldViolation__Output)[];
}
