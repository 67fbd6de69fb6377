// Original file: proto/gateway/v1/budgets.proto


export interface ListUnsettledRequest {
  'organizationId'?: (string);
  'limitId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_limitId'?: "limitId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListUnsettledRequest__Output {
  'organizationId': (string);
  'limitId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_limitId'?: "limitId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
