// Original file: proto/gateway/v1/webhooks.proto


export interface CreateWebhookRequest {
  'organizationId'?: (string);
  'name'?: (string);
  'url'?: (string);
}

export interface CreateWebhookRequest__Output {
  'organizationId': (string);
  'name': (string);
  'url': (string);
}
