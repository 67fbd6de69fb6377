// Original file: proto/gateway/v1/budgets.proto

import type { Unsettled as _gateway_v1_Unsettled, Unsettled__Output as _gateway_v1_Unsettled__Output } from '../../gateway/v1/Unsettled.ts';

export interface ListUnsettledResponse {
  'unsettled'?: (_gateway_v1_Unsettled)[];
  'nextPageToken'?: (string);
}

export interface ListUnsettledResponse__Output {
  'unsettled': (_gateway_v1_Unsettled__Output)[];
  'nextPageToken': (string);
}
