// Original file: proto/gateway/v1/webhooks.proto


export interface GetWebhookRequest {
  'id'?: (string);
}

export interface GetWebhookRequest__Output {
  'id': (string);
}
