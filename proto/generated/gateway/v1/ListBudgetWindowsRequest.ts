// Original file: proto/gateway/v1/budgets.proto


export interface ListBudgetWindowsRequest {
  'organizationId'?: (string);
  'limitId'?: (string);
  'includePast'?: (boolean);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_limitId'?: "limitId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListBudgetWindowsRequest__Output {
  'organizationId': (string);
  'limitId'?: (string);
  'includePast': (boolean);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_limitId'?: "limitId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
