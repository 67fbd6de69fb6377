// Original file: proto/gateway/v1/guardrails.proto


export interface WebhookCheck {
  'url'?: (string);
  'timeoutMs'?: (number);
}

export interface WebhookCheck__Output {
  'url': (string);
  'timeoutMs': (number);
}
