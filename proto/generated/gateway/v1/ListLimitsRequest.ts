// Original file: proto/gateway/v1/limits.proto

import type { LimitSubject as _gateway_v1_LimitSubject, LimitSubject__Output as _gateway_v1_LimitSubject__Output } from '../../gateway/v1/LimitSubject.ts';

export interface ListLimitsRequest {
  'organizationId'?: (string);
  'subject'?: (_gateway_v1_LimitSubject | null);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_subject'?: "subject";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListLimitsRequest__Output {
  'organizationId': (string);
  'subject'?: (_gateway_v1_LimitSubject__Output | null);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_subject'?: "subject";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
