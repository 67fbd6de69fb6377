// Original file: proto/gateway/v1/tokens.proto


export interface ListOperatorTokensRequest {
  'personId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListOperatorTokensRequest__Output {
  'personId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
