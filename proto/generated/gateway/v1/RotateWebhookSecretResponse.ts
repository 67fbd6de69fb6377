// Original file: proto/gateway/v1/webhooks.proto


export interface RotateWebhookSecretResponse {
  'secret'?: (string);
}

export interface RotateWebhookSecretResponse__Output {
  'secret': (string);
}
