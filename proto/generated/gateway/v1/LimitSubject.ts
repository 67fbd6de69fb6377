// Original file: proto/gateway/v1/limits.proto

import type { LimitSubjectKind as _gateway_v1_LimitSubjectKind, LimitSubjectKind__Output as _gateway_v1_LimitSubjectKind__Output } from '../../gateway/v1/LimitSubjectKind.ts';

export interface LimitSubject {
  'kind'?: (_gateway_v1_LimitSubjectKind);
  'id'?: (string);
}

export interface LimitSubject__Output {
  'kind': (_gateway_v1_LimitSubjectKind__Output);
  'id': (string);
}
