// Original file: proto/gateway/v1/webhooks.proto


export interface RotateWebhookSecretRequest {
  'id'?: (string);
}

export interface RotateWebhookSecretRequest__Output {
  'id': (string);
}
