// Original file: proto/gateway/v1/audit.proto


export interface ListAuditEventsRequest {
  'organizationId'?: (string);
  'targetId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_organizationId'?: "organizationId";
  '_targetId'?: "targetId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListAuditEventsRequest__Output {
  'organizationId'?: (string);
  'targetId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_organizationId'?: "organizationId";
  '_targetId'?: "targetId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
