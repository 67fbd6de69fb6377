// Original file: proto/gateway/v1/tokens.proto


export interface ListProxyTokensRequest {
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListProxyTokensRequest__Output {
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
