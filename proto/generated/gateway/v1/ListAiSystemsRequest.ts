// Original file: proto/gateway/v1/ai_systems.proto


export interface ListAiSystemsRequest {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListAiSystemsRequest__Output {
  'organizationId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
