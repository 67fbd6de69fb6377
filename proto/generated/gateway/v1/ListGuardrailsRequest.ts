// Original file: proto/gateway/v1/guardrails.proto


export interface ListGuardrailsRequest {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListGuardrailsRequest__Output {
  'organizationId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
