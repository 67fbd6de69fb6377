// Original file: proto/gateway/v1/tokens.proto

import type { OperatorToken as _gateway_v1_OperatorToken, OperatorToken__Output as _gateway_v1_OperatorToken__Output } from '../../gateway/v1/OperatorToken.ts';

export interface ListOperatorTokensResponse {
  'operatorTokens'?: (_gateway_v1_OperatorToken)[];
  'nextPageToken'?: (string);
}

export interface ListOperatorTokensResponse__Output {
  'operatorTokens': (_gateway_v1_OperatorToken__Output)[];
  'nextPageToken': (string);
}
