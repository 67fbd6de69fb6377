// Original file: proto/gateway/v1/limits.proto

import type { Limit as _gateway_v1_Limit, Limit__Output as _gateway_v1_Limit__Output } from '../../gateway/v1/Limit.ts';

export interface ListLimitsResponse {
  'limits'?: (_gateway_v1_Limit)[];
  'nextPageToken'?: (string);
}

export interface ListLimitsResponse__Output {
  'limits': (_gateway_v1_Limit__Output)[];
  'nextPageToken': (string);
}
