// Original file: proto/gateway/v1/webhooks.proto


export interface ListWebhookDeliveriesRequest {
  'webhookId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListWebhookDeliveriesRequest__Output {
  'webhookId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
