// Original file: proto/gateway/v1/tokens.proto

import type { OperatorToken as _gateway_v1_OperatorToken, OperatorToken__Output as _gateway_v1_OperatorToken__Output } from '../../gateway/v1/OperatorToken.ts';

export interface CreateOperatorTokenResponse {
  'operatorToken'?: (_gateway_v1_OperatorToken | null);
  'value'?: (string);
}

export interface CreateOperatorTokenResponse__Output {
  'operatorToken': (_gateway_v1_OperatorToken__Output | null);
  'value': (string);
}
